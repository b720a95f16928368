/* profile_lost_watch.c -- what becomes of blocks that checks called lost, against lists that are kept
 * in the simplest way.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/graph/lost_watch.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lib/tap.h"

enum { BASE = 0x10000, SLOTS = 60, SITES = 4, ROUNDS = 400 };

/* Room for a block: its birth is 0 if there is none. `called` is the birth that was called lost. */
static struct slot {
	uint64_t size;
	uint32_t birth, called;
	uint64_t called_size;
	uint8_t kind;
} slot[SLOTS];

static struct { uint64_t called, freed, found; } want[SITES];

static uint32_t seed = 7;

static uint32_t next_random(uint32_t below)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % below;
}

static uint32_t site_of(int i)
{
	return (uint32_t)i % SITES;
}

/* Blocks come, go, change their size and their kind. */
static void change_slots(uint32_t birth)
{
	for (int i = 0; i < SLOTS; i++) {
		const uint32_t what = next_random(8);

		if (what == 0 || !slot[i].birth)
			slot[i].birth = what < 4 ? birth : 0;
		else if (what == 1)
			slot[i].size = next_random(3);
		slot[i].kind = (uint8_t)next_random(LEAK_KINDS);
	}
}

/* What the check is to say: of blocks that earlier ones called lost. */
static void judge_slots(void)
{
	for (int i = 0; i < SITES; i++)
		want[i].found = 0;
	for (int i = 0; i < SLOTS; i++) {
		const bool is_there = slot[i].birth == slot[i].called &&
				      slot[i].size == slot[i].called_size;

		if (slot[i].called && !is_there) {
			want[site_of(i)].freed++;
			slot[i].called = 0;
		}
		want[site_of(i)].found += slot[i].called && slot[i].kind < LEAK_INDIRECT;
	}
}

static void call_lost(void)
{
	for (int i = 0; i < SLOTS; i++) {
		if (!slot[i].birth || slot[i].called || slot[i].kind < LEAK_INDIRECT)
			continue;
		slot[i].called = slot[i].birth;
		slot[i].called_size = slot[i].size;
		want[site_of(i)].called++;
	}
}

static uint64_t blocks_told(const struct mu_loss *loss, size_t count, uint32_t site, uint16_t kind)
{
	for (size_t i = 0; i < count; i++) {
		if (loss[i].site == site && loss[i].kind == kind)
			return loss[i].blocks;
	}
	return 0;
}

static unsigned int count_wrong(const struct mu_loss *loss, size_t count)
{
	unsigned int wrong = 0;

	for (uint32_t i = 0; i < SITES; i++) {
		wrong += blocks_told(loss, count, i, MU_LOSS_CALLED) != want[i].called;
		wrong += blocks_told(loss, count, i, MU_LOSS_FREED) != want[i].freed;
		wrong += blocks_told(loss, count, i, MU_LOSS_FOUND) != want[i].found;
	}
	for (size_t i = 1; i < count; i++)
		wrong += loss[i].site < loss[i - 1].site ||
			 (loss[i].site == loss[i - 1].site && loss[i].kind <= loss[i - 1].kind);
	return wrong;
}

static struct lost_watch *check_slots(struct lost_watch *before, unsigned int *wrong)
{
	static struct mu_loss loss[SITES * MU_LOSS_EARLIER_KINDS];
	struct block_set set = { .count = 0 };
	uint8_t kind[SLOTS];
	struct leak_marks marks = { .kind = kind };
	struct lost_watch *now;

	for (int i = 0; i < SLOTS; i++) {
		const struct heap_block b = { .start = BASE + 64 * (uint64_t)i,
					      .size = slot[i].size, .site = site_of(i),
					      .birth = slot[i].birth };

		if (slot[i].birth) {
			kind[set.count] = slot[i].kind;
			block_set_add(&set, &b);
		}
	}
	block_set_finish(&set);
	now = lost_watch_next(before, &set, &marks);
	if (before)
		*wrong += count_wrong(loss, lost_watch_tell(loss, before, now, &set, &marks));
	*wrong += !lost_watch_is_valid(now, now->bytes);
	block_set_free(&set);
	free(before);
	return now;
}

static void test_rounds(void)
{
	struct lost_watch *watch = NULL;
	unsigned int wrong = 0;

	for (uint32_t round = 1; round <= ROUNDS; round++) {
		change_slots(round);
		judge_slots();
		watch = check_slots(watch, &wrong);
		call_lost();
	}
	EQ_U(wrong, 0);
	IS_TRUE(want[0].freed > 100);
	free(watch);
}

/* Another process may have written it. */
static void test_damage(void)
{
	struct lost_watch *w = calloc(1, sizeof(*w) + sizeof(struct lost_sum));

	w->bytes = sizeof(*w);
	IS_TRUE(lost_watch_is_valid(w, sizeof(*w)));
	IS_FALSE(lost_watch_is_valid(w, sizeof(*w) - 1));
	w->sums = 1;
	IS_FALSE(lost_watch_is_valid(w, sizeof(*w)));
	w->bytes += sizeof(struct lost_sum);
	IS_TRUE(lost_watch_is_valid(w, w->bytes));
	w->sums = UINT64_MAX / 8;
	IS_FALSE(lost_watch_is_valid(w, w->bytes));
	w->sums = 1;
	w->blocks = UINT64_MAX / 24 + 1;
	IS_FALSE(lost_watch_is_valid(w, w->bytes));
	free(w);
}

int main(void)
{
	test_rounds();
	test_damage();
	return done_testing();
}
