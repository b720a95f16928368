/* values.c -- what every site holds at a moment: added up, and stored with a snapshot.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/values.h"

#include <stddef.h>
#include <string.h>

#include "libmemusage/arena.h"
#include "libmemusage/memory.h"
#include "libmemusage/recorder.h"

#define PIECE_BYTES 1024u
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

void values_init(void)
{
	pieces_free = pieces_used = 0;
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

/* Adds up cells that lie side by side. Returns `known` of values_sum(). */
static uint64_t add_cells(const struct mu_cell *cell, uint64_t count, uint64_t known)
{
	for (const struct mu_cell *end = cell + count; cell < end; cell++) {
		if (cell->site >= summed_sites)
			continue;
		sums[cell->site].bytes += cell->live_bytes;
		sums[cell->site].blocks += cell->live_blocks;
		if (cell->site >= known && cell->total_blocks)
			known = cell->site + 1;
	}
	return known;
}

bool values_sum(uint64_t *known, uint64_t *used)
{
	struct mu_table *cells = &rec.image->table[MU_SEC_CELLS];
	uint64_t sites = __atomic_load_n(&rec.image->table[MU_SEC_SITES].count, __ATOMIC_ACQUIRE);
	uint64_t left = __atomic_load_n(&cells->count, __ATOMIC_ACQUIRE);

	*known = *used = 0;
	if (!make_scratch(sites))
		return false;
	summed_sites = sites;
	memset(sums, 0, sites * sizeof(*sums));
	for (unsigned int i = 0; left && i < MU_TABLE_EXTENTS; i++) {
		uint64_t entries = (UINT64_C(1) << cells->first_log2) << i;
		uint64_t offset = __atomic_load_n(&cells->extent[i], __ATOMIC_ACQUIRE);
		uint64_t count = entries < left ? entries : left;

		if (offset)
			*known = add_cells(at(offset), count, *known);
		left -= count;
	}
	for (uint64_t i = 0; i < sites; i++)
		*used += (sums[i].bytes | sums[i].blocks) != 0;
	return true;
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
		pieces_free = ((struct mu_values *)at(offset))->next;
	else
		offset = arena_alloc(PIECE_BYTES, 64);
	if (!offset)
		return NULL;
	piece = at(offset);
	piece->next = 0;
	piece->used = 0;
	if (v->last)
		((struct mu_values *)at(v->last))->next = offset;
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
		((struct mu_values *)at(v->last))->next = pieces_free;
		pieces_free = v->first;
		pieces_used -= v->pieces;
	}
	*v = (struct values){ 0 };
}
