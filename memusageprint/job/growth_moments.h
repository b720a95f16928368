/* growth_moments.h -- The two moments that --growth names.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusageprint/job/report_subject.h"
#include "memusageprint/job/settings.h"
#include "profile/model/moment.h"

/* growth_moments_find -- Finds the moments of --growth=FROM..TO; what was not given is chosen.
 *
 * g  overwritten.
 * Returns 0, or -1 after a warning: a moment is unknown, or FROM is after TO.
 */
int growth_moments_find(struct growth_range *g, const struct report_subject *s,
			const struct settings *settings);
