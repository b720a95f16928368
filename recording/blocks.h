/* blocks.h -- The table of live blocks in a recording; docs/format.md, section 5.
 *
 * Part of recording.h, with the same rules.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* region(address) = address >> 30 is looked up in an open-addressing table;
 * it leads to 512 leaf offsets (2 MiB each), a leaf to 512 page words, a page word to a
 * bucket of lines, the granule (8-byte offset in the page, 0..511) to line
 * granule * lines >> 9. */
#define MU_REGION_SHIFT 30
#define MU_LEAF_SHIFT 21
#define MU_GRANULE_SHIFT 3

struct mu_region {
	uint64_t key;	 /* (address >> MU_REGION_SHIFT) + 1, 0 empty */
	uint64_t leaves; /* offset of uint64_t[512]: offsets of leaves, 0 none */
};

struct mu_blocks {
	uint64_t regions; /* offset of struct mu_region[1 << n], with n in the low 6 bits */
	uint32_t region_count;
	uint32_t lock; /* for growing the directory */
	uint32_t form; /* enum mu_blocks_form */
	uint32_t reserved[11];
};
/* Lines are struct mu_line, or without call stacks struct mu_bare_line. */
enum mu_blocks_form { MU_BLOCKS_FULL = 0, MU_BLOCKS_BARE = 1 };
#define MU_REGIONS_OFFSET(word) ((word) & ~UINT64_C(63))
#define MU_REGIONS_LOG2(word) ((unsigned int)(word) & 63u)

/* Page word: bit 0 lock, bits 1-8 lines in the bucket, bits 9-63 address of the bucket / 64;
 * with MU_CFG_ACCESSES its offset / 64. */
#define MU_PAGE_LOCK UINT64_C(1)
#define MU_PAGE_LINES(word) ((unsigned int)((word) >> 1) & 0xffu)
#define MU_PAGE_BUCKET(word) (((word) >> 9) << 6)

/* tag: bit 0 used, bits 1-9 granule, bits 10-31 birth low.
 * size: bits 0-47 bytes, bits 48-63 birth high: a birth time of 38 bits in units of
 * docs/format.md, "Time of birth". */
struct mu_line {
	uint32_t tag[4];
	uint32_t site[4];
	uint64_t size[4];
};

/* Bit 0 used, bits 1-9 granule, bits 10-11 the highest two of a birth, bits 16-63 bytes. */
struct mu_bare_line {
	uint64_t record[8];
};
#define MU_BARE_BIRTH(record) (((record) >> 10 & 3) << 36)

/* Blocks that the program announced are in the same table under keys of their own, exact to a byte;
 * those inside other blocks have other keys. Bit 36 of a birth says that such blocks are inside. */
#define MU_KEY_ANNOUNCED UINT64_C(0x4000000000000000)
#define MU_KEY_NESTED UINT64_C(0x6000000000000000)
#define MU_KEY_SPACE UINT64_C(0x6000000000000000) /* the bits that tell the spaces apart */
#define MU_KEY_SHIFT 3
#define MU_BIRTH_OUTER (UINT64_C(1) << 36)
#define MU_BIRTH_TIME (MU_BIRTH_OUTER - 1)

/* A block that keeps more room than its size's usual rounding: bits 30-35 say how much more, in 16
 * bytes, if that is not 0, and only the low 30 bits are a time. */
#define MU_BIRTH_SLACK (UINT64_C(1) << 37)
#define MU_SLACK_SHIFT 30
#define MU_SLACK_UNITS 63u
#define MU_SLACK_TIME ((UINT64_C(1) << MU_SLACK_SHIFT) - 1)
#define MU_SLACK(birth) ((birth) & MU_BIRTH_SLACK ? \
	((birth) >> MU_SLACK_SHIFT & MU_SLACK_UNITS) * 16 : 0)

/* mu_age -- Returns the ticks since a birth. */
static inline uint64_t mu_age(uint64_t birth, uint64_t tick)
{
	return (tick - birth) & (birth & MU_BIRTH_SLACK ? MU_SLACK_TIME : MU_BIRTH_TIME);
}

_Static_assert(sizeof(struct mu_line) == 64, "mu_line must be a cache line");
_Static_assert(sizeof(struct mu_bare_line) == 64, "mu_bare_line must be a cache line");
_Static_assert(sizeof(struct mu_blocks) == 64, "mu_blocks is part of the format");
