/* top.c -- lists of who holds the most.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/top.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"

#define NAMELESS (UINT64_C(1) << 63)	/* numbers of texts are smaller */

/* One stack while places are summed up. */
struct item {
	uint64_t high, low;	/* both equal for one line; high alone for one function */
	struct top_entry entry;
};

struct top_builder {
	struct top *t;
	const struct filter *filter;
	const struct profile *p;
	const struct weight *weight;
	enum top_kind kind;
	enum top_order order;
	uint32_t *index;	/* TOP_FUNCTIONS: entry + 1 by function_at_position() */
	uint32_t *last;		/* ... and the site that came last, + 1 */
	uint32_t room;
};

/* A weight that can be added up, whatever a damaged recording says. */
static int64_t clamp_value(const struct top_builder *b, int64_t value)
{
	int64_t most = INT64_MAX / ((int64_t)b->p->sites.count + 1);

	if (value < 0 && b->order != TOP_BY_CHANGE)
		return 0;
	return value > most ? most : value < -most ? -most : value;
}

/* Blocks of 0 bytes weigh something, too: a leak of a million of them would be no leak. */
static bool has_weight(const struct top_builder *b, const struct top_entry *entry)
{
	if (b->order == TOP_BY_BLOCKS)
		return entry->blocks > 0;
	return entry->bytes != 0 || (entry->blocks != 0 && b->order != TOP_BY_UNITS);
}

/* Reads the figures of site I and its filtered stack; false if it does not count. */
static bool read_site_entry(const struct top_builder *b, uint32_t i, struct filtered *stack,
			    struct top_entry *entry)
{
	*stack = filter_stack(b->filter, b->p->sites.site[i].stack);
	if (!b->weight[i].is_there || stack->is_ignored)
		return false;
	*entry = (struct top_entry){ .bytes = clamp_value(b, b->weight[i].bytes),
				     .blocks = clamp_value(b, b->weight[i].blocks), .stacks = 1,
				     .site = i,
				     .life = clamp_value(b, b->p->sites.site[i].life),
				     .lives = b->p->sites.site[i].total_blocks };
	if (b->weight[i].error)
		entry->error = *b->weight[i].error;
	entry->heaviest = b->order == TOP_BY_BLOCKS ? entry->blocks : llabs(entry->bytes);
	b->t->bytes += entry->bytes;
	b->t->blocks += entry->blocks;
	sampled_error_add(&b->t->error, &entry->error);
	return has_weight(b, entry);
}

static void add_entry_values(struct top_entry *to, const struct top_entry *from)
{
	if (from->heaviest > to->heaviest || to->stacks == 0) {
		to->at = from->at;
		to->site = from->site;
		to->heaviest = from->heaviest;
	}
	to->bytes += from->bytes;
	to->blocks += from->blocks;
	to->life += from->life;
	to->lives += from->lives;
	sampled_error_add(&to->error, &from->error);
	to->stacks++;
}

/* ---- functions that hold memory ----------------------------------------------------------- */

static void set_line_key(const struct profile *p, struct item *item)
{
	const struct position *at = &item->entry.at;
	const struct symbols_level *level = at->left ? position_level(p, at) : NULL;

	if (level && level->full) {
		item->high = (uint64_t)level->full << 32 | level->file;
		item->low = level->line;
	} else if (at->left) {
		/* Without a name: the address in its module is the function. */
		item->high = NAMELESS | p->frame[at->frame].location;
		item->low = 0;
	} else {
		item->high = item->low = 0;
	}
}

/* The first module of that path: an object may have been opened again. */
static uint32_t object_at_position(const struct profile *p, const struct position *at)
{
	uint32_t module = p->location[p->frame[at->frame].location].module;

	for (uint32_t i = 0; module < p->modules.count && i < module; i++) {
		if (strcmp(p->modules.module[i].path, p->modules.module[module].path) == 0)
			return i;
	}
	return module;
}

