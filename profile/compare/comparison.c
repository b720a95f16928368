/* comparison.c -- The stacks of two runs of a program, or of two builds of it, as one profile.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/compare/comparison.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"
#include "profile/compare/renames.h"
#include "profile/model/shortname.h"

#define NONE UINT32_MAX

struct builder {
	struct comparison *c;
	const struct compare_side *side;
	struct call_trie trie;
	uint32_t *to;		/* of moved_find() */
	uint8_t *match;
	uint32_t *module[SIDES];	/* by module of a side: of the profile, + 1 */
	uint32_t module_room, location_room, level_room, site_room;
	uint32_t *frame;	/* by node: its frame; 0: not made */
	/* Locations with the same names and lines are one, or lists of functions without a name
	 * would have an entry for each caller. */
	uint32_t *same_key;	/* by key: its last location, + 1 */
	uint32_t *before;	/* by location: the one before it with that key, + 1 */
	uint32_t before_room;
	uint32_t *site;		/* by node: its site, + 1 */
};

/* ---- names --------------------------------------------------------------------------------- */

static const struct profile *profile_of(const struct builder *b, enum side side)
{
	return b->side[side].filter->profile;
}

static uint32_t copy_text(struct builder *b, enum side side, uint32_t number)
{
	const char *text = symbols_text(&profile_of(b, side)->symbols, number);

	return strings_add(&b->c->profile.symbols.strings, text, strlen(text));
}

/* Returns a copy of a module; MODULES_NONE for none. */
static uint32_t copy_module(struct builder *b, enum side side, uint32_t module)
{
	const struct modules *from = &profile_of(b, side)->modules;
	struct modules *to = &b->c->profile.modules;

	if (module >= from->count)
		return MODULES_NONE;
	if (!b->module[side][module]) {
		array_reserve(&to->module, &b->module_room, (size_t)to->count + 1,
			      sizeof(*to->module));
		to->module[to->count] = from->module[module];
		to->module[to->count].path = xstrdup(from->module[module].path);
		b->module[side][module] = ++to->count;
	}
	return b->module[side][module] - 1;
}

/* The side whose names a node shows: the new one if that has them. */
static enum side side_of_place(const struct call_place place[SIDES])
{
	return place[SIDE_NEW].location != CALL_NONE ? SIDE_NEW : SIDE_OLD;
}

static const struct symbols_level *level_of_place(const struct builder *b, enum side side,
						  const struct call_place *at)
{
	uint32_t count;
	const struct symbols_level *level = profile_levels(profile_of(b, side), at->location,
							   &count);

	return at->level < count ? level + at->level : NULL;
}

static void append_level(struct builder *b, struct symbols_level level)
{
	struct symbols *s = &b->c->profile.symbols;

	array_reserve(&s->level, &b->level_room, (size_t)s->level_count + 1, sizeof(*s->level));
	s->level[s->level_count++] = level;
}

static void append_copied_level(struct builder *b, enum side side,
				const struct symbols_level *from, bool has_line)
{
	append_level(b, (struct symbols_level){
		.name = copy_text(b, side, from->name), .full = copy_text(b, side, from->full),
		.file = copy_text(b, side, from->file), .base = from->base,
		.line = has_line ? from->line : 0 });
}

/* "[libfoo.so]" for the functions of a module without a name. */
static void append_nameless_level(struct builder *b, enum side side, uint32_t location)
{
	const char *path = profile_object(profile_of(b, side), location);
	struct strings *texts = &b->c->profile.symbols.strings;
	char *text = xasprintf("[%s]", *path ? basename(path) : "made at run time");
	const uint32_t number = strings_add(texts, text, strlen(text));

	append_level(b, (struct symbols_level){ .name = number, .full = number });
	free(text);
}

/* Gives the last level the function and file that all others with its key have: they are one place.
 * A line is of the file that it was found in. */
