/* export.h -- what the writers of other tools' formats are given.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "profile/model/filter.h"
#include "profile/model/moment.h"
#include "profile/read/image.h"
#include "profile/read/process_list.h"

/* One image. Everything is borrowed. */
struct export {
	const struct filter *filter;	/* its profile, with names, and the frames that count */
	const struct image *image;
	const char *command;		/* the command line, joined by blanks; may be hostile */
	const char *version;		/* of memusage */
	uint32_t pid;
	uint64_t start_real_ns;		/* when it began, since 1970; 0 unknown */
	uint64_t duration_ns;		/* 0 unknown */
	const struct process_list *processes; /* of the recording; NULL: not listed */
	const struct site_errors *change; /* the sums' errors, if figures are changes and
					   * estimates; else NULL */
	bool by_bytes;		/* snapshots were taken by the byte clock */
	const struct growth_range *growth; /* that the user wants; NULL: the usual one */
};
