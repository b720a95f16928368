/* live_snapshot.h -- a snapshot of a running process, taken from outside, and its file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_RECORD_LIVE_SNAPSHOT_H
#define MEMUSAGE_RECORD_LIVE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "memusage/record/live.h"

struct live_snapshots {
	struct mu_snapshot *item;
	size_t count;
	uint8_t *values;	/* what their offsets name, from IMAGE_OUTSIDE on */
	uint64_t values_size;
	uint64_t moved;		/* bytes allocated and freed while values were added up: each is
				 * exact to within so many; 0: all of one moment */
	bool has_places;	/* call stacks are recorded at all */
	uint64_t left_out;	/* snapshots without which the values have no more than 512 MiB */
};

/* live_snapshot_take -- a snapshot of now.
 *
 * detailed  with the values of all sites, if there are call stacks. The process adds the values up
 *           itself if they are few (0.4 ms at most); else we do, while it goes on or, if it is
 *           idle, while nothing happens. Returns 0, or -1 with ERR. live_snapshot_free() it.
 */
int live_snapshot_take(struct live_snapshots *s, struct live *l, bool detailed,
		       struct mu_error *err);

/* live_snapshot_copy_one -- a snapshot that the image holds, as a detailed one. As above. */
int live_snapshot_copy_one(struct live_snapshots *s, const struct live *l,
			   const struct mu_snapshot *one, struct mu_error *err);

/* live_snapshot_copy_all -- all snapshots that the process has taken so far. As above. */
int live_snapshot_copy_all(struct live_snapshots *s, struct live *l, struct mu_error *err);

/* live_snapshot_save -- write what memusageprint needs to make a report of them.
 *
 * fd   of an empty file.
 * pid  of the process, for messages and names.
 * Returns 0, or -1 with ERR: also if the process has ended meanwhile.
 */
int live_snapshot_save(const struct live_snapshots *s, const struct live *l, pid_t pid, int fd,
		       struct mu_error *err);

/* live_snapshot_free -- release everything. Fine for a zeroed struct, and twice. */
void live_snapshot_free(struct live_snapshots *s);

#endif
