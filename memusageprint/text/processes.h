/* processes.h -- Texts about all processes of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "profile/read/process_list.h"

/* processes_print -- Prints a table of all processes, each behind its parent. */
void processes_print(FILE *out, const struct process_list *list);

/* processes_print_share -- Prints how much of the memory of all processes one of them held, and
 * how the others stand.
 *
 * e         of the list, which has several images; of one before an exec its last program, too.
 * figure    at the peak or at the end.
 * is_run    memusage has just made the recording and does not keep it: the advice differs.
 */
void processes_print_share(FILE *out, const struct process_list *list,
			   const struct process_entry *e, enum process_figure figure, bool is_run);

/* processes_print_earlier -- Prints a line if a process, whose last program is reported, held
 * clearly more before an exec, and how to see that.
 *
 * pid  as the collector saw it.
 */
void processes_print_earlier(FILE *out, const struct process_list *list, pid_t pid);
