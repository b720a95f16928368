/* timeline.h -- Samples of the memory of a process in a recording; docs/format.md, section 8.
 *
 * Part of recording.h, with the same rules.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* One look at the memory of the process as the kernel sees it. Bytes. */
struct mu_sample {
	uint64_t mono_ns;
	int64_t heap;	    /* live blocks and tracked mappings */
	int64_t stack;	    /* pages that the stacks of living threads have touched */
	uint64_t rss_anon;  /* resident: private memory ... */
	uint64_t rss_file;  /* ... pages of files ... */
	uint64_t rss_shmem; /* ... shared memory, the recording included */
	uint64_t swap;	    /* private memory that is swapped out */
	uint64_t recorder;  /* of rss_shmem: the recorder's own pages */
	uint64_t events;    /* calls that were counted so far */
	uint64_t recorder_anon; /* of rss_anon: the recorder's own, at most */
	uint64_t mapped; /* by calls of mmap and mremap, less what munmap took; MU_CFG_MMAP */
};
