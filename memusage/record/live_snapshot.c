/* live_snapshot.c -- a snapshot of a running process, taken from outside, and its file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/record/live_snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "memusage/common/clock.h"
#include "profile/read/batch.h"
#include "profile/save/save.h"

enum {
	TRIES = 8,		/* at values of one moment */
	SITES_MAX_TAKEN = 1 << 23
};

/* Of all snapshots: those of a hostile image may all name the same values. */
#define VALUES_MAX (UINT64_C(512) << 20)

static bool has_places(const struct image *im)
{
	return im->head.features & MU_FEATURE(MU_SEC_CELLS);
}

/* Bytes that were ever allocated or freed. */
static uint64_t bytes_moved(const struct image *im)
{
	uint64_t sum = 0;

	for (int fn = 0; fn < MU_FN_COUNT; fn++)
		sum += im->head.retired.bytes[fn];
	for (uint64_t i = 0; i < image_count(im, MU_SEC_THREADS); i++) {
		struct mu_thread t;

		if (!image_copy_entry(im, MU_SEC_THREADS, i, &t, IMAGE_THREAD_FIGURES))
			continue;
		for (int fn = 0; fn < MU_FN_COUNT; fn++)
			sum += t.counters.bytes[fn];
	}
	return sum;
}

/* ---- values ------------------------------------------------------------------------------ */

static uint64_t add_values(struct shots *s, const void *values, uint64_t count)
{
	uint64_t offset = s->values_size, size = count * sizeof(struct mu_site_value);

	if (count == 0)
		return 0;
	s->values = xreallocarray(s->values, 1, offset + size);
	memcpy(s->values + offset, values, size);
	s->values_size += size;
	return IMAGE_OUTSIDE + offset;
}

static void add_snapshot(struct shots *s, const struct mu_snapshot *snapshot)
{
	s->item = xreallocarray(s->item, s->count + 1, sizeof(*s->item));
	s->item[s->count++] = *snapshot;
}

struct sums {
	struct mu_site_value *value;	/* one per site, then those that are not zero */
	uint64_t sites;
	uint64_t known;			/* sites below it have allocated */
};

static void add_cells(struct sums *sums, const struct image *im)
{
	uint64_t cells = image_count(im, MU_SEC_CELLS);

	for (uint64_t i = 0; i < cells; i++) {
		struct mu_site_value *value;
		struct mu_cell cell;

		if (!batch_cell(im, i, &cell) || cell.site >= sums->sites)
			continue;
		value = &sums->value[cell.site];
		value->bytes = (int64_t)((uint64_t)value->bytes + (uint64_t)cell.live_bytes);
		value->blocks = (int64_t)((uint64_t)value->blocks + (uint64_t)cell.live_blocks);
		if (cell.total_blocks > 0 && cell.site >= sums->known)
			sums->known = cell.site + 1;
	}
}

/* Adds up the cells from outside. */
static void outside_values(struct sums *sums, const struct image *im)
{
	uint64_t sites = image_count(im, MU_SEC_SITES);

	*sums = (struct sums){ .sites = sites < SITES_MAX_TAKEN ? sites : SITES_MAX_TAKEN };
	sums->value = xcalloc(sums->sites + 1, sizeof(*sums->value));
	add_cells(sums, im);
}

static uint64_t pack(struct sums *sums)
{
	uint64_t used = 0;

	for (uint64_t i = 0; i < sums->sites; i++) {
		if (sums->value[i].bytes == 0 && sums->value[i].blocks == 0)
			continue;
		sums->value[used] = sums->value[i];
		sums->value[used++].site = (uint32_t)i;
	}
	return used;
}

static struct mu_snapshot figures(const struct image *im)
{
	const struct mu_heap *heap = &im->head.heap;
	struct mu_snapshot now = {
		.mono_ns = clock_now(CLOCK_MONOTONIC),
		.heap = (int64_t)((uint64_t)heap->now - (uint64_t)heap->ignored),
		.extra = (int64_t)((uint64_t)heap->extra + (uint64_t)heap->ignored),
		.clock_bytes = heap->clock,
		.kind = MU_SNAPSHOT_NORMAL,
	};

	for (uint64_t i = 0; i < image_count(im, MU_SEC_THREADS); i++) {
		struct mu_thread t;

		if (!image_copy_entry(im, MU_SEC_THREADS, i, &t, IMAGE_THREAD_FIGURES))
			continue;
		now.heap = (int64_t)((uint64_t)now.heap + (uint64_t)t.pending_heap);
		now.stacks = (int64_t)((uint64_t)now.stacks + t.stack_now);
	}
	return now;
}

