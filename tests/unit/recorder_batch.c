/* recorder_batch.c -- frees that wait are booked once each, also if a signal handler leaves the
 * booking by longjmp; and a knock is not lost over it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/event/batch.h"

#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

#include "libmemusage/tables/sites.h"
#include "tests/lib/recorder.h"

#define CELL (UINT64_C(8) << 20) /* offset of a page for site 1's cell */

static sigjmp_buf left;

static void leave(int number)
{
	siglongjmp(left, number);
}

static struct mu_cell *cell_of_site_1(void)
{
	return arena_at((CELL / sizeof(struct mu_cell) + 1) * sizeof(struct mu_cell));
}

/* Three frees wait, of 100, 200 and 300 bytes; site 1 has the second one. */
static void begin(void)
{
	recorder_image(UINT64_C(64) << 20, MU_CFG_STACKS);
	rec.image->heap.now = rec.image->heap.peak = 10000;
	rec.image->heap.extra = 500;
	rec.image->heap.clock = 0;
	sites_cell(self, 0)->live_blocks = 10;
	if (self->cell_sites < 2) {
		OK(false, "cells have room for site 1");
		exit(done_testing());
	}
	self->cell_of[1] = CELL / sizeof(struct mu_cell) + 1;
	cell_of_site_1()->live_blocks = 10;
	self->batch = (struct mu_batch){ .count = 3 };
	for (uint32_t i = 0; i < 3; i++)
		self->batch.free[i] = (struct mu_batch_free){ .size = 100 * (i + 1),
							      .site = i == 1 };
	self->batch_limit = MU_BATCH;
}

static void all_booked(void)
{
	EQ_I(sites_cell(self, 0)->live_blocks, 8);
	EQ_I(cell_of_site_1()->live_blocks, 9);
	EQ_I(sites_cell(self, 0)->live_bytes, -400);
	EQ_I(cell_of_site_1()->live_bytes, -200);
	EQ_I(rec.image->heap.now, 9400);
	EQ_I(rec.image->heap.extra, 500 - 12 - 8 - 4);
	EQ_U(rec.image->heap.clock, 624);
	EQ_U(self->pub.counters.calls[MU_FN_FREE], 3);
	EQ_U(self->pub.counters.bytes[MU_FN_FREE], 600);
	EQ_U(self->batch.count, 0);
	EQ_U(self->batch.done, 0);
	EQ_U(self->batch.counters, 0);
	EQ_U(self->batch.in_cell, 0);
	EQ_U(self->batch_limit, 0);
}

static void at_once(void)
{
	begin();
	batch_end(self);
	all_booked();
}

/* The second cell cannot be written to: a handler leaves from there. */
static void left_for_good(void)
{
	uint8_t *page;

	begin();
	page = (uint8_t *)((uintptr_t)cell_of_site_1() & -(uintptr_t)MU_PAGE);
	signal(SIGSEGV, leave);
	mprotect(page, 2 * MU_PAGE, PROT_READ);
	if (sigsetjmp(left, 1) == 0) {
		batch_end(self);
		OK(false, "left by a signal");
	}
	mprotect(page, 2 * MU_PAGE, PROT_READ | PROT_WRITE);
	signal(SIGSEGV, SIG_DFL);
	EQ_U(self->batch.done, 1);
	EQ_U(self->batch.in_cell, 2);
	batch_end(self);
	all_booked();
}

static void knocked(void)
{
	begin();
	self->pub.busy = MU_BUSY_REQUEST;
	batch_close(self);
	all_booked();
	EQ_U(self->pub.busy, MU_BUSY_REQUEST);
	begin();
	batch_close(self);
	EQ_U(self->pub.busy, 0);
	begin();
	self->pub.busy = 1;
	batch_close(self);
	EQ_U(self->batch.count, 3);
	self->pub.busy = 0;
}

int main(void)
{
	at_once();
	left_for_good();
	knocked();
	return done_testing();
}
