/* recorder_mapping.c -- the ranges of tracked mappings agree with a map of pages.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/mapping.h"
#include "tests/lib/recorder.h"

enum { PAGES = 3000 };

#define BASE UINT64_C(0x7f8000000000)

/* Tracked bytes of each page, from its start. */
static unsigned int page[PAGES];

static int64_t model_remove(uint64_t first, uint64_t length)
{
	int64_t change = 0;

	for (uint64_t i = first; i < first + (length + MU_PAGE - 1) / MU_PAGE; i++) {
		change -= page[i];
		page[i] = 0;
	}
	return change;
}

static int64_t model_add(uint64_t first, uint64_t length)
{
	int64_t change = model_remove(first, length);

	for (uint64_t i = first; length; i++) {
		page[i] = length < MU_PAGE ? (unsigned int)length : MU_PAGE;
		length -= page[i];
		change += page[i];
	}
	return change;
}

/* Sorted, disjoint, and page by page what the model says. */
static uint64_t differences(void)
{
	const struct mu_table *table = &rec.image->table[MU_SEC_MAPPINGS];
	const struct mu_mapping *range = arena_at(table->extent[0]);
	static unsigned int seen[PAGES];
	uint64_t wrong = 0, last = 0;

	memset(seen, 0, sizeof(seen));
	for (uint64_t i = 0; i < table->count; i++) {
		wrong += range[i].start < last || range[i].end <= range[i].start;
		last = range[i].end;
		for (uint64_t at = range[i].start; at < range[i].end; at += MU_PAGE)
			seen[(at - BASE) / MU_PAGE] = (unsigned int)(range[i].end - at < MU_PAGE ?
									     range[i].end - at :
									     MU_PAGE);
	}
	for (int i = 0; i < PAGES; i++)
		wrong += seen[i] != page[i];
	return wrong;
}

static void at_random(int operations, uint64_t longest)
{
	uint64_t random = longest, wrong = 0, different = 0;
	int64_t heap = 0, lowest = 0;

	recorder_image(UINT64_C(64) << 20, MU_CFG_MMAP);
	memset(page, 0, sizeof(page));
	for (int i = 0; i < operations; i++) {
		uint64_t first = test_random(&random) % (PAGES - longest);
		uint64_t length = 1 + test_random(&random) % (longest * MU_PAGE - 1);
		int64_t want, got;
		if (test_random(&random) % 2)
			length = (length + MU_PAGE - 1) & -(uint64_t)MU_PAGE;
		if (test_random(&random) % 5 < 3) {
			want = model_add(first, length);
			got = mapping_add(BASE + first * MU_PAGE, length);
		} else {
			want = model_remove(first, length);
			got = mapping_remove(BASE + first * MU_PAGE, length);
		}
		wrong += got != want;
		heap += got;
		lowest = heap < lowest ? heap : lowest;
		if (i % 100 == 0)
			different += differences();
	}
	EQ_U(wrong, 0);
	EQ_U(different, 0);
	EQ_I(lowest, 0);
	EQ_I(mapping_remove(BASE, (uint64_t)PAGES * MU_PAGE), -heap);
	EQ_U(rec.image->table[MU_SEC_MAPPINGS].count, 0);
	EQ_U(rec.image->drops.mappings, 0);
}

/* Without room for more ranges nothing is wrong, only less. */
static void no_room(void)
{
	int64_t heap = 0;

	recorder_image(UINT64_C(256) << 10, MU_CFG_MMAP);
	for (uint64_t i = 0; i < 100000; i++)
		heap += mapping_add(BASE + i * 2 * MU_PAGE, MU_PAGE);
	IS_TRUE(rec.image->drops.mappings > 0);
	EQ_I(mapping_remove(BASE, UINT64_C(200000) * MU_PAGE), -heap);
	EQ_I(mapping_remove(0, UINT64_C(1) << 46), 0);
}

int main(void)
{
	at_random(30000, 4);
	at_random(10000, 60);
	at_random(2000, 1000);
	no_room();
	return done_testing();
}
