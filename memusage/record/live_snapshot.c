/* live_snapshot.c -- Take a snapshot of a running process from outside, and save it.
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
	TRIES = 8, /* attempts to read all values at one moment */
	SITES_MAX_TAKEN = 1 << 23
};

/* Bound for the values of all snapshots, since those of a hostile image may all name the same
 * values. */
#define VALUES_MAX (UINT64_C(512) << 20)

static bool records_stacks(const struct image *im)
{
	return im->head.features & MU_FEATURE(MU_SEC_CELLS);
}

/* ---- values ------------------------------------------------------------------------------ */

static uint64_t append_values(struct live_snapshots *s, const void *values, uint64_t count)
{
	uint64_t offset = s->values_size, size = count * sizeof(struct mu_site_value);

	if (count == 0)
		return 0;
	s->values = xreallocarray(s->values, 1, offset + size);
	memcpy(s->values + offset, values, size);
	s->values_size += size;
	return IMAGE_OUTSIDE + offset;
}

static void append_snapshot(struct live_snapshots *s, const struct mu_snapshot *snapshot)
{
	s->item = xreallocarray(s->item, s->count + 1, sizeof(*s->item));
	s->item[s->count++] = *snapshot;
}

struct site_sums {
	struct mu_site_value *value; /* one per site; after pack_values() only those that are not
					 * zero */
	uint64_t sites;
	uint64_t known; /* all sites that have allocated are below it */
};

static void add_cell_values(struct site_sums *sums, const struct image *im)
{
	uint64_t cells = image_count(im, MU_SEC_CELLS);

	for (uint64_t i = 0; i < cells; i++) {
		struct mu_site_value *value;
		struct mu_cell cell;

		if (!batch_cell(im, i, &cell) || cell.site >= sums->sites ||
		    cell.flags & MU_CELL_ERROR)
			continue;
		value = &sums->value[cell.site];
		value->bytes = (int64_t)((uint64_t)value->bytes + (uint64_t)cell.live_bytes);
		value->blocks = (int64_t)((uint64_t)value->blocks + (uint64_t)cell.live_blocks);
		if (cell.total_blocks > 0 && cell.site >= sums->known)
			sums->known = cell.site + 1;
	}
}

/* Adds up the cells of the image. */
static void sum_site_values(struct site_sums *sums, const struct image *im)
{
	uint64_t sites = image_count(im, MU_SEC_SITES);

	*sums = (struct site_sums){ .sites = sites < SITES_MAX_TAKEN ? sites : SITES_MAX_TAKEN };
	sums->value = xcalloc(sums->sites + 1, sizeof(*sums->value));
	add_cell_values(sums, im);
	for (uint64_t i = 0; im->head.sampling.log2 && i < sums->sites; i++)
		sums->value[i].blocks = mu_sample_blocks((uint32_t)i,
							 sums->value[i].blocks);
}

static uint64_t pack_values(struct site_sums *sums)
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

static struct mu_snapshot current_figures(const struct image *im)
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

/* Makes one attempt. Returns the bytes allocated and freed meanwhile, or UINT64_MAX with ERR. */
static uint64_t try_snapshot(struct live_snapshots *s, const struct live *l, bool detailed,
			     struct mu_error *err)
{
	struct mu_snapshot now;
	struct site_sums sums;
	struct image im;
	uint64_t before, after, serial;

	if (live_image(l, &im, err) < 0)
		return UINT64_MAX;
	before = live_bytes_moved(&im);
	serial = im.batch.serial;
	now = current_figures(&im);
	live_snapshot_free(s);
	s->has_places = records_stacks(&im);
	if (detailed && s->has_places) {
		uint64_t count;

		sum_site_values(&sums, &im);
		count = pack_values(&sums);
		now.kind = MU_SNAPSHOT_DETAILED;
		now.value_count = count;
		now.sites = sums.known;
		now.values = append_values(s, sums.value, count);
		free(sums.value);
	}
	append_snapshot(s, &now);
	if (live_image(l, &im, err) < 0)
		return UINT64_MAX;
	after = live_bytes_moved(&im);
	/* A batch was accounted for meanwhile, and may have been counted twice here. */
	s->moved = after == before && im.batch.serial != serial ? 1 : after - before;
	return s->moved;
}

/* ---- what the process itself took -------------------------------------------------------- */

/* The snapshots of a valid image share no values, so all of them fit into its size. In a hostile
 * image all may name the same values. */
static bool has_value_room(const struct live_snapshots *s, const struct image *im, uint64_t count,
			   uint64_t size)
{
	uint64_t most = im->size < VALUES_MAX ? im->size : VALUES_MAX;

	return s->values_size <= most && count <= (most - s->values_size) / size;
}

/* The pieces become one: culling gives them to other snapshots. A piece that is not there any more
 * is zeros. */
