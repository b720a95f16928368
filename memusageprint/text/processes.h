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
 * e         of the list, which has several processes.
 * figure    at the peak or at the end.
 * is_run    memusage has just made the recording and does not keep it: the advice differs.
 */
void processes_print_share(FILE *out, const struct process_list *list,
			   const struct process_entry *e, enum process_figure figure, bool is_run);
