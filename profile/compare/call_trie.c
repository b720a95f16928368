/* call_trie.c -- The call stacks of two builds in one tree, from the outermost function inward.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/compare/call_trie.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"
#include "profile/compare/frame_key.h"

enum { KEY_TEXT = 2 * FRAME_KEY_LENGTH + 8 };

/* ---- keys ---------------------------------------------------------------------------------- */

/* The modules of both sides, as known. */
struct key_maker {
	struct call_trie *t;
	const struct compare_side *side;
	uint32_t program[SIDES];	/* the module of the program itself */
	bool has_modules;		/* of all functions of both sides with a name */
};

/* The module that was loaded first. Modules of a massif.out or the like have no order. */
static uint32_t find_program(const struct modules *m)
{
	uint32_t found = 0, equals = 0;

	for (uint32_t i = 0; i < m->count; i++) {
		if (m->module[i].rank < m->module[found].rank)
			found = i;
	}
	for (uint32_t i = 0; i < m->count; i++)
		equals += m->module[i].rank == m->module[found].rank;
	return equals == 1 ? found : MODULES_NONE;
}

/* A massif.out names modules of functions without lines only. */
static bool knows_all_modules(const struct profile *p)
{
	for (uint32_t i = 0; i < p->location_count; i++) {
		uint32_t count;

		profile_levels(p, i, &count);
		if (count > 0 && p->location[i].module == MODULES_NONE)
			return false;
	}
	return true;
}

/* Returns the module of the new side with the same build-id; MODULES_NONE if there is none. */
static uint32_t find_same_build(const struct key_maker *k, const struct build_id *id)
{
	const struct modules *m = &k->side[SIDE_NEW].filter->profile->modules;

	for (uint32_t i = 0; id->length > 0 && i < m->count; i++) {
		if (m->module[i].id.length == id->length &&
		    memcmp(m->module[i].id.byte, id->byte, id->length) == 0)
			return i;
	}
	return MODULES_NONE;
}

static bool is_build_of_old(const struct key_maker *k, const struct build_id *id)
{
	const struct modules *m = &k->side[SIDE_OLD].filter->profile->modules;

	for (uint32_t i = 0; i < m->count; i++) {
		if (m->module[i].id.length == id->length &&
		    memcmp(m->module[i].id.byte, id->byte, id->length) == 0)
			return true;
	}
	return false;
}

/* The program has the same key on both sides, whatever its file is called. */
static void write_module_key(const struct key_maker *k, enum side side, uint32_t module,
			     char text[FRAME_KEY_LENGTH])
{
	const struct modules *m = &k->side[side].filter->profile->modules;

	if (module >= m->count)
		strcpy(text, "?");
	else if (module == k->program[side])
		strcpy(text, "");
	else
		frame_key_module(m->module[module].path, text);
}

static uint32_t add_key(struct key_maker *k, enum side side, const char *text,
			struct call_place place)
{
	struct call_trie *t = k->t;
	const uint32_t before = t->key_room, had = t->keys.count;
	const uint32_t number = strings_add(&t->keys, text, strlen(text));

	array_reserve(&t->key, &t->key_room, (size_t)number + 1, sizeof(*t->key));
	memset(t->key + before, 0, (t->key_room - before) * sizeof(*t->key));
	if (t->keys.count > had) {
		t->key[number].place[SIDE_OLD].location = CALL_NONE;
		t->key[number].place[SIDE_NEW].location = CALL_NONE;
	}
	if (t->key[number].place[side].location == CALL_NONE)
		t->key[number].place[side] = place;
	return number;
}

/* Returns the key of an address in a module that both sides have the same build of; 0 if this is
 * none. */
static uint32_t add_exact_key(struct key_maker *k, enum side side, uint32_t location)
{
	const struct profile *p = k->side[side].filter->profile;
	const struct location *l = &p->location[location];
	const struct module *m = l->module < p->modules.count ?
					 &p->modules.module[l->module] : NULL;
	uint32_t build, key;
	char text[KEY_TEXT];

	if (!m || m->id.length == 0)
		return 0;
	build = find_same_build(k, &m->id);
	if (build == MODULES_NONE || (side == SIDE_NEW && !is_build_of_old(k, &m->id)))
		return 0;
	snprintf(text, sizeof(text), "=%" PRIu32 ":%" PRIx64, build, l->pc - m->bias);
	key = add_key(k, side, text, (struct call_place){ .location = location });
	k->t->key[key].is_exact = true;
	return key;
}