static void name_last_level(struct builder *b, enum side names, const struct symbols_level *named)
{
	struct symbols *s = &b->c->profile.symbols;
	const uint32_t full = copy_text(b, names, named->full);
	const uint32_t file = copy_text(b, names, named->file);
	struct symbols_level *last = &s->level[s->level_count - 1];

	if (last->file != file)
		last->line = 0;
	last->full = full;
	last->file = file;
	last->base = named->base;
}

/* All stacks with a key have one text for it: that of the first place in the new build. */
static void append_node_levels(struct builder *b, const struct call_key *key, enum side side,
			       const struct call_place *at)
{
	const enum side names = side_of_place(key->place);
	const struct symbols_level *named = level_of_place(b, names, &key->place[names]);
	const struct symbols_level *level;
	uint32_t count;

	if (key->is_exact) {
		level = profile_levels(profile_of(b, side), at->location, &count);
		for (uint32_t i = 0; i < count; i++)
			append_copied_level(b, side, &level[i], true);
		return;
	}
	level = level_of_place(b, side, at);
	if (key->is_nameless || !level || !named) {
		append_nameless_level(b, side, at->location);
		return;
	}
	append_copied_level(b, side, level, !at->has_lines);
	name_last_level(b, names, named);
}

/* ---- locations, frames, sites -------------------------------------------------------------- */

static uint32_t append_location(struct builder *b, enum side side, const struct call_key *key,
				const struct call_place *at)
{
	struct profile *p = &b->c->profile;
	const struct location *from = &profile_of(b, side)->location[at->location];
	const uint32_t first = p->symbols.level_count, room = b->location_room;
	uint32_t symbol_room = room;

	append_node_levels(b, key, side, at);
	array_reserve(&p->location, &b->location_room, (size_t)p->location_count + 1,
		      sizeof(*p->location));
	array_reserve(&p->symbols.symbol, &symbol_room, (size_t)p->location_count + 1,
		      sizeof(*p->symbols.symbol));
	p->location[p->location_count] = (struct location){
		.pc = from->pc, .module = copy_module(b, side, from->module),
		.request = p->location_count };
	p->symbols.symbol[p->location_count] = (struct symbol){
		.first = first, .count = p->symbols.level_count - first };
	p->symbols.count = p->location_count + 1;
	return p->location_count++;
}

static bool is_same_level(const struct symbols_level *a, const struct symbols_level *b)
{
	return a->full == b->full && a->file == b->file && a->line == b->line;
}

/* Takes the last location away again if one with the same key has the same text. */
static uint32_t share_location(struct builder *b, uint32_t key, uint32_t last)
{
	struct profile *p = &b->c->profile;
	const struct symbol *symbol = p->symbols.symbol;
	const struct symbols_level *level = p->symbols.level;

	for (uint32_t i = b->same_key[key]; i; i = b->before[i - 1]) {
		if (symbol[i - 1].count != symbol[last].count ||
		    (symbol[last].count > 0 && !is_same_level(&level[symbol[i - 1].first],
							      &level[symbol[last].first])))
			continue;
		p->symbols.level_count = symbol[last].first;
		p->location_count--;
		p->symbols.count--;
		return i - 1;
	}
	array_reserve(&b->before, &b->before_room, (size_t)last + 1, sizeof(*b->before));
	b->before[last] = b->same_key[key];
	b->same_key[key] = last + 1;
	return last;
}

/* A node that was made as a common place of several shows the function without a line. */
static uint32_t location_of_node(struct builder *b, const struct call_node *n)
{
	const struct call_key *key = &b->trie.key[n->key];
	enum side side = side_of_place(n->place);
	struct call_place at = n->place[side];

	if (at.location == CALL_NONE) {
		side = side_of_place(key->place);
		at = key->place[side];
		at.has_lines = true;
	}
	return share_location(b, n->key, append_location(b, side, key, &at));
}

