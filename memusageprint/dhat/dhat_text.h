/* dhat_text.h -- A profile of DHAT as text, with the content of DHAT's viewer.
 *
 * The whole tree of program points is expanded. settings->sort, invert, grep and threshold choose
 * the nodes; their order, numbers and text are the viewer's.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "formats/dhat.h"
#include "memusageprint/job/report_job.h"
#include "memusageprint/job/report_subject.h"

/* dhat_text_put -- Prints a profile.
 *
 * name  of the file, for messages.
 * Returns 0, or -1 after a warning: the profile lacks what the metric needs.
 */
int dhat_text_put(FILE *out, const struct dhat *d, const struct settings *settings,
		  const char *name);

/* dhat_text_print -- Prints a file of DHAT; a report_fn. */
int dhat_text_print(const struct report_job *job);

/* dhat_text_print_image -- Prints an image of a recording. Returns 0, or -1 after a warning. */
int dhat_text_print_image(FILE *out, struct report_subject *s, const struct settings *settings);
