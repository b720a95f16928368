/* hooks.c -- the compilers' hooks, which count accesses.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/hooks/access_hook.h"
#include "libmemusage/hooks/copies.h"
#include "libmemusage/hooks/next.h"

/* Counts a range, and in copy mode the copies that a compiler makes inline. */
INLINE void count_range(const volatile void *place, uint64_t size, bool is_write)
{
	access_range(place, size, is_write);
	if (unlikely(copies.are_on))
		copies_range(size, is_write, (uint64_t)__builtin_return_address(0), hook_sp());
}

#define SHADOW_BYTES 96 /* of code from an atomic load to the hook of the load it left behind */

static __thread struct {
	const volatile void *place;
	uint64_t pc;
} last_atomic;

INLINE bool is_atomic_shadow(const void *place, uint64_t pc)
{
	if (likely(place != last_atomic.place))
		return false;
	last_atomic.place = NULL;
	return pc - last_atomic.pc < SHADOW_BYTES;
}

#define RETURN_PC ((uint64_t)__builtin_return_address(0))
#define SAW_ATOMIC_READ(address, size) \
	do { \
		access_hook(address, size, false); \
		last_atomic.place = (address); \
		last_atomic.pc = RETURN_PC; \
	} while (0)
#define SAW_ASAN_READ(address, size) \
	do { \
		if (!is_atomic_shadow(address, RETURN_PC)) \
			access_hook(address, size, false); \
	} while (0)
#define SAW_READ(address, size) access_hook(address, size, false)
#define SAW_WRITE(address, size) access_hook(address, size, true)
#define SAW_RANGE_READ(address, size) count_range(address, size, false)
#define SAW_RANGE_WRITE(address, size) count_range(address, size, true)

#include "libmemusage/hooks/entries.def"
