/* slop.h -- Bytes that Massif counts for a block beyond its size ("slop" is Valgrind's word).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* mu_slop -- Returns the bytes that Valgrind's allocator would add to a block of this size.
 *
 * The real allocator adds others: Massif's figures are those of its own. Source: docs/compat.md.
 */
static inline uint64_t mu_slop(uint64_t size)
{
	uint64_t rounded = (size + 15) & -UINT64_C(16);

	if (__builtin_expect(rounded + 64 > UINT64_C(4194304), 0))
		rounded = ((rounded + 64 + 4095) & -UINT64_C(4096)) - 64;
	return rounded - size;
}
