/* heap.h -- malloc and its kin, for functions to which their first bytes jump.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libmemusage/event/event.h"
#include "libmemusage/tables/sample_filter.h"

/* rest_of_malloc, rest_of_calloc, rest_of_realloc, rest_of_free -- do what the functions would do.
 *
 * The last thing that their caller does, so that no frame of it is in a stack. As libc's.
 */
void *rest_of_malloc(size_t size);
void *rest_of_calloc(size_t count, size_t size);
void *rest_of_realloc(void *block, size_t size);
void rest_of_free(void *block);

/* free_passes_samples -- return whether a block to be freed is no sampled one, and count the call.
 *
 * Also in a pause, in which the call does not count. Without --sample false. Async-signal-safe.
 */
INLINE bool free_passes_samples(const void *block)
{
	if (unlikely(!gate_follows_samples()) ||
	    unlikely(sample_filter_may_have((uint64_t)block)))
		return false;
	if (likely(gate_samples()))
		self->pub.counters.calls[MU_FN_FREE]++;
	return true;
}
