/* holders_parts.c -- The lines of the report on what holds the heap.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/holders_parts.h"

#include <stdlib.h>
#include <string.h>

#include "cli/layout.h"
#include "cli/terminal.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "formats/holders/root_text.h"
#include "memusageprint/text/metric_text.h"

enum { TYPE_COLUMNS = 100, INDENT = 2 };

/* ---- names ------------------------------------------------------------------------------ */

/* Prints a text of this module's own making, and frees it. */
static void put_and_free(FILE *out, char *text)
{
	terminal_put(out, text);
	free(text);
}

static struct root_words words_of_report(const struct holders_report *r)
{
	return (struct root_words){ r->h, &r->names, r->moment, r->pid, &r->groups };
}

static void put_root(FILE *out, const struct holders_report *r, uint32_t root)
{
	const struct root_words words = words_of_report(r);

	put_and_free(out, root_text(&words, root));
}

static void put_set(FILE *out, const struct holders_report *r, uint32_t set)
{
	const struct root_words words = words_of_report(r);

	put_and_free(out, root_text_of_set(&words, set));
}

static void put_place(FILE *out, const struct holders_report *r, uint32_t number)
{
	if (number >= r->numbers || !r->entry[number])
		fputs("[others]", out);
	else
		toplist_put_name(out, r->list, &r->top.entry[r->entry[number] - 1]);
}

/* Long names of templates are cut, and never within a character. */
static void put_type(FILE *out, const char *type)
{
	const char *cut = type;

	if (strlen(type) <= TYPE_COLUMNS) {
		terminal_put(out, type);
		return;
	}
	while (cut < type + TYPE_COLUMNS) {
		bool is_shown;
		const size_t size = terminal_character(cut, strlen(cut), &is_shown);

		cut += size;
	}
	char *start = xstrndup(type, (size_t)(cut - type));
	terminal_put(out, start);
	fputs("...", out);
	free(start);
}

static void put_blocks(FILE *out, const struct holders_report *r, const struct holder_node *n)
{
	const char *type = holder_names_type(&r->names, n->site);
	char count[UNITS_LENGTH], own[UNITS_LENGTH];

	if (n->blocks != 1)
		fprintf(out, "%s x ", units_grouped(count, n->blocks));
	if (*type) {
		put_type(out, type);
		fputs(" at ", out);
	}
	put_place(out, r, n->what);
	if (n->all_bytes != n->bytes)
		fprintf(out, ", %s", units_bytes(own, n->bytes));
}

void holders_put_node(FILE *out, const struct holders_report *r, const struct holder_node *n)
{
	switch (n->kind) {
	case MU_HOLDER_ROOT:
		put_root(out, r, n->what);
		break;
	case MU_HOLDER_SET:
		put_set(out, r, n->what);
		break;
	case MU_HOLDER_SITE:
		put_blocks(out, r, n);
		break;
	default:
		fputs("[others]", out);
	}
}

/* ---- trees ------------------------------------------------------------------------------ */

void holders_build_tree(struct holder_places *l, const struct holders_report *r, uint32_t moment,
			const struct mu_holder_node *node, uint32_t count)
{
	struct mu_holder_node *folded = xcalloc((size_t)count + 1, sizeof(*folded));

	holder_places_build(l, folded, holder_groups_fold(&r->groups, moment, node, count, folded),
			    r->number, &r->names);
	free(folded);
}

static void put_amount(FILE *out, const struct holders_report *r, uint64_t bytes)
{
	const uint64_t heap = r->retained.node[0].all_bytes;
	char amount[UNITS_LENGTH];

	fprintf(out, "%11s " LAYOUT_STRONG "%5.1f%%" LAYOUT_PLAIN " ", units_bytes(amount, bytes),
		metric_text_percent((int64_t)bytes, (int64_t)heap));
}

static void put_figures(FILE *out, const struct holders_report *r, uint64_t bytes,
			uint64_t blocks)
{
	char count[UNITS_LENGTH];

	put_amount(out, r, bytes);
	fprintf(out, "%13s  " LAYOUT_TEXT, units_grouped(count, blocks));
}

void holders_put_title(FILE *out, const char *amount, const char *text)
{
	fprintf(out, "\n" LAYOUT_TITLE "%11s %6s %13s  " LAYOUT_TEXT "%s\n", amount, "%", "blocks",
		text);
}

void holders_put_gain(FILE *out, const struct holders_report *r, int64_t bytes, int64_t blocks,
		      unsigned int level)
{
	char count[UNITS_LENGTH + 1] = "0";

	put_amount(out, r, (uint64_t)bytes);
	if (blocks != 0)
		units_grouped(count + 1, (uint64_t)llabs(blocks));
	count[0] = blocks > 0 ? '+' : blocks < 0 ? '-' : '0';
	fprintf(out, "%13s  " LAYOUT_TEXT "%*s", count, (int)level * INDENT, "");
}

