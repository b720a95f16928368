/* profile_batch.c -- frees that wait in an image count for its readers; nonsense does not.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/batch.h"

#include "profile/read/lifetimes.h"
#include "recording/blocks.h"
#include "tests/lib/fake_image.h"
#include "tests/lib/tap.h"

#define SLOT UINT64_C(2097152)

static struct fake f;
static struct image im;
static struct mu_batch *batch;
static struct mu_cell *cells;

/* Site 1 in two cells, 1000 bytes and 10 blocks in the first; two frees of it wait. */
static void begin(void)
{
	struct mu_image *head;
	struct mu_table *table;

	free(f.base);
	fake_segment(&f, MU_KIND_TREE, 1, SLOT);
	head = fake_image(&f, 0);
	table = &head->table[MU_SEC_CELLS];
	table->entry_size = sizeof(struct mu_cell);
	table->first_log2 = 6;
	table->count = 3;
	table->extent[0] = fake_alloc(&f, 0, sizeof(struct mu_cell) << 6);
	cells = fake_pointer(&f, 0, table->extent[0]);
	head->features |= MU_FEATURE(MU_SEC_CELLS);
	cells[0] = (struct mu_cell){ .site = 2, .live_bytes = 7, .live_blocks = 1, .epoch = 4 };
	cells[1] = (struct mu_cell){ .site = 1, .live_bytes = 1000, .live_blocks = 10, .epoch = 4,
				     .max_bytes = 900, .peak_bytes = 800, .peak_blocks = 8 };
	cells[2] = (struct mu_cell){ .site = 1, .live_bytes = 5, .live_blocks = 1, .epoch = 4 };
	head->heap = (struct mu_heap){ .now = 1012, .peak = 2000, .epoch = 4, .extra = 100,
				       .clock = 5000 };
	head->retired.calls[MU_FN_FREE] = 3;
	head->retired.bytes[MU_FN_FREE] = 300;
	head->lifetimes = fake_alloc(&f, 0, sizeof(struct mu_lifetimes));
	head->batch = fake_alloc(&f, 0, sizeof(struct mu_batch));
	batch = fake_pointer(&f, 0, head->batch);
	*batch = (struct mu_batch){ .count = 3, .done = 1, .tick = 50, .serial = 1, .admin = 8 };
	batch->free[0] = (struct mu_batch_free){ .size = 1 << 20, .site = 1 };
	batch->free[1] = (struct mu_batch_free){ .size = 100, .site = 1, .tag = 50 << 10 };
	batch->free[2] = (struct mu_batch_free){ .size = 32, .site = 1, .tag = 47 << 10 };
}

static void load(void)
{
	EQ_I(image_load(&im, fake_at(&f, 0), SLOT, NULL, NULL), 0);
}

static void booked(void)
{
	struct mu_cell cell;
	struct mu_lifetimes lives;

	begin();
	load();
	EQ_I(im.head.heap.now, 1012 - 132);
	EQ_I(im.head.heap.peak, 2000);
	EQ_I(im.head.heap.extra, 100 - (12 + 8) - 8);
	EQ_U(im.head.heap.clock, 5000 + 120 + 40);
	EQ_U(im.head.retired.calls[MU_FN_FREE], 5);
	EQ_U(im.head.retired.bytes[MU_FN_FREE], 432);
	OK(batch_cell(&im, 1, &cell), "cell 1");
	EQ_I(cell.live_bytes, 868);
	EQ_I(cell.live_blocks, 8);
	EQ_I(cell.life, 100);
	EQ_I(cell.max_bytes, 1000);
	EQ_I(cell.peak_bytes, 800);
	OK(batch_cell(&im, 2, &cell), "cell 2");
	EQ_I(cell.live_bytes, 5);
	OK(batch_cell(&im, 0, &cell), "cell 0");
	EQ_I(cell.live_bytes, 7);
	OK(!batch_cell(&im, 3, &cell), "there is no more");
	OK(lifetimes_of(&im, &lives), "lifetimes");
	EQ_U(lives.blocks[0], 1);
	EQ_U(lives.blocks[2], 1);
	EQ_I(cells[1].live_bytes, 1000);
}

