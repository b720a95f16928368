/* lifetimes.h -- how long blocks lived; docs/format.md, section 7.
 *
 * Part of recording.h, with the same rules.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RECORDING_LIFETIMES_H
#define RECORDING_LIFETIMES_H

#include <stdint.h>

/* How long blocks lived that are gone: how often mu_segment.tick (milliseconds) moved meanwhile,
 * not at all, 1, 2 to 3, 4 to 7 times, ...; the last class has no end. What realloc changed is
 * another block. Threads have their own, which are to be added up. */
#define MU_LIFETIME_CLASSES 31u
struct mu_lifetimes {
	uint64_t next; /* offset of the next thread's, 0 none */
	uint64_t blocks[MU_LIFETIME_CLASSES];
};

/* mu_lifetime_class -- where a block counts that has lived for so many ticks. */
static inline unsigned int mu_lifetime_class(uint64_t age)
{
	unsigned int class = age ? 64 - (unsigned int)__builtin_clzll(age) : 0;

	return class < MU_LIFETIME_CLASSES ? class : MU_LIFETIME_CLASSES - 1;
}

#endif
