/* page_groups.c -- Pages of the heap, added up by the sites that have live blocks there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/pages/page_groups.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"

enum { SLOTS_FIRST = 1024 };

/* ---- finding a group ------------------------------------------------------------------------ */

static uint64_t hash_sites(const struct mu_page_use *use, uint32_t count)
{
	uint64_t hash = count;

	for (uint32_t i = 0; i < count; i++)
		hash = (hash ^ use[i].site) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
	return hash ^ hash >> 32;
}

static bool has_sites(const struct page_groups *g, const struct mu_page_group *group,
		      const struct mu_page_use *use, uint32_t count)
{
	if (group->count != count)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (g->use[group->first + i].site != use[i].site)
			return false;
	}
	return true;
}

/* Returns the slot of a group, or the free one that it would get. */
static uint32_t *find_slot(const struct page_groups *g, const struct mu_page_use *use,
			   uint32_t count)
{
	uint64_t at = hash_sites(use, count);

	for (;; at++) {
		uint32_t *slot = &g->slot[at & (g->slots - 1)];

		if (*slot == 0 || has_sites(g, &g->group[*slot - 1], use, count))
			return slot;
	}
}

static void grow_slots(struct page_groups *g)
{
	free(g->slot);
	g->slots = g->slots ? 2 * g->slots : SLOTS_FIRST;
	g->slot = xcalloc(g->slots, sizeof(*g->slot));
	for (uint32_t i = 0; i < g->count; i++) {
		const struct mu_page_group *group = &g->group[i];

		*find_slot(g, g->use + group->first, group->count) = i + 1;
	}
}

/* ---- adding --------------------------------------------------------------------------------- */

static struct mu_page_group *append_group(struct page_groups *g, const struct mu_page_use *use,
					  uint32_t count)
{
	array_reserve(&g->group, &g->room, g->count + UINT64_C(1), sizeof(*g->group));
	array_reserve(&g->use, &g->use_room, g->uses + (uint64_t)count, sizeof(*g->use));
	for (uint32_t i = 0; i < count; i++)
		g->use[g->uses + i] = (struct mu_page_use){ .site = use[i].site };
	g->group[g->count] = (struct mu_page_group){ .first = g->uses, .count = count };
	g->uses += count;
	return &g->group[g->count++];
}

void page_groups_add(struct page_groups *g, const struct mu_page_use *use, uint32_t count,
		     uint64_t slack, bool is_sparse)
{
	struct mu_page_group *group;
	uint32_t *slot;

	if (g->count >= g->slots / 2)
		grow_slots(g);
	slot = find_slot(g, use, count);
	group = *slot ? &g->group[*slot - 1] : append_group(g, use, count);
	*slot = (uint32_t)(group - g->group) + 1;
	group->pages++;
	group->sparse += is_sparse;
	group->slack += slack;
	for (uint32_t i = 0; i < count; i++)
		g->use[group->first + i].bytes += use[i].bytes;
}

/* ---- the limit ------------------------------------------------------------------------------ */

/* Groups of one site first, then those with most slack. */
static int compare_importance(const void *a, const void *b)
{
	const struct mu_page_group *x = a, *y = b;

	if ((x->count == 1) != (y->count == 1))
		return x->count == 1 ? -1 : 1;
	if (x->slack != y->slack)
		return x->slack > y->slack ? -1 : 1;
	return x->first < y->first ? -1 : 1;
}

static int compare_sites(const void *a, const void *b)
{
	const struct mu_page_use *x = a, *y = b;

	return (x->site > y->site) - (x->site < y->site);
}

/* Appends the uses of groups FROM on, and adds up those of one site. */
static uint32_t append_union(const struct page_groups *g, uint32_t from, struct mu_page_use *use)
{
	uint32_t count = 0, kept = 0;

	for (uint32_t i = from; i < g->count; i++) {
		const struct mu_page_group *group = &g->group[i];

		memcpy(use + count, g->use + group->first, group->count * sizeof(*use));
		count += group->count;
	}
	qsort(use, count, sizeof(*use), compare_sites);
	for (uint32_t i = 0; i < count; i++) {
		if (kept > 0 && use[kept - 1].site == use[i].site)
			use[kept - 1].bytes += use[i].bytes;
		else
			use[kept++] = use[i];
	}
	return kept;
}

static struct mu_page_group add_up_groups(const struct page_groups *g, uint32_t from)
{
	struct mu_page_group sum = { .pages = 0 };

	for (uint32_t i = from; i < g->count; i++) {
		sum.pages += g->group[i].pages;
		sum.sparse += g->group[i].sparse;
		sum.slack += g->group[i].slack;
	}
	return sum;
}

/* Moves the uses of the first KEPT groups to the front, and appends one group for all others. */
static void merge_groups(struct page_groups *g, uint32_t kept)
{
	struct mu_page_use *use = xcalloc((size_t)g->uses + 1, sizeof(*use));
	struct mu_page_group sum = add_up_groups(g, kept);
	uint32_t at = 0;

	for (uint32_t i = 0; i < kept; i++) {
		struct mu_page_group *group = &g->group[i];

		memcpy(use + at, g->use + group->first, group->count * sizeof(*use));
		group->first = at;
		at += group->count;
	}
	sum.first = at;
	sum.count = append_union(g, kept, use + at);
	free(g->use);
	g->use = use;
	g->use_room = g->uses + 1;
	g->uses = at + sum.count;
	g->group[kept] = sum;
	g->count = kept + 1;
}

bool page_groups_limit(struct page_groups *g, uint32_t most)
{
	uint64_t uses = 0;
	uint32_t kept = 0;

	if (g->uses <= most)
		return false;
	qsort(g->group, g->count, sizeof(*g->group), compare_importance);
	while (kept < g->count &&
	       (g->group[kept].count == 1 || uses + g->group[kept].count <= most / 2))
		uses += g->group[kept++].count;
	if (g->count - kept < 2)
		return false;
	merge_groups(g, kept);
	return true;
}

void page_groups_free(struct page_groups *g)
{
	free(g->group);
	free(g->use);
	free(g->slot);
	*g = (struct page_groups){ .count = 0 };
}
