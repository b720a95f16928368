/* notes.h -- Notes on the figures of a summary, and the details of --verbose.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <sys/resource.h>

#include "memusage/report/report.h"

/* notes_print -- Prints a line for each fact that the reader of a summary must know; often none. */
void notes_print(struct report *r, const struct result *result);

/* notes_print_details -- Prints threads, times and the recorder's own memory.
 *
 * usage  of the process, NULL if unknown.
 */
void notes_print_details(struct report *r, const struct result *result,
			 const struct rusage *usage);
