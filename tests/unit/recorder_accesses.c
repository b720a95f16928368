/* recorder_accesses.c -- every address inside a block finds it, no other does; what is counted is
 * the sum of what was counted; the rules for counts of bytes hold.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/hooks/access_count.h"
#include "libmemusage/tables/accesses.h"
#include "tests/lib/recorder.h"

enum { SLOTS = 3000, STEPS = 200000, SITES = 50 };

/* Blocks lie in slots that never overlap, as a heap's would, of 16 bytes to 64 KiB. */
static struct {
	uint64_t start, room, size;
	uint32_t site;
	bool is_live;
} slot[SLOTS];

static void make_slots(uint64_t *random)
{
	uint64_t at = UINT64_C(0x7f0000000000) + 8;

	for (int i = 0; i < SLOTS; i++) {
		slot[i].start = at;
		slot[i].room = 16 << test_random(random) % 13;
		at += slot[i].room + test_random(random) % 5 * 8;
		if (i % 500 == 0)
			at += UINT64_C(1) << (25 + i / 500 * 2); /* other leaves */
	}
}

static uint64_t wrong_found(int i)
{
	uint64_t first = slot[i].start, last = first + slot[i].size - 1, wrong = 0;
	uint64_t inside[] = { first, last, first + slot[i].size / 2 };

	for (int k = 0; k < 3; k++) {
		const struct tracked *block = accesses_find(inside[k]);
		if (slot[i].is_live)
			wrong += !block || block->start != first || block->site != slot[i].site;
		else
			wrong += block != NULL;
	}
	wrong += accesses_find(first + slot[i].room) == accesses_find(first) && slot[i].is_live;
	return wrong;
}

static void model(void)
{
	uint64_t random = 7, wrong = 0;
	struct access_own *own = &self->access;

	recorder_image(UINT64_C(64) << 20, MU_CFG_STACKS | MU_CFG_ACCESSES);
	own = &self->access;
	make_slots(&random);
	for (int step = 0; step < STEPS; step++) {
		int i = (int)(test_random(&random) % SLOTS);
		if (slot[i].is_live) {
			accesses_died(own, slot[i].start);
		} else {
			slot[i].size = 1 + test_random(&random) % slot[i].room;
			slot[i].site = 1 + (uint32_t)(test_random(&random) % SITES);
			accesses_born(own, slot[i].start, slot[i].size, slot[i].site);
		}
		slot[i].is_live = !slot[i].is_live;
		wrong += wrong_found(i);
		if (step % 20000 == 0)
			for (int k = 0; k < SLOTS; k++)
				wrong += slot[k].size ? wrong_found(k) : 0;
	}
	EQ_U(wrong, 0);
	EQ_U(rec.image->drops.accesses, 0);
	EQ_U(accesses_find(0) != NULL, 0);
	EQ_U(accesses_find(UINT64_MAX) != NULL, 0);
	EQ_U(accesses_find(UINT64_C(1) << 47) != NULL, 0);
}

static void touch(uint64_t address, uint64_t size, bool is_write)
{
	const struct tracked *block = accesses_find(address);

	if (!block)
		return;
	if (is_write)
		accesses_count(&self->access, block, address, size, true);
	else
		accesses_count(&self->access, block, address, size, false);
}

static const struct mu_access *cell(uint32_t site)
{
	return accesses_cell(&self->access, site);
}

static uint16_t count_at(uint32_t site, unsigned int i)
{
	const struct mu_access *c = cell(site);

	return c->counts ? ((const uint16_t *)arena_at(c->counts))[i] : 0;
}

static void sums(void)
{
	uint64_t a = UINT64_C(0x7f8000001000), b = a + 64, size;
	struct access_own *own;

	recorder_image(UINT64_C(64) << 20, MU_CFG_STACKS | MU_CFG_ACCESSES);
	own = &self->access;
	accesses_born(own, a, 20, 1);
	accesses_born(own, b, 20, 1);
	for (int i = 0; i < 70000; i++)
		touch(a, 8, false);
	touch(b + 8, 4, true);
	touch(b + 16, 8, true); /* beyond the end: counts by where it begins */
	touch(b + 17, 1, false);
	touch(a + 20, 4, true); /* between blocks */
	EQ_U(cell(1)->read_bytes, 560001);
	EQ_U(cell(1)->written_bytes, 12);
	EQ_U(cell(1)->state, MU_ACCESS_EXACT);
	EQ_U(cell(1)->length, 20);
	EQ_U(count_at(1, 0), 65535);
	EQ_U(count_at(1, 7), 65535);
	EQ_U(count_at(1, 8), 1);
	EQ_U(count_at(1, 16), 1);
	EQ_U(count_at(1, 17), 2);
	EQ_U(count_at(1, 19), 1);
	accesses_died(own, a);
	accesses_died(own, b);
	accesses_born(own, a, 21, 1);
	EQ_U(cell(1)->state, MU_ACCESS_MIXED);
	/* An empty block has one byte. */
	accesses_born(own, b, 0, 2);
	touch(b, 1, true);
	EQ_U(count_at(2, 0), 1);
	accesses_copied(own, 1, 3, 100);
	EQ_U(cell(1)->read_bytes, 560101);
	EQ_U(cell(3)->written_bytes, 100);
	EQ_U(accesses_request(own, b + 5000, &size), ACCESS_REQUEST_UNKNOWN);
	EQ_U(accesses_request(own, b, &size), ACCESS_REQUEST_TOO_SMALL);
}

static void requests(void)
{
	uint64_t a = UINT64_C(0x7f9000001000), size;
	struct access_own *own;

	recorder_image(UINT64_C(64) << 20, MU_CFG_STACKS | MU_CFG_ACCESSES);
	own = &self->access;
	accesses_born(own, a, 25600, 1);
	accesses_born(own, a + 100000, 25601, 2);
	touch(a + 9, 8, true);
	EQ_U(cell(1)->counts, 0);
	EQ_U(accesses_request(own, a + 25599, &size), ACCESS_REQUEST_DONE);
	EQ_U(size, 25600);
	touch(a + 9, 8, true);
	touch(a + 25599, 8, false);
	EQ_U(count_at(1, 8), 0);
	EQ_U(count_at(1, 9), 1);
	EQ_U(count_at(1, 25599), 1);
	EQ_U(cell(1)->written_bytes, 16);
	EQ_U(accesses_request(own, a + 100000, &size), ACCESS_REQUEST_TOO_LARGE);
}

/* What a handler touches waits until the recorder is through. */
static void deferred(void)
{
	uint64_t a = UINT64_C(0x7fa000001000);
	struct access_own *own;

	recorder_image(UINT64_C(64) << 20, MU_CFG_STACKS | MU_CFG_ACCESSES);
	own = &self->access;
	accesses_born(own, a, 16, 1);
	for (unsigned int i = 0; i < ACCESS_QUEUE + 10; i++)
		accesses_defer(own, a + 8, 4, i % 2);
	EQ_U(cell(1)->read_bytes, 0);
	accesses_flush(own);
	EQ_U(cell(1)->read_bytes + cell(1)->written_bytes, 4 * ACCESS_QUEUE);
	EQ_U(count_at(1, 8), ACCESS_QUEUE);
	EQ_U(rec.image->drops.accesses, 10);
	accesses_defer(own, a, 8, true);
	accesses_died(own, a);
	EQ_U(count_at(1, 0), 1);
}

int main(void)
{
	model();
	sums();
	requests();
	deferred();
	return done_testing();
}