/* Code without a name or a file is one place per object. */
static void set_group_key(const struct profile *p, enum top_kind kind, struct item *item)
{
	const struct position *at = &item->entry.at;
	const struct symbols_level *level = at->left ? position_level(p, at) : NULL;
	uint32_t text = !level || kind == TOP_BY_OBJECT ? 0 : level->file;

	item->high = at->left ? 1 + (text != 0) : 0;
	item->low = !at->left ? 0 : text ? text : object_at_position(p, at);
}

static void set_key(const struct profile *p, enum top_kind kind, struct item *item)
{
	if (kind == TOP_BY_LINE || kind == TOP_BY_FUNCTION)
		set_line_key(p, item);
	else
		set_group_key(p, kind, item);
}

static int compare_by_key(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->high != y->high)
		return x->high < y->high ? -1 : 1;
	return (x->low > y->low) - (x->low < y->low);
}

static uint32_t read_items(struct top_builder *b, struct item *item)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < b->p->sites.count; i++) {
		struct filtered stack;

		if (!read_site_entry(b, i, &stack, &item[count].entry))
			continue;
		item[count].entry.at = position_innermost(&stack);
		set_key(b->p, b->kind, &item[count++]);
	}
	return count;
}

static bool is_same_entry(const struct top_builder *b, const struct item *x, const struct item *y)
{
	return b->kind == TOP_BY_FUNCTION ? x->high == y->high : compare_by_key(x, y) == 0;
}

static int compare_line_bytes(const void *a, const void *b)
{
	const struct top_line *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x->at.frame > y->at.frame) - (x->at.frame < y->at.frame);
}

static int compare_line_blocks(const void *a, const void *b)
{
	const struct top_line *x = a, *y = b;

	return x->blocks != y->blocks ? (x->blocks < y->blocks ? 1 : -1) : compare_line_bytes(a, b);
}

static void sum_items(struct top_builder *b, const struct item *item, uint32_t count)
{
	struct top *t = b->t;
	uint32_t lines = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct top_entry *entry;
		const bool is_new = i == 0 || !is_same_entry(b, &item[i - 1], &item[i]);

		t->count += is_new;
		entry = &t->entry[t->count - 1];
		if (is_new)
			entry->first_line = lines;
		if (is_new || compare_by_key(&item[i - 1], &item[i]) != 0) {
			entry->lines++;
			t->line[lines++].at = item[i].entry.at;
		}
		t->line[lines - 1].bytes += item[i].entry.bytes;
		t->line[lines - 1].blocks += item[i].entry.blocks;
		sampled_error_add(&t->line[lines - 1].error, &item[i].entry.error);
		add_entry_values(entry, &item[i].entry);
	}
	for (uint32_t i = 0; i < t->count; i++)
		qsort(t->line + t->entry[i].first_line, t->entry[i].lines, sizeof(*t->line),
		      b->order == TOP_BY_BLOCKS ? compare_line_blocks : compare_line_bytes);
}

static void sum_places(struct top_builder *b)
{
	const size_t room = (size_t)b->p->sites.count + 1;
	struct item *item = xreallocarray(NULL, room, sizeof(*item));
	struct top *t = b->t;
	uint32_t count;

	t->entry = xcalloc(room, sizeof(*t->entry));
	t->line = xcalloc(room, sizeof(*t->line));
	count = read_items(b, item);
	qsort(item, count, sizeof(*item), compare_by_key);
	sum_items(b, item, count);
	free(item);
}

