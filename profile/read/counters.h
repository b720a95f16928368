/* counters.h -- the sums of one image: what the table of a summary shows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "profile/read/image.h"
#include "recording/recording.h"

/* Sums over all threads, the retired ones too. Bytes as in docs/format.md, section 3. */
struct counters {
	uint64_t calls[MU_FN_COUNT];
	uint64_t bytes[MU_FN_COUNT];
	uint64_t failed[MU_FN_COUNT];
	uint64_t realloc_nomove;
	uint64_t realloc_dec;
	uint64_t realloc_free;
	uint64_t mremap_nomove;
	uint64_t mremap_dec;
	uint64_t unknown_frees;
	uint64_t nested;
	uint64_t hist[MU_HIST_BUCKETS];	/* bucket i: sizes 16 i to 16 i + 15 */
	uint64_t hist_large;		/* sizes of 64 KiB and more */
	uint64_t requests;		/* client requests */
	uint64_t request_errors;
	uint64_t request_nested;
	uint64_t paused_calls;		/* allocations while recording was paused */
	uint64_t paused_bytes;
};

/* counters_add -- add the counters of all threads of an image to C.
 *
 * c   zeroed by the caller, or the sum of other images.
 * im  may be live: each number is then one the program really had, but not all of one moment.
 */
void counters_add(struct counters *c, const struct image *im);

/* counters_join -- add the sums of other images to C. */
void counters_join(struct counters *c, const struct counters *from);

/* counters_heap_total -- bytes ever asked for: everything but free and munmap. */
uint64_t counters_heap_total(const struct counters *c);

/* counters_calls -- calls of all functions. */
uint64_t counters_calls(const struct counters *c);
