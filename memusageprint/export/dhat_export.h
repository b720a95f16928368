/* dhat_export.h -- Converts a recording to a profile of DHAT.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "formats/dhat.h"
#include "memusageprint/job/report_subject.h"

/* dhat_export_load -- Builds the profile of an image.
 *
 * d  overwritten; the caller calls dhat_free() in any case.
 * The settings choose the number of frames and the unit of time. A warning names what the
 * recording does not tell exactly. Returns 0, or -1 after a warning.
 */
int dhat_export_load(struct dhat *d, struct report_subject *s, const struct settings *settings);

/* dhat_export -- Writes it. Returns 0, or -1 after a warning. */
int dhat_export(FILE *out, struct report_subject *s, const struct settings *settings);
