/* site_totals.h -- the live bytes and blocks of all sites at a moment, stored with a snapshot.
 *
 * Stored values are packed: three numbers of variable length for each site that is not zero, about
 * five bytes, in a chain of small pieces of one size. So the pieces of a culled snapshot fit any
 * other, also in a program that meets new sites all the time (docs/format.md, 8).
 *
 * Functions need the lock of the snapshots, and are async-signal-safe.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/export.h"
#include "recording/recording.h"

/* The pieces of one snapshot; all zero if it has none. */
struct site_totals {
	uint64_t first; /* offsets in the image */
	uint64_t last;
	uint32_t pieces;
	uint32_t bytes; /* of values, without the headers of pieces */
};

/* With one thread most cells are as they were when they were added up last. The first change of a
 * cell in an epoch is noticed anyway (sites_keep_peak()): if it also is the first one since
 * `epoch`, the cell is listed. */
extern HIDDEN struct site_totals_tracked {
	bool is_on;
	uint32_t epoch;
} site_totals_tracked;

/* site_totals_note_change -- list cell NUMBER, which is new or about to change.
 *
 * Only for the first change since site_totals_tracked.epoch, while that is_on, by the one thread.
 */
void site_totals_note_change(uint32_t number);

/* site_totals_untrack -- list no changed cells any more, before a second thread begins. */
void site_totals_untrack(void);

/* site_totals_init -- begin with a new image, in which nothing is stored. */
void site_totals_init(void);

/* site_totals_add_up -- add up the cells of all threads.
 *
 * known  set to the number of the last site that has allocated, + 1.
 * used   set to the number of sites that are not zero.
 * Returns false without memory. Costs 7 to 20 ns per cell or, while changes are tracked, per cell
 * that has changed since a call at a new peak of the heap.
 */
bool site_totals_add_up(uint64_t *known, uint64_t *used);

/* site_totals_cost -- return the cost of adding up and storing the totals now, in cells. */
uint64_t site_totals_cost(void);

/* site_totals_to_array -- copy the sums into an array, while it has room.
 *
 * Returns their number.
 */
uint64_t site_totals_to_array(struct mu_site_value *first, uint64_t capacity);

/* site_totals_store -- store the sums in pieces.
 *
 * limit  the most bytes of all pieces in use afterwards.
 * Returns false, and leaves *v empty, if that is too little or the arena is full.
 */
bool site_totals_store(struct site_totals *v, uint64_t limit);

/* site_totals_free -- free the pieces, and make *v empty. The cost is the same for any number. */
void site_totals_free(struct site_totals *v);
