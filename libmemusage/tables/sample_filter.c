/* sample_filter.c -- which addresses may be those of sampled blocks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/sample_filter.h"

#include <string.h>

#include "libmemusage/base/real.h"

#define COUNT_MAX UINT8_MAX /* a place or page with so many is taken for ever */

struct sample_filter sample_filter;
static struct {
	uint8_t blocks_at[1 << SAMPLE_FILTER_LOG2];
	bool is_used;
} filter;

/* A release: the program hands the block to another thread after this. */
static void set_place_bit(uint32_t place, bool is_taken)
{
	uint64_t bit = UINT64_C(1) << (place % 64), word = sample_filter.bits[place / 64];

	__atomic_store_n(&sample_filter.bits[place / 64], is_taken ? word | bit : word & ~bit,
			 __ATOMIC_RELEASE);
}

static void change_page(uint64_t address, int change)
{
	uint8_t *count = &sample_filter.pages[sample_filter_page(address)];

	if (*count < COUNT_MAX && (*count || change > 0))
		__atomic_store_n(count, (uint8_t)(*count + change), __ATOMIC_RELEASE);
}

void sample_filter_add(uint64_t address)
{
	uint32_t place = sample_filter_place(address);

	filter.is_used = true;
	change_page(address, 1);
	if (filter.blocks_at[place] < COUNT_MAX && !filter.blocks_at[place]++)
		set_place_bit(place, true);
}

void sample_filter_remove(uint64_t address)
{
	uint32_t place = sample_filter_place(address);
	uint8_t *count = &filter.blocks_at[place];

	change_page(address, -1);
	if (*count && *count < COUNT_MAX && !--*count)
		set_place_bit(place, false);
}

static void enter_early_blocks(void)
{
	uint64_t size;
	uint64_t start = early_range(&size);

	for (uint64_t at = start; at < start + size; at += 16) {
		filter.blocks_at[sample_filter_place(at)] = COUNT_MAX;
		sample_filter.pages[sample_filter_page(at)] = COUNT_MAX;
		set_place_bit(sample_filter_place(at), true);
		filter.is_used = true;
	}
}

void sample_filter_clear(void)
{
	if (filter.is_used) {
		memset(&sample_filter, 0, sizeof(sample_filter));
		memset(filter.blocks_at, 0, sizeof(filter.blocks_at));
		filter.is_used = false;
	}
	enter_early_blocks();
}
