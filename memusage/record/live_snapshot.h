/* live_snapshot.h -- Take a snapshot of a running process from outside, and save it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "memusage/record/live.h"

struct live_snapshots {
	struct mu_snapshot *item;
	size_t count;
	uint8_t *values; /* the values at their offsets, from IMAGE_OUTSIDE on */
	uint64_t values_size;
	uint64_t moved;	   /* bytes allocated and freed while values were added up, the maximum
				 * error of each; 0: all values are of one moment */
	bool has_places;   /* call stacks are recorded */
	uint64_t left_out; /* number of snapshots beyond 512 MiB of values */
};

/* live_snapshot_take -- Takes a snapshot of the current state.
 *
 * detailed  with the values of all sites, if there are call stacks.
 * The process adds the values up itself if they are few (0.4 ms at most); otherwise we do, while
 * the process runs or, preferably, is idle.
 * Returns 0, or -1 with ERR; call live_snapshot_free() in either case.
 */
int live_snapshot_take(struct live_snapshots *s, struct live *l, bool detailed,
		       struct mu_error *err);

/* live_snapshot_copy_one -- Copies a snapshot of the image as a detailed one. As above. */
int live_snapshot_copy_one(struct live_snapshots *s, const struct live *l,
			   const struct mu_snapshot *one, struct mu_error *err);

/* live_snapshot_copy_all -- Copies all snapshots that the process has taken so far. As above. */
int live_snapshot_copy_all(struct live_snapshots *s, struct live *l, struct mu_error *err);

/* live_snapshot_save -- Writes what memusageprint needs for a report of the snapshots.
 *
 * fd   of an empty file.
 * pid  of the process, for messages and names.
 * Returns 0, or -1 with ERR, also if the process has ended meanwhile.
 */
int live_snapshot_save(const struct live_snapshots *s, const struct live *l, pid_t pid, int fd,
		       struct mu_error *err);

/* live_snapshot_free -- Releases everything. S may be zeroed, and freed twice. */
void live_snapshot_free(struct live_snapshots *s);
