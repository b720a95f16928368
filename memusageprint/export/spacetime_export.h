/* spacetime_export.h -- Writes the reports of the first Massif from a recording.
 *
 * Each function returns 0, or -1 after a warning.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "memusageprint/job/report_job.h"
#include "memusageprint/job/report_subject.h"

/* spacetime_export -- Prints the form settings->spacetime; the text begins with the summary. */
int spacetime_export(FILE *out, struct report_subject *s, const struct settings *settings);

/* spacetime_export_summary -- Prints the summary alone. */
int spacetime_export_summary(FILE *out, struct report_subject *s, const struct settings *settings);

/* spacetime_export_hp -- Writes the file for hp2ps of an image; for struct image_file. */
int spacetime_export_hp(FILE *out, const char *name, struct report_subject *s,
			const struct report_job *job);

/* spacetime_export_report -- Writes the text or HTML of an image; for struct image_file. */
int spacetime_export_report(FILE *out, const char *name, struct report_subject *s,
			    const struct report_job *job);