/* One try. Returns the bytes that moved meanwhile, or UINT64_MAX with ERR. */
static uint64_t look(struct shots *s, const struct live *l, bool detailed, struct mu_error *err)
{
	struct mu_snapshot now;
	struct sums sums;
	struct image im;
	uint64_t before, after, serial;

	if (live_image(l, &im, err) < 0)
		return UINT64_MAX;
	before = bytes_moved(&im);
	serial = im.batch.serial;
	now = figures(&im);
	shots_free(s);
	s->has_places = has_places(&im);
	if (detailed && s->has_places) {
		uint64_t count;

		outside_values(&sums, &im);
		count = pack(&sums);
		now.kind = MU_SNAPSHOT_DETAILED;
		now.value_count = count;
		now.sites = sums.known;
		now.values = add_values(s, sums.value, count);
		free(sums.value);
	}
	add_snapshot(s, &now);
	if (live_image(l, &im, err) < 0)
		return UINT64_MAX;
	after = bytes_moved(&im);
	/* Booked meanwhile: perhaps twice, here. */
	s->moved = after == before && im.batch.serial != serial ? 1 : after - before;
	return s->moved;
}

/* ---- what the process itself took -------------------------------------------------------- */

/* Snapshots of an honest image share no values, so all of them have room in it. In a hostile one
 * all may name the same. */
static bool has_room(const struct shots *s, const struct image *im, uint64_t count)
{
	uint64_t most = im->size < VALUES_MAX ? im->size : VALUES_MAX;

	return s->values_size <= most &&
	       count <= (most - s->values_size) / sizeof(struct mu_site_value);
}

/* Copies a snapshot of the image with its values. Returns false if they are not all there. */
static bool take_over(struct shots *s, const struct image *im, const struct mu_snapshot *from)
{
	struct mu_snapshot own = *from;
	const void *values = NULL;

	if (!has_room(s, im, own.value_count)) {
		s->left_out++;
		return false;
	}
	if (own.value_count > 0 && own.value_count < SITES_MAX_TAKEN)
		values = image_at(im, own.values,
				  own.value_count * sizeof(struct mu_site_value));
	if (own.value_count > 0 && !values)
		return false;
	own.values = add_values(s, values, own.value_count);
	own.name = (struct mu_string){ 0 };
	add_snapshot(s, &own);
	return true;
}

/* Returns whether it has what was wanted. */
static bool take_served(struct shots *s, const struct live *l, bool detailed)
{
	struct mu_snapshot served;
	struct image im;

	if (live_image(l, &im, NULL) < 0 ||
	    !image_copy(&im, im.head.requested, &served, sizeof(served)))
		return false;
	s->has_places = has_places(&im);
	if (detailed && s->has_places && served.values == 0 && served.heap != 0)
		return false;
	served.kind = detailed && s->has_places ? MU_SNAPSHOT_DETAILED : MU_SNAPSHOT_NORMAL;
	if (!detailed)
		served.values = served.value_count = 0;
	return take_over(s, &im, &served);
}

int shots_from(struct shots *s, const struct live *l, const struct mu_snapshot *one,
	       struct mu_error *err)
{
	struct mu_snapshot detailed = *one;
	struct image im;

	*s = (struct shots){ .count = 0 };
	if (live_image(l, &im, err) < 0)
		return -1;
	s->has_places = has_places(&im);
	detailed.kind = MU_SNAPSHOT_DETAILED;
	if (take_over(s, &im, &detailed))
		return 0;
	return mu_error_set(err, MU_ERROR_FORMAT, 0, "a snapshot is damaged");
}

/* ---- now --------------------------------------------------------------------------------- */

static int gone(struct mu_error *err)
{
	return mu_error_set(err, MU_ERROR_SYSTEM, 0, "the process has ended");
}

/* While the process goes on: the try during which least happened is the best. */
static int take_outside(struct shots *s, const struct live *l, bool detailed,
			struct mu_error *err)
{
	for (int i = 0; i < TRIES; i++) {
		struct shots other = { .count = 0 };
		uint64_t moved = look(&other, l, detailed, err);

		if (moved != UINT64_MAX && (i == 0 || moved < s->moved || s->count == 0)) {
			shots_free(s);
			*s = other;
		} else {
			shots_free(&other);
		}
		if (moved == UINT64_MAX)
			return live_is_there(l) ? -1 : gone(err);
		if (moved == 0)
			break;
	}
	return 0;
}

static int take_idle(struct shots *s, struct live *l, bool detailed, enum mu_request request,
		     struct mu_error *err)
{
	uint64_t moved = look(s, l, detailed, err);
	bool is_quiet = live_is_quiet(l);

