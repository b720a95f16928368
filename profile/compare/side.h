/* side.h -- What is compared: the stacks of an old and of a new run.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/model/filter.h"
#include "profile/read/sites.h"

enum side { SIDE_OLD, SIDE_NEW, SIDES };

struct compare_side {
	const struct filter *filter;	/* its profile has names; no limit of depth */
	const struct weight *weight;	/* one per site: tells which stacks are alike, if several
					 * could be the same */
};
