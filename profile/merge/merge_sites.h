/* merge_sites.h -- Adds the sites of one process to those of a merge.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/merge/merge_course.h"
#include "profile/merge/merge_places.h"
#include "profile/merge/merge_spool.h"
#include "profile/read/image.h"
#include "profile/read/site_errors.h"

/* The figures of a process at its sites. The first members are the caller's. */
struct merge_sites {
	uint32_t process;	/* its number */
	int32_t moment;		/* when the sum was largest: a snapshot, or merge_moment_kind */
	bool is_own;		/* what it has from its parent is counted apart */
	bool is_exec;		/* nothing was left of it */
	int64_t at_peak, live;	/* sums of the sites that count, bytes; from merge_sites_add() */
	struct merge_loaded *loaded;	/* private */
};

/* merge_sites_make_errors -- Makes room for the errors of SITES sites; new ones are 0. */
void merge_sites_make_errors(struct site_errors **error, uint32_t *room, uint32_t sites);

/* merge_own_open -- Prepares to compute what a forked child holds beyond its parent's.
 *
 * im  outlives the result; its fork_cells is not 0.
 * Returns what merge_own_close() releases.
 */
struct merge_own *merge_own_open(const struct image *im);

/* merge_own_heap -- Returns the bytes of its own at a moment: of each place what is beyond what it
 * had from its parent. A block of that which it freed is still there, in the parent.
 *
 * moment  a snapshot with values, MERGE_PEAK (of its whole heap) or MERGE_END.
 * Cost O(sites).
 */
int64_t merge_own_heap(struct merge_own *own, int32_t moment);

/* merge_own_close -- Releases it. */
void merge_own_close(struct merge_own *own);

/* merge_sites_load -- Reads what a process has, without a change to the merge.
 *
 * s           loaded is overwritten; the caller calls merge_sites_free().
 * im          used during the call only.
 * course      tells its moments.
 * is_sampled  errors are read, too.
 */
void merge_sites_load(struct merge_sites *s, const struct image *im,
		      const struct merge_course *course, bool is_sampled);

/* merge_sites_add -- Adds up what merge_sites_load() has read.
 *
 * number  by site of the image, of which there are COUNT: that of the merge.
 * error   by site of the merge; NULL: nothing was sampled.
 * course  has room for all sites of P.
 * spool   gets what it has at each place.
 */
void merge_sites_add(struct merge_sites *s, const uint32_t *number, uint32_t count,
		     struct merge_places *p, struct site_errors *error,
		     struct merge_course *course, struct merge_spool *spool);

/* merge_sites_free -- Releases what was read. Fine if nothing was. */
void merge_sites_free(struct merge_sites *s);
