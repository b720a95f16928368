/* site_links.c -- Which sites' blocks, and which roots, hold blocks of which sites.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/graph/site_links.h"

#include <stdlib.h>

#include "cli/xmalloc.h"

enum { FIRST_BITS = 10 };

/* A hash table of all links; one without pointers is a free slot. */
struct link_table {
	struct mu_holder_link *slot;
	unsigned int bits;
	uint64_t used;
};

static uint64_t hash_of_link(const struct mu_holder_link *l)
{
	const uint64_t key = ((uint64_t)l->from << 32 | l->to) ^ (uint64_t)l->kind << 31;

	return key * UINT64_C(0x9e3779b97f4a7c15);
}

static bool is_same_link(const struct mu_holder_link *a, const struct mu_holder_link *b)
{
	return a->from == b->from && a->to == b->to && a->kind == b->kind;
}

static struct mu_holder_link *slot_of_link(const struct link_table *t,
					   const struct mu_holder_link *l)
{
	const uint64_t mask = (UINT64_C(1) << t->bits) - 1;
	uint64_t i = hash_of_link(l) >> (64 - t->bits);

	while (t->slot[i].pointers > 0 && !is_same_link(&t->slot[i], l))
		i = (i + 1) & mask;
	return &t->slot[i];
}

static void grow_table(struct link_table *t)
{
	const struct link_table before = *t;

	t->bits = before.bits ? before.bits + 1 : FIRST_BITS;
	t->slot = xcalloc((size_t)1 << t->bits, sizeof(*t->slot));
	for (uint64_t i = 0; before.bits && i < UINT64_C(1) << before.bits; i++) {
		if (before.slot[i].pointers > 0)
			*slot_of_link(t, &before.slot[i]) = before.slot[i];
	}
	free(before.slot);
}

static void count_pointer(struct link_table *t, const struct mu_holder_link *l)
{
	struct mu_holder_link *slot = slot_of_link(t, l);

	slot->pointers++;
	if (slot->pointers > 1)
		return;
	slot->from = l->from;
	slot->to = l->to;
	slot->kind = l->kind;
	if (++t->used * 2 > UINT64_C(1) << t->bits)
		grow_table(t);
}

static void count_pointers(struct link_table *t, const struct holding *h,
			   const struct block_set *blocks)
{
	const uint32_t first_block = HOLDING_BLOCK(h, 0);

	for (uint32_t v = HOLDING_ROOT(0); v < h->graph.count; v++) {
		const bool is_block = v >= first_block;
		struct mu_holder_link l = {
			.kind = is_block ? MU_HOLDER_SITE : MU_HOLDER_ROOT,
			.from = is_block ? blocks->block[v - first_block].site : v - 1,
		};

		for (uint64_t i = h->graph.first[v]; i < h->graph.first[v + 1]; i++) {
			l.to = blocks->block[h->graph.to[i] - first_block].site;
			count_pointer(t, &l);
		}
	}
}

static int compare_links(const void *a, const void *b)
{
	const struct mu_holder_link *x = a, *y = b;

	if (x->pointers != y->pointers)
		return x->pointers > y->pointers ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

void site_links_find(struct site_links *l, const struct holding *h, const struct block_set *blocks,
		     uint32_t most)
{
	struct link_table t = { .bits = 0 };
	uint64_t count = 0;

	grow_table(&t);
	count_pointers(&t, h, blocks);
	for (uint64_t i = 0; i < UINT64_C(1) << t.bits; i++) {
		if (t.slot[i].pointers > 0)
			t.slot[count++] = t.slot[i];
	}
	qsort(t.slot, count, sizeof(*t.slot), compare_links);
	*l = (struct site_links){ .link = t.slot, .is_cut = count > most,
				  .count = count < most ? (uint32_t)count : most };
}

void site_links_free(struct site_links *l)
{
	free(l->link);
	*l = (struct site_links){ .count = 0 };
}
