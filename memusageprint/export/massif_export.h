/* massif_export.h -- a recording as a massif.out.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_EXPORT_MASSIF_EXPORT_H
#define MEMUSAGEPRINT_EXPORT_MASSIF_EXPORT_H

#include <stdio.h>

#include "memusageprint/job/report_subject.h"

/* massif_export -- write the profile of an image.
 *
 * Trees are made one at a time: memory is that of the largest. What --ignore-fn names is left
 * out of the trees and, as far as a snapshot knows it, of the figures.
 * Returns 0, or -1 after a warning.
 */
int massif_export(FILE *out, struct report_subject *s, const struct settings *settings);

#endif
