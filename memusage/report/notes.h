/* notes.h -- what must be said about the figures of a summary, and what --verbose adds.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_REPORT_NOTES_H
#define MEMUSAGE_REPORT_NOTES_H

#include <sys/resource.h>

#include "memusage/report/report.h"

/* notes_print -- one line for each fact that the reader of a summary must know; often none. */
void notes_print(struct report *r, const struct result *result);

/* notes_print_details -- threads, times and the recorder's own memory.
 *
 * usage  of the process, NULL if not known.
 */
void notes_print_details(struct report *r, const struct result *result,
			 const struct rusage *usage);

#endif
