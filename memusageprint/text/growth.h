/* growth.h -- The places that grew between two moments.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "memusageprint/job/report_subject.h"
#include "memusageprint/job/settings.h"

/* growth_print -- Prints the places that grew between the moments of --growth, largest first.
 *
 * s  its weights are overwritten.
 * Returns 0, or -1 after a warning: a moment is unknown, or the first one is not the earlier one.
 */
int growth_print(FILE *out, struct report_subject *s, const struct settings *settings);
