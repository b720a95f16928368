/* leak_losses.h -- The blocks of a leak check, added up by site and kind.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

#include "profile/graph/leak_marks.h"
#include "recording/leaks.h"

struct leak_losses {
	struct mu_loss *loss; /* ascending by site, kind and heuristic */
	size_t count;
};

/* leak_losses_add_up -- Adds up the blocks of a graph.
 *
 * m  from leak_marks_find() on a graph of BLOCKS.
 * Cost O(blocks), and 40 bytes for each pair of site and kind.
 */
void leak_losses_add_up(struct leak_losses *l, const struct block_set *blocks,
			const struct leak_marks *m);

/* leak_losses_free -- Releases everything. Accepts a zeroed struct. */
void leak_losses_free(struct leak_losses *l);
