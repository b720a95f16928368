/* export_formats.h -- a recording in the formats of other tools.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_EXPORT_EXPORT_FORMATS_H
#define MEMUSAGEPRINT_EXPORT_EXPORT_FORMATS_H

#include <stdio.h>

#include "memusageprint/job/report_subject.h"

/* exports_write -- write an image in the format that settings->report names.
 *
 * Folded stacks are of the moment of settings->tree; the others hold everything.
 * Returns 0, or -1 after a warning.
 */
int exports_write(FILE *out, struct subject *s, const struct settings *settings);

#endif
