/* site_totals.c -- the live bytes and blocks of all sites at a moment, stored with a snapshot.
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
#define COST_ALWAYS 32u			/* the cost of any snapshot, in cells */
#define SITES_PER_CELL 8u		/* empty sites that are skipped in the time of a cell */
#define EPOCHS_FULL (UINT32_C(1) << 28) /* between passes over all cells; epochs have 32 bits */
#define PIECE_ROOM (PIECE_BYTES - offsetof(struct mu_values, byte))
#define VALUE_MAX 25u /* most bytes that one site takes: 5 for its number, 10 for each sum */

struct site_total {
	int64_t bytes, blocks;
};

static struct {
	struct site_total *sum; /* by site */
	uint64_t room;		/* sites that it has room for */
	uint64_t sites;		/* sites that were added up */
	uint64_t known;		/* as site_totals_add_up() says */
	uint64_t free_pieces;	/* a chain */
	uint64_t used_pieces;
	uint32_t full_epoch;	   /* when all cells were looked at last */
	uint32_t changes;	   /* cells that changed since site_totals_tracked.epoch */
	uint32_t cell[CHANGED_MAX]; /* ... and their numbers */
} totals;

struct site_totals_tracked site_totals_tracked;

void site_totals_init(void)
{
	totals.free_pieces = totals.used_pieces = 0;
	site_totals_untrack();
}

void site_totals_untrack(void)
{
	site_totals_tracked.is_on = false;
	totals.changes = 0;
}

void site_totals_note_change(uint32_t number)
{
	if (totals.changes < CHANGED_MAX)
		totals.cell[totals.changes++] = number;
	else
		site_totals_untrack();
}

/* ---- adding up ---------------------------------------------------------------------------- */

static bool make_sums_array(uint64_t sites)
{
	uint64_t want = totals.room ? totals.room : 512;

	if (sites <= totals.room)
		return true;
	while (want < sites)
		want *= 2;
	if (totals.sum)
		memory_unmap(totals.sum, totals.room * sizeof(*totals.sum));
	totals.sum = memory_map(want * sizeof(*totals.sum));
	totals.room = totals.sum ? want : 0;
	return totals.sum;
}

static void note_known_site(const struct mu_cell *cell)
{
	if (cell->site >= totals.known && cell->total_blocks)
		totals.known = cell->site + 1;
}

/* Adds up neighbouring cells. If a cell did not change for so long that its epoch could be taken
 * for a later one, the cell gets a new epoch and keeps its value. */
static void add_cell_run(struct mu_cell *cell, uint64_t count, bool is_alone)
{
	uint32_t epoch = rec.image->heap.epoch;

	for (const struct mu_cell *end = cell + count; cell < end; cell++) {
		if (cell->site >= totals.sites || cell->flags & MU_CELL_ERROR)
			continue;
		totals.sum[cell->site].bytes += cell->live_bytes;
		totals.sum[cell->site].blocks += cell->live_blocks;
		note_known_site(cell);
		if (is_alone && unlikely(epoch - cell->epoch > 2 * EPOCHS_FULL))
			sites_keep_peak(cell);
	}
}

static void add_all_cells(uint64_t sites, bool is_alone)
{
	struct mu_table *cells = &rec.image->table[MU_SEC_CELLS];
	uint64_t left = __atomic_load_n(&cells->count, __ATOMIC_ACQUIRE);

	site_totals_untrack();
	totals.known = 0;
	totals.sites = sites;
	totals.full_epoch = rec.image->heap.epoch;
	memset(totals.sum, 0, sites * sizeof(*totals.sum));
	for (unsigned int i = 0; left && i < MU_TABLE_EXTENTS; i++) {
		uint64_t entries = (UINT64_C(1) << cells->first_log2) << i;
		uint64_t offset = __atomic_load_n(&cells->extent[i], __ATOMIC_ACQUIRE);
		uint64_t count = entries < left ? entries : left;

		if (offset)
			add_cell_run(arena_at(offset), count, is_alone);
		left -= count;
	}
}

/* The one thread has one cell of a site. Entries beyond totals.sites are still zero. */
static void add_changed_cells(uint64_t sites)
{
	totals.sites = sites;
	for (uint32_t i = 0; i < totals.changes; i++) {
		const struct mu_cell *cell = arena_at((uint64_t)totals.cell[i] * sizeof(*cell));

		totals.sum[cell->site] = (struct site_total){ cell->live_bytes, cell->live_blocks };
		note_known_site(cell);
	}
}