/* A tree that is being printed. */
struct tree_printer {
	FILE *out;
	const struct holders_report *r;
	const struct holder_places *l;
	double least;	 /* bytes */
};

static void put_children(const struct tree_printer *p, uint32_t node, unsigned int level);

static void put_subtree(const struct tree_printer *p, uint32_t node, unsigned int level)
{
	const struct holder_node *n = &p->l->node[node];

	put_figures(p->out, p->r, n->all_bytes, n->all_blocks);
	fprintf(p->out, "%*s", (int)level * INDENT, "");
	holders_put_node(p->out, p->r, n);
	putc('\n', p->out);
	if (level + 1 < p->r->depth)
		put_children(p, node, level + 1);
}

static void put_others(const struct tree_printer *p, uint64_t bytes, uint64_t blocks,
		       unsigned int level)
{
	if (blocks == 0 || (double)bytes < p->least)
		return;
	put_figures(p->out, p->r, bytes, blocks);
	fprintf(p->out, "%*s[others]\n", (int)level * INDENT, "");
}

/* The nodes that are too small for a line, and those beyond the wanted number of roots, are one. */
static void put_children(const struct tree_printer *p, uint32_t node, unsigned int level)
{
	uint32_t *child = xcalloc((size_t)p->l->count + 1, sizeof(*child));
	const uint32_t count = holder_places_children(p->l, node, child);
	const uint32_t most = level == 0 ? p->r->list->count : count;
	uint64_t bytes = 0, blocks = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct holder_node *n = &p->l->node[child[i]];

		if (i < most && (double)n->all_bytes >= p->least && n->kind != MU_HOLDER_REST) {
			put_subtree(p, child[i], level);
			continue;
		}
		bytes += n->all_bytes;
		blocks += n->all_blocks;
	}
	put_others(p, bytes, blocks, level);
	free(child);
}

void holders_put_tree(FILE *out, const struct holders_report *r, const struct holder_places *l)
{
	const struct tree_printer p = {
		.out = out, .r = r, .l = l,
		.least = r->threshold / 100 * (double)l->node[0].all_bytes,
	};

	put_children(&p, 0, 0);
}

/* ---- places ----------------------------------------------------------------------------- */

/* A place with all that its nodes retain; no node is below another one of the same place. */
struct place_sum {
	uint32_t node; /* one of them */
	uint64_t bytes, blocks, own_bytes, own_blocks;
};

static int compare_keys(const void *a, const void *b, void *data)
{
	const struct holder_node *node = data;
	const struct holder_node *x = &node[((const struct place_sum *)a)->node];
	const struct holder_node *y = &node[((const struct place_sum *)b)->node];

	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	return x->type < y->type ? -1 : x->type > y->type;
}

static int compare_sums(const void *a, const void *b)
{
	const struct place_sum *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static uint32_t list_places(struct place_sum *sum, struct holder_node *node, uint32_t nodes)
{
	uint32_t count = 0, kept = 0;

	for (uint32_t i = 1; i < nodes; i++) {
		if (node[i].kind == MU_HOLDER_SITE)
			sum[count++] = (struct place_sum){ i, node[i].all_bytes, node[i].all_blocks,
							   node[i].bytes, node[i].blocks };
	}
	qsort_r(sum, count, sizeof(*sum), compare_keys, node);
	for (uint32_t i = 0; i < count; i++) {
		struct place_sum *last = kept ? &sum[kept - 1] : NULL;

		if (!last || compare_keys(last, &sum[i], node) != 0) {
			sum[kept++] = sum[i];
			continue;
		}
		last->bytes += sum[i].bytes;
		last->blocks += sum[i].blocks;
		last->own_bytes += sum[i].own_bytes;
		last->own_blocks += sum[i].own_blocks;
	}
	qsort(sum, kept, sizeof(*sum), compare_sums);
	return kept;
}

static void put_place_sum(FILE *out, const struct holders_report *r, const struct place_sum *sum)
{
	struct holder_node n = r->retained.node[sum->node];

	n.bytes = n.all_bytes = sum->own_bytes;
	n.blocks = sum->own_blocks;
	put_figures(out, r, sum->bytes, sum->blocks);
	put_blocks(out, r, &n);
	if (sum->bytes != sum->own_bytes) {
		char own[UNITS_LENGTH];

		fprintf(out, ", %s", units_bytes(own, sum->own_bytes));
	}
	putc('\n', out);
}

void holders_put_places(FILE *out, const struct holders_report *r)
{
	const struct holder_places *l = &r->retained;
	struct place_sum *sum = xcalloc((size_t)l->count + 1, sizeof(*sum));
	const uint32_t count = list_places(sum, l->node, l->count);
	const double least = r->threshold / 100 * (double)l->node[0].all_bytes;

	for (uint32_t i = 0; i < count && i < r->list->count && (double)sum[i].bytes >= least; i++)
		put_place_sum(out, r, &sum[i]);
	free(sum);
}
