/* sample_filter.c -- which addresses may be those of sampled blocks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/sample_filter.h"

#include <string.h>

#include "libmemusage/base/real.h"

#define PAGE_MOST UINT8_MAX /* a page with so many blocks is taken for ever */

struct sample_filter sample_filter;
static bool is_filter_used;

static unsigned int count_at(uint32_t place)
{
	return sample_filter.places[place / 2] >> (place % 2 * 4) & SAMPLE_PLACE_MOST;
}

/* A release: the program hands the block to another thread after this. */
static void set_count(uint32_t place, unsigned int count)
{
	unsigned int shift = place % 2 * 4;
	unsigned int other = sample_filter.places[place / 2] & ~(SAMPLE_PLACE_MOST << shift);

	__atomic_store_n(&sample_filter.places[place / 2], (uint8_t)(other | count << shift),
			 __ATOMIC_RELEASE);
}

static void change_page(uint64_t address, int change)
{
	uint8_t *count = &sample_filter.pages[sample_filter_page(address)];

	if (*count < PAGE_MOST && (*count || change > 0))
		__atomic_store_n(count, (uint8_t)(*count + change), __ATOMIC_RELEASE);
}

void sample_filter_add(uint64_t address)
{
	uint32_t place = sample_filter_place(address);

	is_filter_used = true;
	change_page(address, 1);
	if (count_at(place) < SAMPLE_PLACE_MOST)
		set_count(place, count_at(place) + 1);
}

void sample_filter_remove(uint64_t address)
{
	uint32_t place = sample_filter_place(address);

	change_page(address, -1);
	if (count_at(place) && count_at(place) < SAMPLE_PLACE_MOST)
		set_count(place, count_at(place) - 1);
}

static void enter_early_blocks(void)
{
	uint64_t size;
	uint64_t start = early_range(&size);

	for (uint64_t at = start; at < start + size; at += 16) {
		sample_filter.pages[sample_filter_page(at)] = PAGE_MOST;
		set_count(sample_filter_place(at), SAMPLE_PLACE_MOST);
		is_filter_used = true;
	}
}

void sample_filter_clear(void)
{
	if (is_filter_used) {
		memset(&sample_filter, 0, sizeof(sample_filter));
		is_filter_used = false;
	}
	enter_early_blocks();
}