/* The process died while it booked: its sums and a cell may be anywhere between before and after. */
static void interrupted(void)
{
	struct mu_lifetimes lives;
	struct mu_cell cell;
	struct mu_image *head;

	for (int step = 0; step < 5; step++) {
		begin();
		head = fake_at(&f, 0);
		batch->counters = offsetof(struct mu_image, retired);
		batch->now = 880;
		batch->extra = 72;
		batch->clock = 5160;
		batch->calls = 5;
		batch->bytes = 432;
		batch->cell = head->table[MU_SEC_CELLS].extent[0] + 2 * sizeof(cell);
		batch->in_cell = step > 1 ? 2 : 0;
		batch->live_bytes = -95;
		batch->live_blocks = 0;
		batch->life = 50;
		batch->lifetimes = head->lifetimes + offsetof(struct mu_lifetimes, blocks);
		batch->lived = 1;
		if (step > 0)
			head->heap.now = 880;
		if (step > 0)
			head->retired.calls[MU_FN_FREE] = 5;
		if (step > 2)
			cells[2].live_bytes = -95;
		if (step > 3)
			*(uint64_t *)fake_pointer(&f, 0, batch->lifetimes) = 1;
		load();
		EQ_I(im.head.heap.now, 880);
		EQ_I(im.head.heap.extra, 72);
		EQ_U(im.head.heap.clock, 5160);
		EQ_U(im.head.retired.calls[MU_FN_FREE], 5);
		EQ_U(im.head.retired.bytes[MU_FN_FREE], 432);
		OK(batch_cell(&im, 1, &cell), "cell 1");
		EQ_I(cell.live_bytes, step > 1 ? 1000 - 32 : 868);
		OK(batch_cell(&im, 2, &cell), "cell 2");
		EQ_I(cell.live_bytes, step > 1 ? -95 : 5);
		EQ_I(cell.live_blocks, step > 1 ? 0 : 1);
		OK(lifetimes_of(&im, &lives), "lifetimes");
		EQ_U(lives.blocks[0], 1);
		EQ_U(lives.blocks[2], 1);
	}
	/* No such counters, no such cell. */
	batch->counters = SLOT - 8;
	batch->lifetimes = UINT64_MAX - 7;
	batch->cell = UINT64_MAX;
	fake_at(&f, 0)->heap.now = 1012;
	load();
	EQ_I(im.head.heap.now, 880);
	OK(batch_cell(&im, 2, &cell) && cell.live_bytes == -95, "no cell of it");
	OK(lifetimes_of(&im, &lives) && lives.blocks[0] == 2, "no such count");
}

/* The heap is above its peak, which nobody has noted yet: it stands there before they are freed. */
static void peak(void)
{
	struct mu_cell cell;

	begin();
	fake_at(&f, 0)->heap.peak = 500;
	load();
	EQ_I(im.head.heap.peak, 1012);
	EQ_U(im.head.heap.epoch, 5);
	OK(batch_cell(&im, 1, &cell), "cell 1");
	EQ_I(cell.peak_bytes, 1000);
	EQ_I(cell.peak_blocks, 10);
	EQ_U(cell.epoch, 5);
	OK(batch_cell(&im, 2, &cell), "cell 2");
	EQ_U(cell.epoch, 4);
}

static void nothing_waits(const char *what)
{
	struct mu_cell cell;

	load();
	OK(im.head.heap.now == 1012, "%s: the heap", what);
	OK(batch_cell(&im, 1, &cell) && cell.live_bytes == 1000, "%s: the cell", what);
}

static void nonsense(void)
{
	struct mu_cell cell;

	begin();
	batch->count = MU_BATCH + 1;
	nothing_waits("too many");
	begin();
	batch->done = 4;
	nothing_waits("more done than there are");
	begin();
	batch->count = batch->done;
	nothing_waits("all done");
	begin();
	fake_at(&f, 0)->batch = SLOT - 8;
	nothing_waits("beyond the image");
	begin();
	fake_at(&f, 0)->batch += 4;
	nothing_waits("in the middle of a word");
	begin();
	fake_at(&f, 0)->header_size = offsetof(struct mu_image, batch);
	nothing_waits("an older image");
	/* A site without a cell: the heap has it, no place. */
	begin();
	batch->free[1].site = batch->free[2].site = UINT32_MAX;
	load();
	EQ_I(im.head.heap.now, 1012 - 132);
	OK(batch_cell(&im, 1, &cell) && cell.live_bytes == 1000, "no place");
	begin();
	batch->free[1].size = UINT64_MAX;
	cells[1].live_bytes = INT64_MIN;
	load();
	OK(batch_cell(&im, 1, &cell), "cell 1");
}

int main(void)
{
	booked();
	peak();
	interrupted();
	nonsense();
	return done_testing();
}