uint32_t top_group_sites(uint32_t *group, const struct filter *f, enum top_kind kind)
{
	const struct profile *p = f->profile;
	struct item *item = xreallocarray(NULL, (size_t)p->sites.count + 1, sizeof(*item));
	const struct top_builder b = { .p = p, .kind = kind };
	uint32_t count = 0, groups = 0;

	for (uint32_t i = 0; i < p->sites.count; i++) {
		struct filtered stack = filter_stack(f, p->sites.site[i].stack);

		group[i] = UINT32_MAX;
		if (stack.is_ignored || !sites_is_counted(&p->sites.site[i]))
			continue;
		item[count].entry = (struct top_entry){ .at = position_innermost(&stack),
							.site = i };
		set_key(p, kind, &item[count++]);
	}
	qsort(item, count, sizeof(*item), compare_by_key);
	for (uint32_t i = 0; i < count; i++) {
		groups += i == 0 || !is_same_entry(&b, &item[i - 1], &item[i]);
		group[item[i].entry.site] = groups - 1;
	}
	free(item);
	return groups;
}

/* ---- functions ----------------------------------------------------------------------------- */

/* A number for the function at a position: that of its name, or one of its module's behind them. */
static uint32_t function_at_position(const struct profile *p, const struct position *at)
{
	const struct symbols_level *level = position_level(p, at);
	uint32_t module = p->location[p->frame[at->frame].location].module;

	if (level && level->full)
		return level->full;
	return p->symbols.strings.count + 1 +
	       (module < p->modules.count ? module : p->modules.count);
}

/* Returns the number of the new entry, from 1 on. */
static uint32_t append_entry(struct top_builder *b)
{
	array_reserve(&b->t->entry, &b->room, b->t->count + 1, sizeof(*b->t->entry));
	b->t->entry[b->t->count] = (struct top_entry){ .stacks = 0 };
	return ++b->t->count;
}

/* Every function on the stack of site I, once. */
static void add_functions(struct top_builder *b, uint32_t i, const struct filtered *stack,
			  struct top_entry *entry)
{
	struct position at = { .frame = stack->frame, .left = stack->count };

	if (at.left == 0)
		return;
	do {
		uint32_t function = function_at_position(b->p, &at);

		if (b->last[function] == i + 1)
			continue;
		b->last[function] = i + 1;
		if (!b->index[function])
			b->index[function] = append_entry(b);
		entry->at = at;
		add_entry_values(&b->t->entry[b->index[function] - 1], entry);
	} while (position_step(b->p, &at));
}

static void sum_functions(struct top_builder *b)
{
	size_t functions = (size_t)b->p->symbols.strings.count + b->p->modules.count + 2;

	b->index = xcalloc(functions, sizeof(*b->index));
	b->last = xcalloc(functions, sizeof(*b->last));
	for (uint32_t i = 0; i < b->p->sites.count; i++) {
		struct top_entry entry;
		struct filtered stack;

		if (read_site_entry(b, i, &stack, &entry))
			add_functions(b, i, &stack, &entry);
	}
	free(b->index);
	free(b->last);
}

/* ---- both ---------------------------------------------------------------------------------- */

static int compare_by_bytes(const void *a, const void *b)
{
	const struct top_entry *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	if (x->bytes == 0 && x->blocks != y->blocks)
		return x->blocks > y->blocks ? -1 : 1;
	/* The outer one comes first among equals: main before its callees. */
	return (x->at.left > y->at.left) - (x->at.left < y->at.left);
}

static int compare_by_blocks(const void *a, const void *b)
{
	const struct top_entry *x = a, *y = b;

	if (x->blocks != y->blocks)
		return x->blocks > y->blocks ? -1 : 1;
	return compare_by_bytes(a, b);
}

void top_build(struct top *t, const struct filter *f, const struct weight *weight,
	       enum top_kind kind, enum top_order order)
{
	struct top_builder b = { .t = t, .filter = f, .p = f->profile, .weight = weight,
			     .kind = kind, .order = order };

	*t = (struct top){ .count = 0 };
	if (kind == TOP_FUNCTIONS)
		sum_functions(&b);
	else
		sum_places(&b);
	if (t->count > 1)
		qsort(t->entry, t->count, sizeof(*t->entry),
		      order == TOP_BY_BLOCKS ? compare_by_blocks : compare_by_bytes);
}

void top_free(struct top *t)
{
	free(t->entry);
	free(t->line);
	*t = (struct top){ .count = 0 };
}
