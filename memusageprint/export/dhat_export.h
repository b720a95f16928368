/* dhat_export.h -- a recording as a profile of DHAT.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_EXPORT_DHAT_EXPORT_H
#define MEMUSAGEPRINT_EXPORT_DHAT_EXPORT_H

#include <stdio.h>

#include "formats/dhat.h"
#include "memusageprint/job/report_subject.h"

/* dhat_of_subject -- the profile of an image.
 *
 * d  overwritten; dhat_free() it in any case.
 * Frames and the unit of time are those of the settings; what the recording cannot tell exactly is
 * said on standard error.
 * Returns 0, or -1 after a warning.
 */
int dhat_of_subject(struct dhat *d, struct subject *s, const struct settings *settings);

/* dhat_export -- write it. Returns 0, or -1 after a warning. */
int dhat_export(FILE *out, struct subject *s, const struct settings *settings);

/* dhat_show -- print it as text, as dhat_text_put(). Returns 0, or -1 after a warning. */
int dhat_show(FILE *out, struct subject *s, const struct settings *settings);

/* dhat_write_file -- write it as one of imagefiles_write()'s files. */
int dhat_write_file(FILE *out, const char *name, struct subject *s,
		    const struct settings *settings);

/* dhat_summaries -- from now on dhat_write_file() prints to OUT, too, the lines that DHAT prints at
 * the end of a run. NULL: no longer. */
void dhat_summaries(FILE *out);

#endif
