/* spacetime_export.h -- what the first Massif reported, of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_EXPORT_SPACETIME_EXPORT_H
#define MEMUSAGEPRINT_EXPORT_SPACETIME_EXPORT_H

#include <stdio.h>

#include "memusageprint/job/report_subject.h"

/* spacetime_export -- print what --spacetime asks for; text has the summary before it.
 *
 * Returns 0, or -1 after a warning.
 */
int spacetime_export(FILE *out, struct subject *s, const struct settings *settings);

/* spacetime_summary -- print the summary alone. Returns 0, or -1 after a warning. */
int spacetime_summary(FILE *out, struct subject *s, const struct settings *settings);

/* spacetime_export_hp, spacetime_export_report -- one file each of an image; for struct
 * imagefile. */
int spacetime_export_hp(FILE *out, const char *name, struct subject *s,
			const struct settings *settings);
int spacetime_export_report(FILE *out, const char *name, struct subject *s,
			    const struct settings *settings);

#endif
