/* merge_process.h -- A process of a merge, which is one image of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/read/image_end.h"

enum { MERGE_RANK_NONE = -1 };

/* Bytes are the process's own: without those that a forked child got from its parent, if the
 * recording tells them apart. Times are CLOCK_REALTIME. */
struct merge_process {
	uint32_t source, slot;	/* the recording, and the image in it */
	pid_t pid;
	int32_t rank;		/* of MPI; MERGE_RANK_NONE */
	uint32_t host, name;	/* numbers of texts; 0: unknown */
	bool is_forked;		/* began as a copy of its parent */
	bool has_fork_cells;	/* ... whose own memory is known */
	bool is_exec;		/* it executed another program, so that what it held is gone */
	struct image_end end;
	uint64_t start_ns, end_ns;	/* end_ns is UINT64_MAX if it still ran */
	int64_t peak, live;
	uint64_t calls;
	int64_t at_peak;	/* when the sum was largest */
	bool was_there;		/* ... and it ran then */
};
