/* lifetimes.h -- Lifetimes of blocks; docs/format.md, section 7.
 *
 * Part of recording.h, with the same rules.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* Freed blocks by lifetime, in ticks (milliseconds) of mu_segment.tick: 0, 1, 2 to 3, 4 to 7, ...;
 * the last class has no end. A block that realloc changed is another block. Each thread has its
 * own; the sum counts. */
#define MU_LIFETIME_CLASSES 31u
struct mu_lifetimes {
	uint64_t next; /* offset of the next thread's, 0 none */
	uint64_t blocks[MU_LIFETIME_CLASSES];
};

/* mu_lifetime_class -- Returns the class of a lifetime in ticks. */
static inline unsigned int mu_lifetime_class(uint64_t age)
{
	unsigned int class = age ? 64 - (unsigned int)__builtin_clzll(age) : 0;

	return class < MU_LIFETIME_CLASSES ? class : MU_LIFETIME_CLASSES - 1;
}
