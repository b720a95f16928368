/* holders_growth.c -- What holds more of the heap than at an earlier moment, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/holders_growth.h"

#include <stdlib.h>
#include <string.h>

#include "cli/layout.h"
#include "cli/units.h"
#include "cli/xmalloc.h"

#define NO_NODE UINT32_MAX

/* Two trees of a process, of an earlier moment and of that of the report. */
struct comparison {
	const struct holders_report *r;
	struct holder_places before;
	uint32_t moment;	 /* of the earlier one */
	const struct holders *h; /* the same */
	int64_t *bytes, *blocks; /* per node of the later tree, what it gained with all below it */
	uint64_t lost;		 /* bytes that roots and sets lost */
	double least;		 /* bytes below which nothing has a line */
};

/* ---- the same thing at both moments ----------------------------------------------------- */

/* Roots have other numbers at each moment. */
static bool is_same_root(const struct comparison *c, uint32_t earlier, uint32_t later)
{
	const struct mu_holder_root *a = &c->h->root[earlier], *b = &c->r->h->root[later];
	const bool has_name = *holder_names_root(&c->r->names, c->moment, earlier) != '\0';
	const struct holder_groups *g = &c->r->groups;
	const uint32_t group = holder_groups_of_root(g, c->moment, earlier)->number;

	if (group)
		return holder_groups_of_root(g, c->r->moment, later)->number == group;
	return a->kind == b->kind && a->thread == b->thread &&
	       (has_name || a->kind != MU_HOLDER_MAPPING || a->address == b->address) &&
	       strcmp(holder_names_root(&c->r->names, c->moment, earlier),
		      holder_names_root(&c->r->names, c->r->moment, later)) == 0 &&
	       strcmp(holders_text(c->h, a->object), holders_text(c->r->h, b->object)) == 0;
}

static bool has_root(const struct comparison *c, const struct mu_holder_set *set, uint32_t later)
{
	for (uint32_t i = 0; i < set->count; i++) {
		if (is_same_root(c, set->root[i], later))
			return true;
	}
	return false;
}

static bool is_same_set(const struct comparison *c, uint32_t earlier, uint32_t later)
{
	const struct mu_holder_set *a = &c->h->set[earlier], *b = &c->r->h->set[later];

	if (a->count != b->count)
		return false;
	for (uint32_t i = 0; b->count <= MU_HOLDER_SET_MOST && i < b->count; i++) {
		if (!has_root(c, a, b->root[i]))
			return false;
	}
	return true;
}

static bool is_same_node(const struct comparison *c, const struct holder_node *earlier,
			 const struct holder_node *later)
{
	if (earlier->kind != later->kind)
		return false;
	switch (later->kind) {
	case MU_HOLDER_ROOT:
		return is_same_root(c, earlier->what, later->what);
	case MU_HOLDER_SET:
		return is_same_set(c, earlier->what, later->what);
	default:
		return earlier->what == later->what && earlier->type == later->type;
	}
}

static uint32_t find_child(const struct comparison *c, uint32_t parent,
			   const struct holder_node *earlier)
{
	const struct holder_places *l = &c->r->retained;

	for (uint32_t i = parent + 1; parent != NO_NODE && i < l->count; i++) {
		if (l->node[i].parent == parent && is_same_node(c, earlier, &l->node[i]))
			return i;
	}
	return NO_NODE;
}

/* ---- comparison ------------------------------------------------------------------------- */

static void subtract_earlier(struct comparison *c)
{
	uint32_t *later = xcalloc((size_t)c->before.count + 1, sizeof(*later));

	for (uint32_t i = 0; i < c->before.count; i++) {
		const struct holder_node *n = &c->before.node[i];
		const uint32_t found = i ? find_child(c, later[n->parent], n) : 0;

		later[i] = found;
		if (found != NO_NODE) {
			c->bytes[found] -= (int64_t)n->all_bytes;
			c->blocks[found] -= (int64_t)n->all_blocks;
		} else if (n->parent == 0) {
			c->lost += n->all_bytes;
		}
	}
	free(later);
}