static uint32_t add_level_key(struct key_maker *k, enum side side, struct call_place place,
			      const struct symbols_level *level)
{
	const struct profile *p = k->side[side].filter->profile;
	char text[KEY_TEXT], function[FRAME_KEY_LENGTH], module[FRAME_KEY_LENGTH];
	const bool is_named = level && level->full;
	uint32_t key;

	write_module_key(k, side, p->location[place.location].module, module);
	if (is_named)
		frame_key_function(symbols_text(&p->symbols, level->full), function);
	/* Names have no control characters that matter: one keeps both parts apart. */
	snprintf(text, sizeof(text), "%s\n%s", is_named ? function : "",
		 is_named && !k->has_modules ? "" : module);
	key = add_key(k, side, text, place);
	k->t->key[key].is_nameless = !is_named;
	k->t->key[key].module = strings_add(&k->t->keys, module, strlen(module));
	return key;
}

static void make_location_keys(struct key_maker *k, enum side side)
{
	const struct profile *p = k->side[side].filter->profile;
	struct location_keys *of = &k->t->of[side];
	uint32_t room = 0, used = 0;

	of->first = xcalloc((size_t)p->location_count + 1, sizeof(*of->first));
	for (uint32_t i = 0; i < p->location_count; i++) {
		uint32_t count, exact = add_exact_key(k, side, i);
		const struct symbols_level *level = profile_levels(p, i, &count);
		const uint32_t keys = exact || count == 0 ? 1 : count;

		of->first[i] = used;
		array_reserve(&of->key, &room, (size_t)used + keys, sizeof(*of->key));
		for (uint32_t n = 0; n < keys; n++)
			of->key[used++] = exact ? exact :
					  add_level_key(k, side, (struct call_place){ i, n, false },
							count ? &level[n] : NULL);
	}
	of->first[p->location_count] = used;
}

/* The pool of keys also has the texts of modules: every number has an entry. */
static void fill_key_table(struct call_trie *t)
{
	const uint32_t before = t->key_room;

	array_reserve(&t->key, &t->key_room, (size_t)t->keys.count + 1, sizeof(*t->key));
	memset(t->key + before, 0, (t->key_room - before) * sizeof(*t->key));
}

/* ---- nodes --------------------------------------------------------------------------------- */

static uint32_t hash_child(uint32_t parent, uint32_t key)
{
	uint64_t h = ((uint64_t)parent << 32 | key) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(h >> 32);
}

static void grow_slots(struct call_trie *t)
{
	const uint32_t slots = t->slot_mask ? 2 * (t->slot_mask + 1) : 1024;

	free(t->slot);
	t->slot = xcalloc(slots, sizeof(*t->slot));
	t->slot_mask = slots - 1;
	for (uint32_t i = 1; i < t->count; i++) {
		uint32_t at = hash_child(t->node[i].parent, t->node[i].key) & t->slot_mask;

		while (t->slot[at])
			at = (at + 1) & t->slot_mask;
		t->slot[at] = i;
	}
}

static void append_node(struct call_trie *t, uint32_t parent, uint32_t key)
{
	array_reserve(&t->node, &t->room, (size_t)t->count + 1, sizeof(*t->node));
	t->node[t->count++] = (struct call_node){
		.parent = parent, .key = key,
		.place = { { .location = CALL_NONE }, { .location = CALL_NONE } } };
}

uint32_t call_trie_child(struct call_trie *t, uint32_t parent, uint32_t key)
{
	uint32_t at;

	if (t->count >= t->slot_mask / 2)
		grow_slots(t);
	at = hash_child(parent, key) & t->slot_mask;
	while (t->slot[at]) {
		const struct call_node *n = &t->node[t->slot[at]];

		if (n->parent == parent && n->key == key)
			return t->slot[at];
		at = (at + 1) & t->slot_mask;
	}
	t->slot[at] = t->count;
	append_node(t, parent, key);
	return t->count - 1;
}

/* A function that is called in several lines shows none of them. */
static void note_place(const struct profile *p, struct call_place *to, uint32_t location,
		       uint32_t level)
{
	uint32_t count;
	const struct symbols_level *have, *other;

	if (to->location == CALL_NONE) {
		*to = (struct call_place){ .location = location, .level = level };
		return;
	}
	have = profile_levels(p, to->location, &count);
	have = to->level < count ? have + to->level : NULL;
	other = profile_levels(p, location, &count);
	other = level < count ? other + level : NULL;
	to->has_lines |= have && other && have->line != other->line;
}

/* Enters the calls of a frame below the node of its callers. */
static uint32_t enter_frame(struct call_trie *t, const struct compare_side *side, enum side which,
			    const uint32_t *alias, uint32_t frame, uint32_t node)
{
	const struct profile *p = side->filter->profile;
	const uint32_t location = p->frame[frame].location;
	const struct location_keys *of = &t->of[which];
	uint32_t count = of->first[location + 1] - of->first[location];

	while (count-- > 0) {
		uint32_t key = of->key[of->first[location] + count];

		if (alias && which == SIDE_OLD)
			key = alias[key];
		node = call_trie_child(t, node, key);
		note_place(p, &t->node[node].place[which], location, count);
		note_place(p, &t->key[key].place[which], location, count);
	}
	return node;
}

