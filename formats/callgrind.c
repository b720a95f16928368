/* callgrind.c -- Writes a profile for KCachegrind, QCachegrind and callgrind_annotate.
 *
 *	fl=(3) /src/input.c            a function: its file, its name
 *	fn=(7) read_line
 *	34 40960 640                   a line of it and its own costs
 *	cfi=(4) /src/pool.c            a call from line 40: what is called there,
 *	cfn=(9) pool_get
 *	calls=0 12                     how often (unknown), its line
 *	40 512 2                       and the costs below the call
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/callgrind.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/base/bounds.h"
#include "formats/base/stacklist.h"
#include "formats/base/triples.h"
#include "formats/base/utf8.h"

enum { EVENTS = 7 };

static const struct {
	const char *name, *text;
} events[EVENTS] = {
	{ "peakB", "bytes live when the heap was largest" },
	{ "peakBk", "blocks live when the heap was largest" },
	{ "curB", "bytes live at the end" },
	{ "curBk", "blocks live at the end" },
	{ "totB", "bytes allocated in all" },
	{ "totBk", "blocks allocated in all" },
	{ "tmpBk", "temporary blocks" },
};

/* Own cost of a line, or that of a call from it. */
struct cost {
	int64_t value[EVENTS];
	uint32_t callee_line;
};

struct profile_writer {
	FILE *out;
	const struct profile *p;
	struct triples functions;	/* name, file, module; see find_or_add_function() */
	struct triples costs;		/* function, line, callee + 1 or 0 */
	struct cost *cost;		/* one per triple of costs */
	uint32_t cost_room;
	uint32_t *charged;		/* per function: the site that was charged last, + 1 */
	uint32_t charged_room;
	bool *is_function_named;	/* names are written once, then numbers stand for them */
	bool *is_file_named;
	bool *is_object_named;
};

/* ---- adding up ----------------------------------------------------------------------------- */

static uint32_t find_or_add_function(struct profile_writer *w, const struct stackitem *item)
{
	uint32_t module = w->p->location[item->location].module;

	if (item->level)
		return triples_add(&w->functions, item->level->full, item->level->file, module);
	return triples_add(&w->functions, 0, 0, module);
}

static struct cost *find_or_add_cost(struct profile_writer *w, uint32_t function, uint32_t line,
				     uint32_t callee)
{
	uint32_t number = triples_add(&w->costs, function, line, callee);

	if (number >= w->cost_room) {
		w->cost = xreallocarray(w->cost, w->costs.room, sizeof(*w->cost));
		for (; w->cost_room < w->costs.room; w->cost_room++)
			w->cost[w->cost_room] = (struct cost){ .callee_line = 0 };
	}
	return &w->cost[number];
}

static void add_site_cost(struct profile_writer *w, struct cost *cost, uint32_t site)
{
	const struct site *s = &w->p->sites.site[site];
	const int64_t value[EVENTS] = { s->peak_bytes, s->peak_blocks, s->live_bytes,
					s->live_blocks, (int64_t)s->total_bytes,
					(int64_t)s->total_blocks, (int64_t)s->temporary };

	for (int i = 0; i < EVENTS; i++) {
		int64_t sum;

		if (value[i] > 0 && !__builtin_add_overflow(cost->value[i], value[i], &sum))
			cost->value[i] = sum;
	}
}

/* A function that is on a stack several times has the cost of the stack once: where it is
 * innermost. Its inclusive cost, the sum of its lines, would exceed the whole otherwise. */
static bool mark_charged_function(struct profile_writer *w, uint32_t function, uint32_t site)
{
	if (function >= w->charged_room) {
		w->charged = xreallocarray(w->charged, w->functions.room, sizeof(*w->charged));
		for (; w->charged_room < w->functions.room; w->charged_room++)
			w->charged[w->charged_room] = 0;
	}
	if (w->charged[function] == site + 1)
		return true;
	w->charged[function] = site + 1;
	return false;
}

static uint32_t line_of_stack_item(const struct stackitem *item)
{
	return item->level ? item->level->line : 0;
}

static void add_stack_costs(struct profile_writer *w, const struct stacklist *list, uint32_t site)
{
	uint32_t callee = 0, callee_line = 0;

	for (size_t i = 0; i < list->count; i++) {
		uint32_t function = find_or_add_function(w, &list->item[i]);
		uint32_t line = line_of_stack_item(&list->item[i]);

		if (!mark_charged_function(w, function, site)) {
			struct cost *cost = find_or_add_cost(w, function, line, callee);

			add_site_cost(w, cost, site);
			cost->callee_line = callee_line;
		}
		callee = function + 1;
		callee_line = line;
	}
}

/* A stack of which nothing is known still has a cost. */
static void add_unknown_stack(struct profile_writer *w, uint32_t site)
{
	uint32_t function = triples_add(&w->functions, 0, 0, MODULES_NONE);

	add_site_cost(w, find_or_add_cost(w, function, 0, 0), site);
}

static void add_all_site_costs(struct profile_writer *w, const struct filter *f, struct cost *total)
{
	struct stacklist list = { .count = 0 };

	for (uint32_t i = 0; i < w->p->sites.count; i++) {
		struct filtered stack = filter_stack(f, w->p->sites.site[i].stack);

		if (stack.is_ignored || !sites_is_counted(&w->p->sites.site[i]))
			continue;
		add_site_cost(w, total, i);
		stacklist_set(&list, w->p, &stack);
		if (list.count == 0)
			add_unknown_stack(w, i);
		add_stack_costs(w, &list, i);
	}
	stacklist_free(&list);
}