	if (!live_withdraw(l, request)) {
		shots_free(s);
		if (take_served(s, l, detailed))
			return 0;
		shots_free(s);
		return take_outside(s, l, detailed, err);
	}
	if (moved == 0 && is_quiet)
		return 0;
	shots_free(s);
	return take_outside(s, l, detailed, err);
}

int shots_take(struct shots *s, struct live *l, bool detailed, struct mu_error *err)
{
	const enum mu_request request = detailed ? MU_REQUEST_DETAILED : MU_REQUEST_SNAPSHOT;
	uint32_t pending = __atomic_load_n(&l->shared->request, __ATOMIC_RELAXED);

	*s = (struct shots){ .count = 0 };
	if (!live_is_there(l))
		return gone(err);
	if (l->is_final)
		return take_outside(s, l, detailed, err);
	/* Not served yet: the process is idle, and must not forget what it was told to do. */
	if (pending == MU_REQUEST_STOP || pending == MU_REQUEST_START)
		return take_outside(s, l, detailed, err);
	switch (live_ask(l, request)) {
	case LIVE_SERVED:
		if (take_served(s, l, detailed))
			return 0;
		shots_free(s);
		break;
	case LIVE_IDLE:
		return take_idle(s, l, detailed, request, err);
	case LIVE_STUCK:
		live_withdraw(l, request);
		break;
	}
	return take_outside(s, l, detailed, err);
}

/* ---- all so far -------------------------------------------------------------------------- */

/* Copies those after S's last. Returns whether the table did not change under our hands. */
static bool copy_more(struct shots *s, const struct live *l, const struct image *im,
		      uint64_t serial)
{
	uint64_t last = s->count ? s->item[s->count - 1].mono_ns : 0;

	for (uint64_t i = 0; i < image_count(im, MU_SEC_SNAPSHOTS); i++) {
		struct mu_snapshot one;
		size_t count = s->count;
		uint64_t size = s->values_size, left_out = s->left_out;

		if (!image_snapshot(im, i, &one))
			break;
		if (s->count > 0 && one.mono_ns <= last)
			continue;
		take_over(s, im, &one);
		if (__atomic_load_n(&l->shared->snapshots_serial, __ATOMIC_SEQ_CST) != serial) {
			s->count = count;
			s->values_size = size;
			s->left_out = left_out;
			return false;
		}
	}
	return true;
}

int shots_copy(struct shots *s, struct live *l, struct mu_error *err)
{
	struct image im;

	*s = (struct shots){ .count = 0 };
	for (int i = 0; i < 1000; i++) {
		uint64_t serial = __atomic_load_n(&l->shared->snapshots_serial, __ATOMIC_SEQ_CST);

		if (live_image(l, &im, err) < 0 || !live_is_there(l))
			return gone(err);
		s->has_places = has_places(&im);
		if (serial % 2 == 0 && copy_more(s, l, &im, serial))
			return 0;
	}
	return 0;
}

/* ---- the file ---------------------------------------------------------------------------- */

/* Nobody asks for blocks and what happened when; there may be gigabytes of them. Nor, without a
 * tree, for places: their names would be looked up. */
static uint64_t superfluous(const struct shots *s)
{
	uint64_t all = MU_FEATURE(MU_SEC_BLOCKS) | MU_FEATURE(MU_SEC_LOG) |
		       MU_FEATURE(MU_SEC_MAPPINGS) | MU_FEATURE(MU_SEC_ACCESSES);

	for (size_t i = 0; i < s->count; i++) {
		if (s->item[i].value_count > 0)
			return all;
	}
	return all | MU_FEATURE(MU_SEC_MODULES) | MU_FEATURE(MU_SEC_FRAMES) |
	       MU_FEATURE(MU_SEC_STACKS) | MU_FEATURE(MU_SEC_SITES) | MU_FEATURE(MU_SEC_CELLS);
}

int shots_keep(const struct shots *s, const struct live *l, pid_t pid, int fd,
	       struct mu_error *err)
{
	struct mu_slot slot = { .pid = (uint32_t)pid };
	struct save keep;
	struct image im;
	int result;

	if (live_image(l, &im, err) < 0)
		return gone(err);
	im.head.features &= ~superfluous(s);
	im.shots = s->item;
	im.shot_count = s->count;
	im.outside = s->values;
	im.outside_size = s->values_size;
	if (save_begin(&keep, fd, &l->view.head, err) < 0)
		return -1;
	result = save_add(&keep, &im, &slot, err);
	save_end(&keep);
	return result == 0 && !live_is_there(l) ? gone(err) : result;
}

void shots_free(struct shots *s)
{
	free(s->item);
	free(s->values);
	*s = (struct shots){ .count = 0 };
}
