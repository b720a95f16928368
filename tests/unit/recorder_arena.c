/* recorder_arena.c -- memory of an image: aligned, zeroed, dense, and refused when it is full.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>

#include "libmemusage/image/arena.h"
#include "tests/lib/recorder.h"

static bool is_zero(const unsigned char *at, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (at[i])
			return false;
	return true;
}

static void allocate(void)
{
	uint64_t random = 3, last = 0, wrong = 0, dirty = 0, unbacked = 0;

	recorder_image(UINT64_C(64) << 20, 0);
	for (int i = 0; i < 2000; i++) {
		uint64_t align = UINT64_C(1) << test_random(&random) % 13;
		uint64_t size = test_random(&random) % 20000;
		uint64_t offset = arena_alloc(size, align);
		wrong += !offset || offset % align || offset < last;
		dirty += !is_zero(arena_at(offset), size);
		memset(arena_at(offset), 0xff, size);
		last = offset + size;
		unbacked += rec.image->populated < last;
	}
	EQ_U(wrong, 0);
	EQ_U(dirty, 0);
	EQ_U(unbacked, 0);
	EQ_U(rec.image->used, last);
	IN_U(rec.image->populated, last, last + (2 << 20));
}

/* Logs grow down from the top, the rest up from the bottom, until they meet. */
static void fill(void)
{
	uint64_t capacity = UINT64_C(8) << 20, low = 0, top = capacity, wrong = 0;

	recorder_image(capacity, 0);
	for (;;) {
		uint64_t offset = arena_alloc(10000, 64);
		uint64_t log = arena_alloc_log(5000);
		if (!offset || !log)
			break;
		wrong += log % MU_PAGE || log + 8192 != top || offset < low;
		memset(arena_at(offset), 1, 10000);
		memset(arena_at(log), 2, 5000);
		low = offset + 10000;
		top = log;
	}
	EQ_U(wrong, 0);
	IN_U(top - low, 0, 40000);
	IS_TRUE(rec.image->notes & MU_NOTE_ARENA_FULL);
	uint64_t used = rec.image->used;
	EQ_U(arena_alloc(UINT64_C(1) << 30, 64), 0);
	EQ_U(arena_alloc_log(UINT64_C(1) << 30), 0);
	EQ_U(arena_alloc(UINT64_MAX - 100, 64), 0);
	EQ_U(rec.image->used, used);
}

/* Entries never move, and lie where docs/format.md says. */
static void tables(void)
{
	uint64_t wrong = 0, moved = 0, *first[5000];

	recorder_image(UINT64_C(64) << 20, 0);
	struct mu_table *table = arena_table_init(MU_SEC_MARKS, 40, 3);
	IS_TRUE(rec.image->features & MU_FEATURE(MU_SEC_MARKS));
	for (uint64_t i = 0; i < 5000; i++) {
		first[i] = arena_table_at(table, i);
		unsigned int k = 63 - (unsigned int)__builtin_clzll((i >> 3) + 1);
		uint64_t index = i - (((UINT64_C(1) << k) - 1) << 3);
		wrong += !first[i] || first[i] != arena_at(table->extent[k] + index * 40);
		*first[i] = i;
		table->count = i + 1;
	}
	for (uint64_t i = 0; i < 5000; i++)
		moved += arena_table_at(table, i) != first[i] || *first[i] != i;
	EQ_U(wrong, 0);
	EQ_U(moved, 0);
	IS_NULL(arena_table_at(table, UINT64_C(1) << 40));
}

static void strings(void)
{
	recorder_image(UINT64_C(1) << 20, 0);
	struct mu_string whole = arena_string("a\0b", 3, 100);
	struct mu_string cut = arena_string("0123456789", 10, 4);
	struct mu_string none = arena_string("", 0, 100);

	EQ_U(whole.length, 3);
	EQ_MEM(arena_at(whole.offset), "a\0b", 3);
	EQ_U(whole.flags, 0);
	EQ_U(cut.length, 4);
	EQ_MEM(arena_at(cut.offset), "0123", 4);
	EQ_U(cut.flags, MU_STRING_CUT);
	EQ_U(none.length, 0);
}

static void *take(void *result)
{
	uint64_t *offset = result;

	for (int i = 0; i < 20000; i++) {
		offset[i] = arena_alloc(64, 64);
		if (offset[i])
			memset(arena_at(offset[i]), 0xee, 64);
	}
	return NULL;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void threads(void)
{
	static uint64_t offset[4][20000];
	uint64_t *all = offset[0];
	pthread_t id[4];
	uint64_t twice = 0;

	recorder_image(UINT64_C(64) << 20, 0);
	for (int i = 0; i < 4; i++)
		pthread_create(&id[i], NULL, take, offset[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(id[i], NULL);
	qsort(all, 80000, sizeof(*all), by_value);
	for (int i = 1; i < 80000; i++)
		twice += all[i] - all[i - 1] < 64;
	EQ_U(twice, 0);
	IS_TRUE(all[0] != 0);
}

int main(void)
{
	allocate();
	fill();
	tables();
	strings();
	threads();
	return done_testing();
}