/* ---- writing ------------------------------------------------------------------------------- */

void callgrind_put_name(FILE *out, const char *key, uint32_t number, bool *is_named,
			const char *name)
{
	fprintf(out, "%s=(%" PRIu32 ")", key, number + 1);
	if (!is_named[number]) {
		putc(' ', out);
		utf8_put_clean(out, name);
		is_named[number] = true;
	}
	putc('\n', out);
}

static void write_function_names(struct profile_writer *w, uint32_t function,
				 const char *const what[3])
{
	const struct triple *f = &w->functions.triple[function];
	const struct modules *m = &w->p->modules;
	uint32_t module = f->c < m->count ? f->c : m->count;
	const char *path = module < m->count ? m->module[module].path : "";
	const char *file = symbols_text(&w->p->symbols, f->b);
	const char *name = symbols_text(&w->p->symbols, f->a);
	char unknown[256];

	path = *path ? path : "unknown";
	snprintf(unknown, sizeof(unknown), "[%.250s]", basename(path));
	callgrind_put_name(w->out, what[0], module, w->is_object_named, path);
	callgrind_put_name(w->out, what[1], f->b, w->is_file_named, *file ? file : "???");
	callgrind_put_name(w->out, what[2], function, w->is_function_named, *name ? name : unknown);
}

static void write_cost_values(struct profile_writer *w, uint32_t line, const struct cost *cost)
{
	fprintf(w->out, "%" PRIu32, line);
	for (int i = 0; i < EVENTS; i++)
		fprintf(w->out, " %" PRId64, cost->value[i]);
	putc('\n', w->out);
}

/* A cost and what it is of, for sorting. */
struct cost_row {
	struct triple key;	/* function, line, callee + 1 or 0 */
	uint32_t cost;
};

/* By function, its own costs before its calls. */
static int compare_row_functions(const void *a, const void *b)
{
	const struct triple *x = &((const struct cost_row *)a)->key;
	const struct triple *y = &((const struct cost_row *)b)->key;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	if (x->c != y->c)
		return x->c < y->c ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

static void write_cost_rows(struct profile_writer *w, const struct cost_row *row)
{
	static const char *const own[3] = { "ob", "fl", "fn" };
	static const char *const called[3] = { "cob", "cfi", "cfn" };

	for (uint32_t i = 0; i < w->costs.count; i++) {
		const struct triple *key = &row[i].key;
		const struct cost *cost = &w->cost[row[i].cost];

		if (i == 0 || row[i - 1].key.a != key->a) {
			putc('\n', w->out);
			write_function_names(w, key->a, own);
		}
		if (key->c) {
			write_function_names(w, key->c - 1, called);
			fprintf(w->out, "calls=0 %" PRIu32 "\n", cost->callee_line);
		}
		write_cost_values(w, key->b, cost);
	}
}

static void write_file_head(struct profile_writer *w, const struct export *e)
{
	char text[BOUNDS_TEXT];

	fprintf(w->out, "# callgrind format\nversion: 1\ncreator: memusage-%s\n"
		"pid: %" PRIu32 "\ncmd: ", e->version, e->pid);
	utf8_put_clean(w->out, e->command);
	putc('\n', w->out);
	if (*bounds_describe(text, &w->p->sites, e->image))
		fprintf(w->out, "desc: %s\n", text);
	fputs("\npositions: line\n", w->out);
	for (int i = 0; i < EVENTS; i++)
		fprintf(w->out, "event: %s : %s\n", events[i].name, events[i].text);
	fputs("events:", w->out);
	for (int i = 0; i < EVENTS; i++)
		fprintf(w->out, " %s", events[i].name);
	putc('\n', w->out);
}

static void write_totals_line(struct profile_writer *w, const struct cost *total)
{
	fputs("\ntotals:", w->out);
	for (int i = 0; i < EVENTS; i++)
		fprintf(w->out, " %" PRId64, total->value[i]);
	putc('\n', w->out);
}

static void write_profile(struct profile_writer *w, const struct export *e,
			  const struct cost *total)
{
	struct cost_row *row = xcalloc((size_t)w->costs.count + 1, sizeof(*row));

	w->is_function_named = xcalloc((size_t)w->functions.count + 1, sizeof(bool));
	w->is_file_named = xcalloc((size_t)w->p->symbols.strings.count + 1, sizeof(bool));
	w->is_object_named = xcalloc((size_t)w->p->modules.count + 1, sizeof(bool));
	for (uint32_t i = 0; i < w->costs.count; i++)
		row[i] = (struct cost_row){ w->costs.triple[i], i };
	qsort(row, w->costs.count, sizeof(*row), compare_row_functions);
	write_file_head(w, e);
	write_cost_rows(w, row);
	write_totals_line(w, total);
	free(row);
}

void callgrind_write(FILE *out, const struct export *e)
{
	struct profile_writer w = { .out = out, .p = e->filter->profile };
	struct cost total = { .callee_line = 0 };

	add_all_site_costs(&w, e->filter, &total);
	write_profile(&w, e, &total);
	triples_free(&w.functions);
	triples_free(&w.costs);
	free(w.cost);
	free(w.charged);
	free(w.is_function_named);
	free(w.is_file_named);
	free(w.is_object_named);
}
