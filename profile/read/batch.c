/* batch.c -- Accounts for deferred frees when another process's image is read.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/batch.h"

#include <stddef.h>
#include <string.h>

#include "recording/blocks.h"
#include "recording/slop.h"

enum { TRIES = 8 };

static uint64_t size_of_free(const struct mu_batch_free *waiting)
{
	return waiting->size & ((UINT64_C(1) << 48) - 1);
}

static uint64_t birth_of_free(const struct mu_batch_free *waiting)
{
	return waiting->size >> 48 << 22 | waiting->tag >> 10;
}

static void copy_image_header(struct image *im)
{
	struct mu_image *head = &im->head;

	image_copy_bytes(head, im->base, sizeof(*head));
	/* In a recording of an earlier version something else follows its shorter header. */
	if (head->header_size < sizeof(*head))
		memset((char *)head + head->header_size, 0, sizeof(*head) - head->header_size);
	head->used = head->used < im->size ? head->used : im->size;
	head->populated = head->populated < im->size ? head->populated : im->size;
	head->log_bytes = head->log_bytes < im->size ? head->log_bytes : im->size;
}

/* Copies header and batch. Returns whether both are of one moment. */
static bool copy_header_and_batch(struct image *im)
{
	const struct mu_batch *shared;
	uint64_t serial, counters;
	uint32_t count, done;

	im->batch = (struct mu_batch){ .count = 0 };
	copy_image_header(im);
	shared = im->head.batch & 7 ? NULL : image_at(im, im->head.batch, sizeof(*shared));
	if (!shared)
		return true;
	serial = __atomic_load_n(&shared->serial, __ATOMIC_ACQUIRE);
	done = __atomic_load_n(&shared->done, __ATOMIC_ACQUIRE);
	counters = __atomic_load_n(&shared->counters, __ATOMIC_ACQUIRE);
	/* The copy below may have the number of later frees without their records. */
	count = __atomic_load_n(&shared->count, __ATOMIC_ACQUIRE);
	image_copy_bytes(&im->batch, shared, sizeof(*shared));
	im->batch.count = count;
	im->batch.done = done;
	im->batch.counters = counters;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	copy_image_header(im);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (count > MU_BATCH || done > count)
		im->batch.count = im->batch.done = 0;
	return __atomic_load_n(&shared->done, __ATOMIC_RELAXED) == done &&
	       __atomic_load_n(&shared->counters, __ATOMIC_RELAXED) == counters &&
	       __atomic_load_n(&shared->serial, __ATOMIC_RELAXED) == serial;
}

/* As the recorder does: libmemusage/event/deferred_frees.c, plan_final_sums(). */
static void apply_free_to_head(struct image *im, const struct mu_batch_free *waiting)
{
	struct mu_heap *heap = &im->head.heap;
	uint64_t size = size_of_free(waiting);
	uint64_t extra = mu_slop(size) + MU_SLACK(birth_of_free(waiting)) + im->batch.admin;

	if (heap->now > im->head.own_peak)
		im->head.own_peak = heap->now;
	if (heap->now > heap->peak) {
		heap->peak = heap->now;
		heap->epoch++;
	}
	heap->now = (int64_t)((uint64_t)heap->now - size);
	heap->extra = (int64_t)((uint64_t)heap->extra - extra);
	heap->clock += size + extra;
	im->head.retired.calls[MU_FN_FREE]++;
	im->head.retired.bytes[MU_FN_FREE] += size;
}

/* The recorder has begun to book: what it will have come to, however far it is. */
static bool adopt_planned_sums(struct image *im)
{
	const struct mu_batch *batch = &im->batch;
	struct mu_counters counters;

	if (!batch->counters || batch->counters & 7 ||
	    !image_copy(im, batch->counters, &counters, offsetof(struct mu_counters, hist_low)))
		return false;
	im->head.heap.now = batch->now;
	im->head.heap.extra = batch->extra;
	im->head.heap.clock = batch->clock;
	im->head.retired.calls[MU_FN_FREE] += batch->calls - counters.calls[MU_FN_FREE];
	im->head.retired.bytes[MU_FN_FREE] += batch->bytes - counters.bytes[MU_FN_FREE];
	return true;
}

