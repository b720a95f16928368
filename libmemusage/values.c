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

static int64_t *bytes_of, *blocks_of; /* sums by site */
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
	if (bytes_of)
		memory_unmap(bytes_of, scratch_sites * (sizeof(*bytes_of) + sizeof(*blocks_of)));
	/* One mapping, so that there is none or all of it. */
	bytes_of = memory_map(want * (sizeof(*bytes_of) + sizeof(*blocks_of)));
	blocks_of = bytes_of ? bytes_of + want : NULL;
	scratch_sites = bytes_of ? want : 0;
	return bytes_of;
}

bool values_sum(uint64_t *known, uint64_t *used)
{
	struct mu_table *table = rec.image->table;
	uint64_t sites = __atomic_load_n(&table[MU_SEC_SITES].count, __ATOMIC_ACQUIRE);
	uint64_t cells = __atomic_load_n(&table[MU_SEC_CELLS].count, __ATOMIC_ACQUIRE);

	*known = *used = 0;
	if (!make_scratch(sites))
		return false;
	summed_sites = sites;
	memset(bytes_of, 0, sites * sizeof(*bytes_of));
	memset(blocks_of, 0, sites * sizeof(*blocks_of));
	for (uint64_t i = 0; i < cells; i++) {
		const struct mu_cell *cell = arena_table_at(&table[MU_SEC_CELLS], i);
		if (!cell || cell->site >= sites)
			continue;
		bytes_of[cell->site] += cell->live_bytes;
		blocks_of[cell->site] += cell->live_blocks;
		if (cell->total_blocks && cell->site >= *known)
			*known = cell->site + 1;
	}
	for (uint64_t i = 0; i < sites; i++)
		*used += bytes_of[i] || blocks_of[i];
	return true;
}

uint64_t values_array(struct mu_site_value *first, uint64_t capacity)
{
	struct mu_site_value *value = first;

	for (uint64_t i = 0; i < summed_sites && (uint64_t)(value - first) < capacity; i++)
		if (bytes_of[i] || blocks_of[i])
			*value++ = (struct mu_site_value){ (uint32_t)i, 0, bytes_of[i],
							   blocks_of[i] };
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
		if (!bytes_of[i] && !blocks_of[i])
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
		to = put_number(to, zigzag(bytes_of[i]));
		to = put_number(to, zigzag(blocks_of[i]));
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
