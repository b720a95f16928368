/* slop.h -- bytes that Massif's books charge a block with beyond its size.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RECORDING_SLOP_H
#define RECORDING_SLOP_H

#include <stdint.h>

/* mu_slop -- bytes that Valgrind's allocator would add to a block of this size.
 *
 * Not the real allocator's: Massif's figures are those of its own. Source: docs/compat.md.
 */
static inline uint64_t mu_slop(uint64_t size)
{
	uint64_t rounded = (size + 15) & -UINT64_C(16);

	if (__builtin_expect(rounded + 64 > UINT64_C(4194304), 0))
		rounded = ((rounded + 64 + 4095) & -UINT64_C(4096)) - 64;
	return rounded - size;
}

#endif