static const void *cell_at_index(const struct image *im, uint64_t index)
{
	return image_entry(im, MU_SEC_CELLS, index, sizeof(struct mu_cell));
}

/* Tells whether the recorder may have changed the cell of the first deferred free. */
static bool is_cell_in_flight(const struct image *im)
{
	return im->batch.counters && im->batch.in_cell == (uint64_t)im->batch.done + 1;
}

/* A site's cells are added up: the first one stands for all. */
static void find_cells_of_frees(struct image *im)
{
	uint64_t cells = image_count(im, MU_SEC_CELLS);
	uint64_t in_cell = UINT64_MAX;
	struct mu_cell cell;

	memset(im->batch_cell, 0xff, sizeof(im->batch_cell));
	for (uint64_t i = cells; i-- > 0;) {
		const void *at = cell_at_index(im, i);

		if (!at)
			continue;
		image_copy_bytes(&cell, at, sizeof(cell));
		if ((uint64_t)((const uint8_t *)at - im->base) == im->batch.cell)
			in_cell = i;
		for (uint32_t k = im->batch.done; k < im->batch.count; k++)
			if (im->batch.free[k].site == cell.site && !(cell.flags & MU_CELL_MASSIF))
				im->batch_cell[k] = i;
	}
	if (is_cell_in_flight(im))
		im->batch_cell[im->batch.done] = in_cell;
}

void batch_take(struct image *im)
{
	int tries = 0;

	while (!copy_header_and_batch(im) && ++tries < TRIES)
		;
	if (tries == TRIES)
		im->batch.count = im->batch.done = 0;
	if (im->batch.count == im->batch.done)
		return;
	find_cells_of_frees(im);
	if (adopt_planned_sums(im))
		return;
	for (uint32_t k = im->batch.done; k < im->batch.count; k++)
		apply_free_to_head(im, &im->batch.free[k]);
}

static void apply_free_to_cell(const struct image *im, const struct mu_batch_free *waiting,
			       struct mu_cell *cell)
{
	if (cell->epoch != im->head.heap.epoch) {
		cell->peak_bytes = cell->live_bytes;
		cell->peak_blocks = cell->live_blocks;
		cell->epoch = im->head.heap.epoch;
	}
	if (cell->live_bytes > cell->max_bytes)
		cell->max_bytes = cell->live_bytes;
	cell->live_bytes = (int64_t)((uint64_t)cell->live_bytes - size_of_free(waiting));
	cell->live_blocks = (int64_t)((uint64_t)cell->live_blocks - 1);
	cell->life = (int64_t)((uint64_t)cell->life + im->batch.tick);
}

bool batch_cell(const struct image *im, uint64_t index, struct mu_cell *cell)
{
	const void *at = cell_at_index(im, index);

	if (!at)
		return false;
	image_copy_bytes(cell, at, sizeof(*cell));
	uint32_t k = im->batch.done;
	if (k < im->batch.count && is_cell_in_flight(im) && im->batch_cell[k] == index) {
		cell->live_bytes = im->batch.live_bytes;
		cell->live_blocks = im->batch.live_blocks;
		cell->life = im->batch.life;
		k++;
	}
	for (; k < im->batch.count; k++)
		if (im->batch_cell[k] == index)
			apply_free_to_cell(im, &im->batch.free[k], cell);
	return true;
}

void batch_add_lifetimes(const struct image *im, struct mu_lifetimes *lives)
{
	for (uint32_t k = im->batch.done; k < im->batch.count; k++) {
		uint64_t age = mu_age(birth_of_free(&im->batch.free[k]), im->batch.tick);
		uint64_t word, blocks = 1;

		if (k == im->batch.done && is_cell_in_flight(im) && !(im->batch.lifetimes & 7) &&
		    image_copy(im, im->batch.lifetimes, &word, sizeof(word)))
			blocks = im->batch.lived - word;
		lives->blocks[mu_lifetime_class(age)] += blocks;
	}
}
