/* dhat_text.h -- a profile of DHAT as text: what its viewer shows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_TEXT_DHAT_TEXT_H
#define MEMUSAGEPRINT_TEXT_DHAT_TEXT_H

#include <stdio.h>

#include "formats/dhat.h"
#include "memusageprint/reports.h"

/* dhat_text_put -- print the tree of program points, all of it expanded.
 *
 * name  of the file, for messages.
 * settings->sort, invert, grep and threshold choose; the order of nodes, their numbers and the
 * text of each are the viewer's.
 * Returns 0, or -1 after a warning: the profile lacks what the metric is about.
 */
int dhat_text_put(FILE *out, const struct dhat *d, const struct settings *settings,
		  const char *name);

/* dhat_text_print -- the report of a profile of DHAT; a report_fn. */
int dhat_text_print(const struct report_job *job);

#endif