static void add_up_losses(struct comparison *c)
{
	const struct holder_places *l = &c->r->retained;

	for (uint32_t i = 1; i < l->count; i++) {
		if (l->node[i].parent == 0 && c->bytes[i] < 0)
			c->lost += (uint64_t)-c->bytes[i];
	}
}

static void compare_moments(struct comparison *c, const struct holders_report *r)
{
	const struct holder_places *l = &r->retained;

	*c = (struct comparison){ .r = r, .h = &r->moments->at[0] };
	c->least = r->threshold / 100 * (double)l->node[0].all_bytes;
	c->bytes = xcalloc((size_t)l->count + 1, sizeof(*c->bytes));
	c->blocks = xcalloc((size_t)l->count + 1, sizeof(*c->blocks));
	for (uint32_t i = 0; i < l->count; i++) {
		c->bytes[i] = (int64_t)l->node[i].all_bytes;
		c->blocks[i] = (int64_t)l->node[i].all_blocks;
	}
	holders_build_tree(&c->before, r, c->moment, c->h->retained, c->h->head->retained);
	subtract_earlier(c);
	add_up_losses(c);
}

static void free_comparison(struct comparison *c)
{
	holder_places_free(&c->before);
	free(c->bytes);
	free(c->blocks);
}

/* ---- lines ------------------------------------------------------------------------------ */

static int compare_gains(const void *a, const void *b, void *data)
{
	const struct comparison *c = data;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (c->bytes[x] != c->bytes[y])
		return c->bytes[x] > c->bytes[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Returns whether there is any line. */
static bool put_gains(FILE *out, struct comparison *c, uint32_t node, unsigned int level)
{
	const struct holder_places *l = &c->r->retained;
	uint32_t *child = xcalloc((size_t)l->count + 1, sizeof(*child));
	uint32_t count = holder_places_children(l, node, child), lines = 0;

	qsort_r(child, count, sizeof(*child), compare_gains, c);
	if (level == 0 && count > c->r->list->count)
		count = c->r->list->count;
	for (; lines < count; lines++) {
		const uint32_t i = child[lines];

		if (c->bytes[i] <= 0 || (double)c->bytes[i] < c->least)
			break;
		holders_put_gain(out, c->r, c->bytes[i], c->blocks[i], level);
		holders_put_node(out, c->r, &l->node[i]);
		putc('\n', out);
		if (level + 1 < c->r->depth)
			put_gains(out, c, i, level + 1);
	}
	free(child);
	return lines > 0;
}

static void put_sum(FILE *out, const struct comparison *c)
{
	const int64_t gained = c->bytes[0];
	char bytes[UNITS_LENGTH];

	if (gained == 0)
		fputs("as large as", out);
	else
		fprintf(out, "%s %s than", units_bytes(bytes, (uint64_t)llabs(gained)),
			gained > 0 ? "larger" : "smaller");
}

void holders_put_growth(FILE *out, const struct holders_report *r, uint64_t start_ns)
{
	struct comparison c;
	uint64_t since;
	char text[UNITS_LENGTH];

	if (r->moment == 0)
		return;
	compare_moments(&c, r);
	since = c.h->head->mono_ns;
	fputs("\nThe live heap is ", out);
	put_sum(out, &c);
	fprintf(out, " %s after the start, when it was %s:\n",
		units_time(text, since > start_ns ? since - start_ns : 0),
		r->h->head->flags & MU_HOLDERS_ON_DEMAND ? "examined before" :
							   "first examined");
	holders_put_title(out, "gained", "held by");
	if (!put_gains(out, &c, 0, 0))
		fputs("nothing holds much more\n", out);
	if (c.lost > 0)
		fprintf(out, "Others hold %s less.\n", units_bytes(text, c.lost));
	free_comparison(&c);
}