/* Makes the frames of a node and its callers, which have smaller numbers than their callees. */
static uint32_t frame_of_node(struct builder *b, uint32_t node)
{
	struct profile *p = &b->c->profile;
	uint32_t path[PROFILE_DEPTH_MAX * 2], count = 0, frame;

	for (; node && !b->frame[node] && count < PROFILE_DEPTH_MAX * 2;
	     node = b->trie.node[node].parent)
		path[count++] = node;
	frame = node ? b->frame[node] : 0;
	while (count-- > 0) {
		p->frame[p->frame_count] = (struct profile_frame){
			.parent = frame,
			.location = location_of_node(b, &b->trie.node[path[count]]),
			.depth = p->frame[frame].depth + 1 };
		frame = b->frame[path[count]] = p->frame_count++;
	}
	return frame;
}

static uint32_t site_of_node(struct builder *b, uint32_t node)
{
	struct profile *p = &b->c->profile;
	uint32_t room = b->site_room, match_room = b->site_room;
	const uint32_t number = p->sites.count;

	if (b->site[node])
		return b->site[node] - 1;
	array_reserve(&p->stack, &room, (size_t)number + 1, sizeof(*p->stack));
	array_reserve(&b->c->match, &match_room, (size_t)number + 1, sizeof(*b->c->match));
	array_reserve(&p->sites.site, &b->site_room, (size_t)number + 1, sizeof(*p->sites.site));
	p->stack[number] = (struct profile_stack){ .frame = frame_of_node(b, node) };
	p->sites.site[number] = (struct site){ .stack = number, .total_blocks = 1 };
	b->c->match[number] = b->match[node];
	p->stack_count = p->sites.count = number + 1;
	b->site[node] = number + 1;
	return number;
}

/* The new side goes first: its order of places is the order of the common profile. */
static void make_sites(struct builder *b)
{
	for (int s = SIDES - 1; s >= 0; s--) {
		const uint32_t count = profile_of(b, s)->sites.count;

		b->c->sites[s] = count;
		b->c->site[s] = xcalloc((size_t)count + 1, sizeof(*b->c->site[s]));
		for (uint32_t i = 0; i < count; i++) {
			const uint32_t end = b->trie.end[s][i];

			b->c->site[s][i] = end == CALL_NONE ? NONE : site_of_node(b, b->to[end]);
		}
	}
}

static void begin_profile(struct builder *b)
{
	struct profile *p = &b->c->profile;

	b->frame = xcalloc((size_t)b->trie.count + 1, sizeof(*b->frame));
	b->site = xcalloc((size_t)b->trie.count + 1, sizeof(*b->site));
	b->same_key = xcalloc((size_t)b->trie.keys.count + 1, sizeof(*b->same_key));
	for (int s = 0; s < SIDES; s++)
		b->module[s] = xcalloc((size_t)profile_of(b, s)->modules.count + 1,
				       sizeof(*b->module[s]));
	p->frame = xcalloc((size_t)b->trie.count + 1, sizeof(*p->frame));
	p->frame[0] = (struct profile_frame){ .parent = 0 };
	p->frame_count = 1;
}

/* ---- renames ------------------------------------------------------------------------------- */

static const char *short_text(struct builder *b, uint32_t key)
{
	const char *text = strings_get(&b->trie.keys, key);

	return strings_get(&b->c->texts,
			   strings_add(&b->c->texts, text, strcspn(text, "\n")));
}

static void find_renames(struct builder *b)
{
	const uint32_t keys = b->trie.keys.count;
	uint32_t *alias = xcalloc((size_t)keys + 1, sizeof(*alias));
	const uint32_t found = renames_find(&b->trie, b->side, alias);

	b->c->rename = xcalloc((size_t)found + 1, sizeof(*b->c->rename));
	for (uint32_t i = 1; i <= keys; i++) {
		if (alias[i] != i)
			b->c->rename[b->c->renames++] = (struct comparison_rename){
				.old = short_text(b, i), .new = short_text(b, alias[i]) };
	}
	if (found > 0)
		call_trie_rename(&b->trie, b->side, alias);
	free(alias);
}