static uint64_t append_packed_values(struct live_snapshots *s, const struct image *im,
				     const struct mu_snapshot *shot)
{
	uint64_t start = s->values_size, end, from = shot->packed;
	struct mu_values piece = { .used = (uint32_t)shot->packed_bytes };

	end = start + sizeof(piece) + shot->packed_bytes;
	s->values_size = (end + 7) & ~UINT64_C(7);
	s->values = xreallocarray(s->values, 1, s->values_size);
	memset(s->values + start, 0, s->values_size - start);
	memcpy(s->values + start, &piece, sizeof(piece));
	for (uint64_t at = start + sizeof(piece); at < end; at += piece.used) {
		if (!image_copy(im, from, &piece, sizeof(piece)) || piece.used == 0)
			break;
		if (piece.used > end - at)
			piece.used = (uint32_t)(end - at);
		image_copy(im, from + sizeof(piece), s->values + at, piece.used);
		from = piece.next;
	}
	return IMAGE_OUTSIDE + start;
}

static bool copy_packed_values(struct live_snapshots *s, const struct image *im,
			       struct mu_snapshot *own)
{
	if (own->packed_bytes > UINT32_MAX ||
	    !has_value_room(s, im, own->packed_bytes + sizeof(struct mu_values) + 7, 1)) {
		s->left_out++;
		return false;
	}
	own->packed = append_packed_values(s, im, own);
	return true;
}

/* Copies a snapshot of the image with its values. Returns false if some are missing. */
static bool copy_snapshot(struct live_snapshots *s, const struct image *im,
			  const struct mu_snapshot *from)
{
	struct mu_snapshot own = *from;
	const void *values = NULL;

	if (!has_value_room(s, im, own.value_count, sizeof(struct mu_site_value))) {
		s->left_out++;
		return false;
	}
	if (own.value_count > 0 && own.value_count < SITES_MAX_TAKEN)
		values = image_at(im, own.values,
				  own.value_count * sizeof(struct mu_site_value));
	if (own.value_count > 0 && !values)
		return false;
	if (own.packed && !copy_packed_values(s, im, &own))
		return false;
	own.values = append_values(s, values, own.value_count);
	own.name = (struct mu_string){ 0 };
	append_snapshot(s, &own);
	return true;
}

/* Returns whether the snapshot has what was requested. */
static bool take_served_snapshot(struct live_snapshots *s, const struct live *l, bool detailed)
{
	struct mu_snapshot served;
	struct image im;

	if (live_image(l, &im, NULL) < 0 ||
	    !image_copy(&im, im.head.requested, &served, sizeof(served)))
		return false;
	s->has_places = records_stacks(&im);
	if (detailed && s->has_places && served.values == 0 && served.heap != 0)
		return false;
	served.kind = detailed && s->has_places ? MU_SNAPSHOT_DETAILED : MU_SNAPSHOT_NORMAL;
	if (!detailed)
		served.values = served.value_count = 0;
	return copy_snapshot(s, &im, &served);
}

int live_snapshot_copy_one(struct live_snapshots *s, const struct live *l,
			   const struct mu_snapshot *one, struct mu_error *err)
{
	struct mu_snapshot detailed = *one;
	struct image im;

	*s = (struct live_snapshots){ .count = 0 };
	if (live_image(l, &im, err) < 0)
		return -1;
	s->has_places = records_stacks(&im);
	detailed.kind = MU_SNAPSHOT_DETAILED;
	if (copy_snapshot(s, &im, &detailed))
		return 0;
	return mu_error_set(err, MU_ERROR_FORMAT, 0, "a snapshot is damaged");
}

/* ---- now --------------------------------------------------------------------------------- */

static int error_process_ended(struct mu_error *err)
{
	return mu_error_set(err, MU_ERROR_SYSTEM, 0, "the process has ended");
}

/* Takes a snapshot while the process keeps running: uses the attempt during which least changed. */
static int snapshot_running(struct live_snapshots *s, const struct live *l, bool detailed,
			    struct mu_error *err)
{
	for (int i = 0; i < TRIES; i++) {
		struct live_snapshots other = { .count = 0 };
		uint64_t moved = try_snapshot(&other, l, detailed, err);

		if (moved != UINT64_MAX && (i == 0 || moved < s->moved || s->count == 0)) {
			live_snapshot_free(s);
			*s = other;
		} else {
			live_snapshot_free(&other);
		}
		if (moved == UINT64_MAX)
			return live_is_current(l) ? -1 : error_process_ended(err);
		if (moved == 0)
			break;
	}
	return 0;
}

static int snapshot_idle(struct live_snapshots *s, struct live *l, bool detailed,
			 enum mu_request request, struct mu_error *err)
{
	uint64_t moved = try_snapshot(s, l, detailed, err);
	bool is_quiet = live_is_quiet(l);

