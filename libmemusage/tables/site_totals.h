/* site_totals.h -- what every site holds at a moment: added up, and stored with a snapshot.
 *
 * Stored values are packed: three numbers of variable length for each site that is not zero, five
 * bytes or so, in a chain of small pieces that are all of one size. So what a culled snapshot gives
 * back fits any other, also in a program that meets new sites all the time (docs/format.md, 8).
 *
 * All of this is called under the lock of the snapshots, and is async-signal-safe.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_TABLES_SITE_TOTALS_H
#define LIBMEMUSAGE_TABLES_SITE_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

#include "recording/recording.h"

/* The pieces of one snapshot; all zero: it has none. */
struct site_totals {
	uint64_t first; /* offsets in the image */
	uint64_t last;
	uint32_t pieces;
	uint32_t bytes; /* of values, without the headers of pieces */
};

/* With one thread most cells are as they were when they were added up last. The first change of a
 * cell in an epoch is noticed anyway (sites_keep_peak()): if it also is the first one since `epoch`,
 * the cell is listed. */
extern struct site_totals_tracked {
	bool is_on;
	uint32_t epoch;
} site_totals_tracked;

/* site_totals_note_change -- list cell NUMBER, which is new or about to change.
 *
 * Only for the first change since site_totals_tracked.epoch, while that is_on, by the one thread.
 */
void site_totals_note_change(uint32_t number);

/* site_totals_untrack -- a second thread is about to begin: nobody keeps track any more. */
void site_totals_untrack(void);

/* site_totals_init -- nothing is stored yet in the image. */
void site_totals_init(void);

/* site_totals_add_up -- add up the cells of all threads.
 *
 * known  is set to the number of sites below which all had allocated by then.
 * used   is set to the number of sites that are not zero.
 * Returns false if there is no memory for it. Cost 7 to 20 ns per cell, or, while they are tracked,
 * per cell that has changed since the heap stood at a new peak here.
 */
bool site_totals_add_up(uint64_t *known, uint64_t *used);

/* site_totals_cost -- the cost of site_totals_add_up() and site_totals_store() now, in cells. */
uint64_t site_totals_cost(void);

/* site_totals_to_array -- write what was added up into an array, as long as there is room.
 *
 * Returns how many there were.
 */
uint64_t site_totals_to_array(struct mu_site_value *first, uint64_t capacity);

/* site_totals_store -- store what was added up.
 *
 * limit  bytes that all pieces in use may have afterwards.
 * Returns false, and leaves *v empty, if that is not enough or the arena is full.
 */
bool site_totals_store(struct site_totals *v, uint64_t limit);

/* site_totals_free -- give back the pieces; *v is empty then. Cost the same for any number. */
void site_totals_free(struct site_totals *v);

#endif