static void free_builder(struct builder *b)
{
	call_trie_free(&b->trie);
	free(b->to);
	free(b->match);
	free(b->frame);
	free(b->site);
	free(b->same_key);
	free(b->before);
	for (int s = 0; s < SIDES; s++)
		free(b->module[s]);
}

void comparison_init(struct comparison *c, const struct compare_side side[SIDES])
{
	/* Stacks were filtered; the innermost may be a wrapper of malloc that is all there is. */
	static const struct filter_options all = { .show_below_main = true };
	struct builder b = { .c = c, .side = side };

	*c = (struct comparison){ .renames = 0 };
	call_trie_init(&b.trie, side);
	find_renames(&b);
	moved_find(&b.trie, &b.to, &b.match);
	begin_profile(&b);
	make_sites(&b);
	free_builder(&b);
	filter_init(&c->filter, &c->profile, &all);
}

/* ---- weights ------------------------------------------------------------------------------- */

static int64_t add_bounded(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

void comparison_weigh(const struct comparison *c, enum side side, const struct weight *from,
		      struct weight *to, struct sampled_error *error)
{
	const uint32_t sites = c->profile.sites.count;

	memset(to, 0, sites * sizeof(*to));
	if (error)
		memset(error, 0, sites * sizeof(*error));
	for (uint32_t i = 0; i < c->sites[side]; i++) {
		const uint32_t site = c->site[side][i];

		if (site == NONE || !from[i].is_there)
			continue;
		to[site].is_there = true;
		to[site].bytes = add_bounded(to[site].bytes, from[i].bytes > 0 ? from[i].bytes : 0);
		to[site].blocks = add_bounded(to[site].blocks,
					      from[i].blocks > 0 ? from[i].blocks : 0);
		if (error && from[i].error) {
			sampled_error_add(&error[site], from[i].error);
			to[site].error = &error[site];
		}
	}
}

void comparison_change(const struct comparison *c, const struct weight *old,
		       const struct weight *new, struct weight *change,
		       struct sampled_error *error)
{
	for (uint32_t i = 0; i < c->profile.sites.count; i++) {
		change[i] = (struct weight){ .bytes = new[i].bytes - old[i].bytes,
					     .blocks = new[i].blocks - old[i].blocks,
					     .is_there = old[i].is_there || new[i].is_there };
		if (!error)
			continue;
		error[i] = (struct sampled_error){ .is_change = true };
		if (old[i].error)
			sampled_error_add(&error[i], old[i].error);
		if (new[i].error)
			sampled_error_add(&error[i], new[i].error);
		change[i].error = &error[i];
	}
}

struct comparison_share comparison_matched(const struct comparison *c, const struct weight *old,
					   const struct weight *new)
{
	double by_match[MATCH_MOVED + 1] = { 0 }, all = 0;
	struct comparison_share share = { .has_any = false };

	for (uint32_t i = 0; i < c->profile.sites.count; i++) {
		const double bytes = (double)old[i].bytes + (double)new[i].bytes;

		by_match[c->match[i]] += bytes;
		all += bytes;
	}
	if (all <= 0)
		return share;
	return (struct comparison_share){ .path = by_match[MATCH_PATH] / all,
					  .folded = by_match[MATCH_FOLDED] / all,
					  .moved = by_match[MATCH_MOVED] / all, .has_any = true };
}

void comparison_free(struct comparison *c)
{
	filter_free(&c->filter);
	profile_free(&c->profile);
	strings_free(&c->texts);
	free(c->site[SIDE_OLD]);
	free(c->site[SIDE_NEW]);
	free(c->match);
	free(c->rename);
	*c = (struct comparison){ .renames = 0 };
}
