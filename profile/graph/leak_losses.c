/* leak_losses.c -- The blocks of a leak check, added up by site and kind.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/graph/leak_losses.h"

#include <stdbool.h>
#include <stdlib.h>

#include "cli/xmalloc.h"

enum { FIRST_ROOM = 256 };

/* Losses by site, kind and heuristic. An entry without blocks is free. */
struct loss_table {
	struct mu_loss *entry;
	size_t room; /* a power of two */
	size_t count;
};

/* One order of losses, for sorting and for comparing. */
static int compare_losses(const void *a, const void *b)
{
	const struct mu_loss *x = a, *y = b;

	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (int)x->heuristic - (int)y->heuristic;
}

/* Returns the entry of KEY, or the free one where it belongs. */
static struct mu_loss *find_entry(const struct loss_table *t, const struct mu_loss *key)
{
	uint64_t hash = ((uint64_t)key->site << 8 | (uint64_t)key->kind << 4 | key->heuristic) *
			UINT64_C(0x9e3779b97f4a7c15);
	size_t at = (size_t)(hash >> 32) & (t->room - 1);

	while (t->entry[at].blocks > 0 && compare_losses(&t->entry[at], key) != 0)
		at = (at + 1) & (t->room - 1);
	return &t->entry[at];
}

static void double_table(struct loss_table *t)
{
	struct loss_table bigger = { .room = t->room ? 2 * t->room : FIRST_ROOM,
				     .count = t->count };

	bigger.entry = xcalloc(bigger.room, sizeof(*bigger.entry));
	for (size_t i = 0; i < t->room; i++) {
		if (t->entry[i].blocks > 0)
			*find_entry(&bigger, &t->entry[i]) = t->entry[i];
	}
	free(t->entry);
	*t = bigger;
}

static void add_loss(struct loss_table *t, const struct mu_loss *loss)
{
	struct mu_loss *entry;

	if (2 * t->count >= t->room)
		double_table(t);
	entry = find_entry(t, loss);
	if (entry->blocks == 0) {
		t->count++;
		*entry = *loss;
		return;
	}
	entry->bytes += loss->bytes;
	entry->blocks += loss->blocks;
}

static struct mu_loss loss_of_block(const struct block_set *blocks, const struct leak_marks *m,
				    uint32_t i)
{
	const bool has_name = m->kind[i] == LEAK_REACHABLE && m->heuristic[i] != LEAK_EXPLAINED;

	return (struct mu_loss){
		.site = blocks->block[i].site,
		.kind = m->kind[i],
		.heuristic = has_name ? m->heuristic[i] : 0,
		.bytes = blocks->block[i].size,
		.blocks = 1,
	};
}

/* After all blocks: each leader's entry is there. */
static void add_indirect_block(struct loss_table *t, const struct block_set *blocks,
			       const struct leak_marks *m, uint32_t i)
{
	const struct mu_loss leader = loss_of_block(blocks, m, m->leader[i]);
	struct mu_loss *entry = find_entry(t, &leader);

	entry->indirect_bytes += blocks->block[i].size;
	entry->indirect_blocks++;
}

void leak_losses_add_up(struct leak_losses *l, const struct block_set *blocks,
			const struct leak_marks *m)
{
	struct loss_table t = { .room = 0 };

	double_table(&t);
	for (uint32_t i = 0; i < blocks->count; i++) {
		const struct mu_loss loss = loss_of_block(blocks, m, i);

		add_loss(&t, &loss);
	}
	for (uint32_t i = 0; i < blocks->count; i++) {
		if (m->kind[i] == LEAK_INDIRECT)
			add_indirect_block(&t, blocks, m, i);
	}
	*l = (struct leak_losses){ .loss = t.entry };
	for (size_t i = 0; i < t.room; i++) {
		if (t.entry[i].blocks > 0)
			l->loss[l->count++] = t.entry[i];
	}
	qsort(l->loss, l->count, sizeof(*l->loss), compare_losses);
}

void leak_losses_free(struct leak_losses *l)
{
	free(l->loss);
	*l = (struct leak_losses){ .count = 0 };
}
