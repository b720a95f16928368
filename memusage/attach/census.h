/* census.h -- The blocks of a process that nothing records: how many, how large, of which classes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/allocator/glibc_heap.h"
#include "profile/base/error.h"

/* Sizes to 1 KiB in steps of 16 bytes, as malloc has them, then one to each power of two. */
enum { CENSUS_SIZES = 64 + 40 };

struct census_size {
	uint64_t most;		/* usable bytes of the largest block of this size */
	struct heap_count used, free;
};

struct census_class {
	uint64_t table;		/* of its virtual functions; 0 after several were put together */
	char *name;		/* for people */
	struct heap_count used;
};

struct census {
	unsigned int release;	/* of glibc: 36 for 2.36 */
	struct glibc_heap heap;
	struct census_size size[CENSUS_SIZES];
	struct census_class *class; /* by bytes, most first */
	uint32_t classes, class_room;
	uint32_t threads;
	uint64_t pause_ns;	/* that the process stood still, at the last try */
	unsigned int tries;
};

/* census_take -- Stops a process, reads its blocks, and lets it go on.
 *
 * c  overwritten; census_free() releases it.
 * Nothing is written into the process, and it notices nothing.
 * Returns 0, or -1 with ERR: the reason, and what to do.
 */
int census_take(struct census *c, pid_t pid, struct mu_error *err);

/* census_free -- Releases everything. Accepts a zeroed struct. */
void census_free(struct census *c);