/* Begins an epoch at a new peak, to notice later changes. */
static void begin_tracking(void)
{
	if (rec.image->heap.now <= rec.image->heap.peak)
		return;
	heap_note_peak(false);
	site_totals_tracked.is_on = true;
	site_totals_tracked.epoch = rec.image->heap.epoch;
	totals.changes = 0;
}

/* Cells count them in fractions, snapshots do not. */
static void round_sampled_blocks(uint64_t sites)
{
	for (uint64_t i = 0; i < sites; i++)
		totals.sum[i].blocks = mu_sample_blocks((uint32_t)i, totals.sum[i].blocks);
}

bool site_totals_add_up(uint64_t *known, uint64_t *used)
{
	uint64_t sites = __atomic_load_n(&rec.image->table[MU_SEC_SITES].count, __ATOMIC_ACQUIRE);
	bool is_alone = gate.mode == MODE_STACKS && rec.image->heap.threads_max <= 1;

	*known = *used = 0;
	if (site_totals_tracked.is_on && is_alone && sites <= totals.room &&
	    rec.image->heap.epoch - totals.full_epoch < EPOCHS_FULL)
		add_changed_cells(sites);
	else if (make_sums_array(sites))
		add_all_cells(sites, is_alone);
	else
		return false;
	if (is_alone)
		begin_tracking();
	*known = totals.known;
	if (rec.flags & MU_CFG_SAMPLE)
		round_sampled_blocks(sites);
	for (uint64_t i = 0; i < sites; i++)
		*used += (totals.sum[i].bytes | totals.sum[i].blocks) != 0;
	return true;
}

uint64_t site_totals_cost(void)
{
	const struct mu_table *table = rec.image->table;

	if (site_totals_tracked.is_on)
		return COST_ALWAYS + totals.changes + table[MU_SEC_SITES].count / SITES_PER_CELL;
	return COST_ALWAYS + table[MU_SEC_CELLS].count;
}

uint64_t site_totals_to_array(struct mu_site_value *first, uint64_t capacity)
{
	struct mu_site_value *value = first;

	for (uint64_t i = 0; i < totals.sites && (uint64_t)(value - first) < capacity; i++)
		if (totals.sum[i].bytes || totals.sum[i].blocks)
			*value++ = (struct mu_site_value){ (uint32_t)i, 0, totals.sum[i].bytes,
							   totals.sum[i].blocks };
	return (uint64_t)(value - first);
}

/* ---- storing ------------------------------------------------------------------------------ */

static uint8_t *put_varint(uint8_t *to, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*to++ = (uint8_t)(number | 0x80);
	*to++ = (uint8_t)number;
	return to;
}

/* With many threads a sum can be below zero for a moment. */
static uint64_t zigzag_encode(int64_t number)
{
	return (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
}

/* An empty piece at the end of the chain. */
static struct mu_values *append_piece(struct site_totals *v, uint64_t limit)
{
	uint64_t offset = totals.free_pieces;
	struct mu_values *piece;

	if ((totals.used_pieces + 1) * PIECE_BYTES > limit)
		return NULL;
	if (offset)
		totals.free_pieces = ((struct mu_values *)arena_at(offset))->next;
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
	totals.used_pieces++;
	return piece;
}

static void finish_piece(struct site_totals *v, struct mu_values *piece, const uint8_t *end)
{
	piece->used = (uint32_t)(end - piece->byte);
	v->bytes += piece->used;
}

bool site_totals_store(struct site_totals *v, uint64_t limit)
{
	uint64_t next = 0; /* the smallest site that may come */
	struct mu_values *piece;

	*v = (struct site_totals){ 0 };
	piece = append_piece(v, limit);
	if (!piece)
		return false;
	uint8_t *to = piece->byte;
	for (uint64_t i = 0; i < totals.sites; i++) {
		if (!totals.sum[i].bytes && !totals.sum[i].blocks)
			continue;
		if ((size_t)(piece->byte + PIECE_ROOM - to) < VALUE_MAX) {
			finish_piece(v, piece, to);
			piece = append_piece(v, limit);
			if (!piece) {
				site_totals_free(v);
				return false;
			}
			to = piece->byte;
		}
		to = put_varint(to, i - next);
		to = put_varint(to, zigzag_encode(totals.sum[i].bytes));
		to = put_varint(to, zigzag_encode(totals.sum[i].blocks));
		next = i + 1;
	}
	finish_piece(v, piece, to);
	return true;
}

void site_totals_free(struct site_totals *v)
{
	if (v->pieces) {
		((struct mu_values *)arena_at(v->last))->next = totals.free_pieces;
		totals.free_pieces = v->first;
		totals.used_pieces -= v->pieces;
	}
	*v = (struct site_totals){ 0 };
}
