/* site_totals.c -- what every site holds at a moment: added up, and stored with a snapshot.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/site_totals.h"

#include <stddef.h>
#include <string.h>

#include "libmemusage/base/memory.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/tables/heap.h"
#include "libmemusage/tables/sites.h"

#define PIECE_BYTES 1024u
#define CHANGED_MAX 4096u
#define COST_ALWAYS 32u	  /* of any snapshot, in cells */
#define SITES_PER_CELL 8u /* sites of which nothing is stored are passed over as quickly */
#define EPOCHS_FULL (UINT32_C(1) << 28) /* look at all cells that often: epochs are 32 bits */
#define PIECE_ROOM (PIECE_BYTES - offsetof(struct mu_values, byte))
#define VALUE_MAX 25u /* most bytes that one site takes: 5 for its number, 10 for each sum */

struct sum {
	int64_t bytes, blocks;
};

static struct sum *sums;	      /* by site */
static uint64_t scratch_sites;	      /* ... have room for these */
static uint64_t summed_sites;	      /* ... and hold these */
static uint64_t pieces_free;	      /* a chain */
static uint64_t pieces_used;

bool values_are_tracked;
uint32_t values_epoch;
static uint32_t changed[CHANGED_MAX]; /* numbers of cells */
static uint32_t changed_count;
static uint32_t full_epoch;  /* when all cells were looked at last */
static uint64_t known_sites; /* as values_sum() says */

void values_init(void)
{
	pieces_free = pieces_used = 0;
	values_forget();
}

void values_forget(void)
{
	values_are_tracked = false;
	changed_count = 0;
}

void values_changed(uint32_t number)
{
	if (changed_count < CHANGED_MAX)
		changed[changed_count++] = number;
	else
		values_forget();
}

/* ---- adding up ---------------------------------------------------------------------------- */

static bool make_scratch(uint64_t sites)
{
	uint64_t want = scratch_sites ? scratch_sites : 512;

	if (sites <= scratch_sites)
		return true;
	while (want < sites)
		want *= 2;
	if (sums)
		memory_unmap(sums, scratch_sites * sizeof(*sums));
	sums = memory_map(want * sizeof(*sums));
	scratch_sites = sums ? want : 0;
	return sums;
}

static void note_known(const struct mu_cell *cell)
{
	if (cell->site >= known_sites && cell->total_blocks)
		known_sites = cell->site + 1;
}

/* Adds up cells that lie side by side. One that has stood still for so long that its epoch could be
 * taken for a later one gets a new one; its value is the same. */
static void add_cells(struct mu_cell *cell, uint64_t count, bool is_alone)
{
	uint32_t epoch = rec.image->heap.epoch;

	for (const struct mu_cell *end = cell + count; cell < end; cell++) {
		if (cell->site >= summed_sites)
			continue;
		sums[cell->site].bytes += cell->live_bytes;
		sums[cell->site].blocks += cell->live_blocks;
		note_known(cell);
		if (is_alone && unlikely(epoch - cell->epoch > 2 * EPOCHS_FULL))
			sites_keep_peak(cell);
	}
}

static void add_all(uint64_t sites, bool is_alone)
{
	struct mu_table *cells = &rec.image->table[MU_SEC_CELLS];
	uint64_t left = __atomic_load_n(&cells->count, __ATOMIC_ACQUIRE);

	values_forget();
	known_sites = 0;
	summed_sites = sites;
	full_epoch = rec.image->heap.epoch;
	memset(sums, 0, sites * sizeof(*sums));
	for (unsigned int i = 0; left && i < MU_TABLE_EXTENTS; i++) {
		uint64_t entries = (UINT64_C(1) << cells->first_log2) << i;
		uint64_t offset = __atomic_load_n(&cells->extent[i], __ATOMIC_ACQUIRE);
		uint64_t count = entries < left ? entries : left;

		if (offset)
			add_cells(arena_at(offset), count, is_alone);
		left -= count;
	}
}

/* A thread has one cell of a site. What lies beyond summed_sites is zero yet. */
static void add_changed(uint64_t sites)
{
	summed_sites = sites;
	for (uint32_t i = 0; i < changed_count; i++) {
		const struct mu_cell *cell = arena_at((uint64_t)changed[i] * sizeof(*cell));

		sums[cell->site] = (struct sum){ cell->live_bytes, cell->live_blocks };
		note_known(cell);
	}
}

