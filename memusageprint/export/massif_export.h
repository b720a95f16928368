/* massif_export.h -- Converts a recording to a massif.out.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "memusageprint/job/report_subject.h"

/* massif_export -- Writes the profile of an image.
 *
 * Only one tree is in memory at a time. The trees leave out the functions of --ignore-fn; so do
 * the figures of snapshots that know their places.
 * Returns 0, or -1 after a warning.
 */
int massif_export(FILE *out, struct report_subject *s, const struct settings *settings);