/* Returns the node of a filtered stack. Each frame is entered once, because what is outside of it
 * is the same in all stacks that have it.
 *
 * known  by frame: its node, or 0.
 */
static uint32_t enter_stack(struct call_trie *t, const struct compare_side *side, enum side which,
			    const uint32_t *alias, const struct filtered *stack, uint32_t *known)
{
	const struct profile *p = side->filter->profile;
	uint32_t path[PROFILE_DEPTH_MAX], count = 0, frame = stack->frame, node = 0;

	while (frame && count < stack->count && count < PROFILE_DEPTH_MAX && !known[frame]) {
		path[count++] = frame;
		frame = p->frame[frame].parent;
	}
	if (count < stack->count && frame)
		node = known[frame];
	while (count-- > 0) {
		node = enter_frame(t, side, which, alias, path[count], node);
		known[path[count]] = node;
	}
	return node;
}

static void enter_side(struct call_trie *t, const struct compare_side *side, enum side which,
		       const uint32_t *alias)
{
	const struct profile *p = side->filter->profile;
	uint32_t *known = xcalloc((size_t)p->frame_count + 1, sizeof(*known));

	for (uint32_t i = 0; i < p->sites.count; i++) {
		const struct filtered stack = filter_stack(side->filter, p->sites.site[i].stack);
		const struct weight *w = &side->weight[i];
		struct call_node *n;

		t->end[which][i] = CALL_NONE;
		if (stack.is_ignored || !sites_is_counted(&p->sites.site[i]))
			continue;
		t->end[which][i] = enter_stack(t, side, which, alias, &stack, known);
		n = &t->node[t->end[which][i]];
		n->ends[which] = true;
		n->bytes[which] += w->is_there && w->bytes > 0 ? (uint64_t)w->bytes : 0;
		n->blocks[which] += w->is_there && w->blocks > 0 ? (uint64_t)w->blocks : 0;
	}
	free(known);
}

/* Adds up what passes through each node, callees first, into the keys. */
static void sum_up_keys(struct call_trie *t)
{
	uint64_t *sum = xcalloc(t->count, sizeof(*sum));

	for (int side = 0; side < SIDES; side++) {
		memset(sum, 0, t->count * sizeof(*sum));
		for (uint32_t i = t->count; i-- > 1;) {
			sum[i] += t->node[i].bytes[side];
			sum[t->node[i].parent] += sum[i];
			t->key[t->node[i].key].bytes[side] += sum[i];
		}
	}
	free(sum);
}

static void enter_all(struct call_trie *t, const struct compare_side side[SIDES],
		      const uint32_t *alias)
{
	for (uint32_t i = 0; i <= t->keys.count; i++)
		for (int s = 0; s < SIDES; s++) {
			t->key[i].place[s] = (struct call_place){ .location = CALL_NONE };
			t->key[i].bytes[s] = 0;
		}
	t->count = 0;
	append_node(t, 0, 0);
	grow_slots(t);
	for (int i = 0; i < SIDES; i++)
		enter_side(t, &side[i], i, alias);
	sum_up_keys(t);
}

/* ---- both ---------------------------------------------------------------------------------- */

void call_trie_init(struct call_trie *t, const struct compare_side side[SIDES])
{
	struct key_maker k = { .t = t, .side = side, .has_modules = true };

	*t = (struct call_trie){ .count = 0 };
	for (int i = 0; i < SIDES; i++) {
		const struct profile *p = side[i].filter->profile;

		k.program[i] = find_program(&p->modules);
		k.has_modules &= knows_all_modules(p);
		t->end[i] = xcalloc((size_t)p->sites.count + 1, sizeof(*t->end[i]));
	}
	for (int i = 0; i < SIDES; i++)
		make_location_keys(&k, i);
	fill_key_table(t);
	enter_all(t, side, NULL);
}

void call_trie_rename(struct call_trie *t, const struct compare_side side[SIDES],
		      const uint32_t *alias)
{
	enter_all(t, side, alias);
}

bool call_trie_is_on_side(const struct call_trie *t, uint32_t key, enum side side)
{
	return t->key[key].place[side].location != CALL_NONE;
}

void call_trie_free(struct call_trie *t)
{
	strings_free(&t->keys);
	free(t->key);
	free(t->node);
	free(t->slot);
	for (int i = 0; i < SIDES; i++) {
		free(t->end[i]);
		free(t->of[i].first);
		free(t->of[i].key);
	}
	*t = (struct call_trie){ .count = 0 };
}
