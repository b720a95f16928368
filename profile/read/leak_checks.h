/* leak_checks.h -- The results of leak checks in an image.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "profile/read/image.h"

enum {
	LEAK_CHECKS_MAX = 1024, /* of an image: the recorder makes no more */
	LEAK_LOSSES_MAX = 1 << 24 /* of a check: believed of a recording */
};

/* One check. Its losses are copied out, and have a kind and a heuristic that exist. */
struct leak_check {
	struct mu_loss *loss; /* head.count of them, ascending by site and kind */
	struct mu_loss *earlier; /* of MU_LOSS_CALLED and on, ascending by site and kind */
	uint64_t earlier_count;
	struct mu_leak_list *list; /* NULL: none. Its entries and texts are within its bytes */
	struct mu_leak_check head; /* the last one: it has room for losses behind it */
};

struct leak_checks {
	struct leak_check *check; /* in the order of time */
	size_t count;
};

/* leak_checks_read -- Reads all checks of an image, those for which there is memory. Call
 * leak_checks_free(). */
void leak_checks_read(struct leak_checks *all, const struct image *im);

/* leak_checks_at_end -- Tells whether a process was examined when it ended. Reads all checks. */
bool leak_checks_at_end(const struct image *im);

/* leak_checks_free -- Releases everything. Accepts a zeroed struct. */
void leak_checks_free(struct leak_checks *all);
