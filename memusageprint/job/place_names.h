/* place_names.h -- Looks up the names of a process's places, as the options ask for it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "memusageprint/job/settings.h"
#include "profile/model/profile.h"
#include "profile/read/segment.h"

/* place_names_resolve -- Resolves the locations of a profile, with the names cache if it may.
 *
 * p             loaded from IM of SEGMENT.
 * pid           of the process, for the map that it may have written.
 * has_progress  show on the terminal how far it is.
 * Returns 0, or -1 with ERR. Cost up to some seconds; see profile_resolve().
 */
int place_names_resolve(struct profile *p, const struct segment *segment, const struct image *im,
			pid_t pid, const struct settings *settings, bool has_progress,
			struct mu_error *err);