/* At a new peak an epoch can begin: what changes later is seen. */
static void track(void)
{
	if (rec.image->heap.now <= rec.image->heap.peak)
		return;
	heap_note_peak(false);
	values_are_tracked = true;
	values_epoch = rec.image->heap.epoch;
	changed_count = 0;
}

bool values_sum(uint64_t *known, uint64_t *used)
{
	uint64_t sites = __atomic_load_n(&rec.image->table[MU_SEC_SITES].count, __ATOMIC_ACQUIRE);
	bool is_alone = gate.mode == MODE_STACKS && rec.image->heap.threads_max <= 1;

	*known = *used = 0;
	if (values_are_tracked && is_alone && sites <= scratch_sites &&
	    rec.image->heap.epoch - full_epoch < EPOCHS_FULL)
		add_changed(sites);
	else if (make_scratch(sites))
		add_all(sites, is_alone);
	else
		return false;
	if (is_alone)
		track();
	*known = known_sites;
	for (uint64_t i = 0; i < sites; i++)
		*used += (sums[i].bytes | sums[i].blocks) != 0;
	return true;
}

uint64_t values_cost(void)
{
	const struct mu_table *table = rec.image->table;

	if (values_are_tracked)
		return COST_ALWAYS + changed_count + table[MU_SEC_SITES].count / SITES_PER_CELL;
	return COST_ALWAYS + table[MU_SEC_CELLS].count;
}

uint64_t values_array(struct mu_site_value *first, uint64_t capacity)
{
	struct mu_site_value *value = first;

	for (uint64_t i = 0; i < summed_sites && (uint64_t)(value - first) < capacity; i++)
		if (sums[i].bytes || sums[i].blocks)
			*value++ = (struct mu_site_value){ (uint32_t)i, 0, sums[i].bytes,
							   sums[i].blocks };
	return (uint64_t)(value - first);
}

/* ---- storing ------------------------------------------------------------------------------ */

static uint8_t *put_number(uint8_t *to, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*to++ = (uint8_t)(number | 0x80);
	*to++ = (uint8_t)number;
	return to;
}

/* With many threads a sum can be below zero for a moment. */
static uint64_t zigzag(int64_t number)
{
	return (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
}

/* An empty piece at the end of the chain. */
static struct mu_values *add_piece(struct values *v, uint64_t limit)
{
	uint64_t offset = pieces_free;
	struct mu_values *piece;

	if ((pieces_used + 1) * PIECE_BYTES > limit)
		return NULL;
	if (offset)
		pieces_free = ((struct mu_values *)arena_at(offset))->next;
	else
		offset = arena_alloc(PIECE_BYTES, 64);
	if (!offset)
		return NULL;
	piece = arena_at(offset);
	piece->next = 0;
	piece->used = 0;
	if (v->last)
		((struct mu_values *)arena_at(v->last))->next = offset;
	else
		v->first = offset;
	v->last = offset;
	v->pieces++;
	pieces_used++;
	return piece;
}

static void end_piece(struct values *v, struct mu_values *piece, const uint8_t *end)
{
	piece->used = (uint32_t)(end - piece->byte);
	v->bytes += piece->used;
}

bool values_store(struct values *v, uint64_t limit)
{
	uint64_t next = 0; /* the smallest site that may come */
	struct mu_values *piece;

	*v = (struct values){ 0 };
	piece = add_piece(v, limit);
	if (!piece)
		return false;
	uint8_t *to = piece->byte;
	for (uint64_t i = 0; i < summed_sites; i++) {
		if (!sums[i].bytes && !sums[i].blocks)
			continue;
		if ((size_t)(piece->byte + PIECE_ROOM - to) < VALUE_MAX) {
			end_piece(v, piece, to);
			piece = add_piece(v, limit);
			if (!piece) {
				values_free(v);
				return false;
			}
			to = piece->byte;
		}
		to = put_number(to, i - next);
		to = put_number(to, zigzag(sums[i].bytes));
		to = put_number(to, zigzag(sums[i].blocks));
		next = i + 1;
	}
	end_piece(v, piece, to);
	return true;
}

void values_free(struct values *v)
{
	if (v->pieces) {
		((struct mu_values *)arena_at(v->last))->next = pieces_free;
		pieces_free = v->first;
		pieces_used -= v->pieces;
	}
	*v = (struct values){ 0 };
}