	if (!live_withdraw(l, request)) {
		live_snapshot_free(s);
		if (take_served_snapshot(s, l, detailed))
			return 0;
		live_snapshot_free(s);
		return snapshot_running(s, l, detailed, err);
	}
	if (moved == 0 && is_quiet)
		return 0;
	live_snapshot_free(s);
	return snapshot_running(s, l, detailed, err);
}

int live_snapshot_take(struct live_snapshots *s, struct live *l, bool detailed,
		       struct mu_error *err)
{
	const enum mu_request request = detailed ? MU_REQUEST_DETAILED : MU_REQUEST_SNAPSHOT;
	uint32_t pending = __atomic_load_n(&l->shared->request, __ATOMIC_RELAXED);

	*s = (struct live_snapshots){ .count = 0 };
	if (!live_is_current(l))
		return error_process_ended(err);
	if (l->is_final)
		return snapshot_running(s, l, detailed, err);
	/* The process is idle and has not served this request yet, which must not be replaced. */
	if (pending == MU_REQUEST_STOP || pending == MU_REQUEST_START ||
	    mu_request_is_mark(pending))
		return snapshot_running(s, l, detailed, err);
	switch (live_request(l, request)) {
	case LIVE_SERVED:
		if (take_served_snapshot(s, l, detailed))
			return 0;
		live_snapshot_free(s);
		break;
	case LIVE_IDLE:
		return snapshot_idle(s, l, detailed, request, err);
	case LIVE_STUCK:
		live_withdraw(l, request);
		break;
	}
	return snapshot_running(s, l, detailed, err);
}

/* ---- all so far -------------------------------------------------------------------------- */

/* Copies the snapshots after S's last. Returns whether the table stayed unchanged meanwhile. */
static bool copy_newer_snapshots(struct live_snapshots *s, const struct live *l,
				 const struct image *im, uint64_t serial)
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
		copy_snapshot(s, im, &one);
		if (__atomic_load_n(&l->shared->snapshots_serial, __ATOMIC_SEQ_CST) != serial) {
			s->count = count;
			s->values_size = size;
			s->left_out = left_out;
			return false;
		}
	}
	return true;
}

int live_snapshot_copy_all(struct live_snapshots *s, struct live *l, struct mu_error *err)
{
	struct image im;

	*s = (struct live_snapshots){ .count = 0 };
	for (int i = 0; i < 1000; i++) {
		uint64_t serial = __atomic_load_n(&l->shared->snapshots_serial, __ATOMIC_SEQ_CST);

		if (live_image(l, &im, err) < 0 || !live_is_current(l))
			return error_process_ended(err);
		s->has_places = records_stacks(&im);
		if (serial % 2 == 0 && copy_newer_snapshots(s, l, &im, serial))
			return 0;
	}
	return 0;
}

/* ---- the file ---------------------------------------------------------------------------- */

/* The report needs neither blocks nor logs, which may have gigabytes. Without a tree it needs no
 * places either, whose names would be looked up. How good estimates are is in the cells. */
static uint64_t unneeded_sections(const struct live_snapshots *s, const struct image *im)
{
	uint64_t all = MU_FEATURE(MU_SEC_BLOCKS) | MU_FEATURE(MU_SEC_LOG) |
		       MU_FEATURE(MU_SEC_MAPPINGS) | MU_FEATURE(MU_SEC_ACCESSES);

	for (size_t i = 0; i < s->count; i++) {
		if (s->item[i].value_count > 0)
			return all;
	}
	all |= MU_FEATURE(MU_SEC_MODULES) | MU_FEATURE(MU_SEC_FRAMES) | MU_FEATURE(MU_SEC_STACKS);
	return im->head.sampling.log2 > 0 ?
		       all : all | MU_FEATURE(MU_SEC_SITES) | MU_FEATURE(MU_SEC_CELLS);
}

int live_snapshot_save(const struct live_snapshots *s, const struct live *l, pid_t pid, int fd,
		       struct mu_error *err)
{
	struct mu_slot slot = { .pid = (uint32_t)pid };
	struct save keep;
	struct image im;
	int result;

	if (live_image(l, &im, err) < 0)
		return error_process_ended(err);
	im.head.features &= ~unneeded_sections(s, &im);
	im.head.end = MU_END_RUNNING;
	image_replace(&im, MU_SEC_SNAPSHOTS, s->item, s->count, sizeof(*s->item));
	im.outside = s->values;
	im.outside_size = s->values_size;
	if (save_begin(&keep, fd, &l->view.head, err) < 0)
		return -1;
	result = save_add(&keep, &im, &slot, err);
	save_end(&keep);
	return result == 0 && !live_is_current(l) ? error_process_ended(err) : result;
}

void live_snapshot_free(struct live_snapshots *s)
{
	free(s->item);
	free(s->values);
	*s = (struct live_snapshots){ .count = 0 };
}
