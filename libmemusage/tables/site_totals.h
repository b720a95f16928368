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
struct values {
	uint64_t first; /* offsets in the image */
	uint64_t last;
	uint32_t pieces;
	uint32_t bytes; /* of values, without the headers of pieces */
};

/* With one thread most cells are as they were when they were added up last. That a cell changes for
 * the first time in this epoch is seen anyway (sites_keep_peak()): if it also is the first time
 * since values_epoch, it is listed. */
extern bool values_are_tracked;
extern uint32_t values_epoch;

/* values_changed -- cell NUMBER is new, or about to change for the first time since values_epoch.
 *
 * Only while values_are_tracked, by the one thread.
 */
void values_changed(uint32_t number);

/* values_forget -- a second thread is about to begin: nobody keeps track any more. */
void values_forget(void);

/* values_init -- nothing is stored yet in the image. */
void values_init(void);

/* values_sum -- add up the cells of all threads.
 *
 * known  is set to the number of sites below which all had allocated by then.
 * used   is set to the number of sites that are not zero.
 * Returns false if there is no memory for it. Cost 7 to 20 ns per cell, or, while they are tracked,
 * per cell that has changed since the heap stood at a new peak here.
 */
bool values_sum(uint64_t *known, uint64_t *used);

/* values_cost -- what values_sum() and values_store() would cost now, in cells looked at. */
uint64_t values_cost(void);

/* values_array -- write what was added up into an array, as long as there is room.
 *
 * Returns how many there were.
 */
uint64_t values_array(struct mu_site_value *first, uint64_t capacity);

/* values_store -- store what was added up.
 *
 * limit  bytes that all pieces in use may have afterwards.
 * Returns false, and leaves *v empty, if that is not enough or the arena is full.
 */
bool values_store(struct values *v, uint64_t limit);

/* values_free -- give back the pieces; *v is empty then. Cost the same for any number. */
void values_free(struct values *v);

#endif
