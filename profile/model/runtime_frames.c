/* runtime_frames.c -- Finds the frames of run-times in a profile, and leaves them out.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/runtime_frames.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

enum { NAMELESS_MOST = 3 };	/* functions in a row that are taken for a run-time's own */

/* ---- the kind of every frame --------------------------------------------------------------- */

static uint32_t count_slots(const struct profile *p, uint32_t location)
{
	uint32_t count;

	profile_levels(p, location, &count);
	return count ? count : 1;
}

static void allocate_kinds(struct runtime_frames *r)
{
	const struct profile *p = r->profile;
	uint32_t slots = 0;

	r->first = xreallocarray(NULL, (size_t)p->location_count + 1, sizeof(*r->first));
	for (uint32_t i = 0; i < p->location_count; i++) {
		r->first[i] = slots;
		slots += count_slots(p, i);
	}
	r->first[p->location_count] = slots;
	r->kind = xcalloc((size_t)slots + 1, 1);
	r->nameless = xcalloc((size_t)p->frame_count + 1, 1);
	r->makes_object = xcalloc((size_t)p->frame_count + 1, 1);
	r->is_constructor = xcalloc((size_t)p->location_count + 1, 1);
}

static bool is_jit_location(const struct profile *p, uint32_t location)
{
	return p->location[location].module >= p->modules.count;
}

/* Code made at run time has names if an interpreter or a compiler wrote them for profilers. A name
 * from another tool's file that has neither object nor source is taken for such a one, but not
 * "(below main)" and the like; one with a source only if it looks like a script's. */
static bool is_program_name(const struct runtime_frames *r, uint32_t location, uint32_t level,
			    const char *name, const char *file)
{
	return is_jit_location(r->profile, location) && *name &&
	       *name != '[' && *name != '(' && (!*file || runtime_rule_is_script(name)) &&
	       r->kind[r->first[location] + level] == RUNTIME_NOT;
}

static void classify_location(struct runtime_frames *r, uint32_t location)
{
	const struct profile *p = r->profile;
	const char *object = profile_object(p, location);
	uint32_t count;
	const struct symbols_level *level = profile_levels(p, location, &count);

	if (count == 0)
		r->kind[r->first[location]] = (uint8_t)runtime_rule_kind("", "", object);
	for (uint32_t i = 0; i < count; i++) {
		const char *name = symbols_text(&p->symbols, level[i].full);
		const char *file = symbols_text(&p->symbols, level[i].file);

		r->kind[r->first[location] + i] = (uint8_t)runtime_rule_kind(name, file, object);
		r->has_program_names |= is_program_name(r, location, i, name, file);
		r->has_scripts |= is_jit_location(p, location) && runtime_rule_is_script(name);
	}
}

/* V8 names the functions of scripts, but not all of its own code: 44 % of a script's memory was
 * that of an address below the function which made it. */
static void classify_nameless_code(struct runtime_frames *r)
{
	const struct profile *p = r->profile;
	uint32_t count;

	for (uint32_t i = 0; i < p->location_count && r->has_scripts; i++) {
		profile_levels(p, i, &count);
		if (count == 0 && is_jit_location(p, i))
			r->kind[r->first[i]] = RUNTIME_INTERPRETER;
	}
}

static bool has_name(const struct profile *p, uint32_t frame)
{
	uint32_t count;

	profile_levels(p, p->frame[frame].location, &count);
	return count > 0;
}

/* Parents come first. */
static void classify_nameless_frames(struct runtime_frames *r)
{
	const struct profile *p = r->profile;

	for (uint32_t i = 1; i < p->frame_count; i++) {
		uint32_t caller = p->frame[i].parent, location = p->frame[i].location;

		if (caller == 0 || has_name(p, i) || r->kind[r->first[location]] != RUNTIME_NOT ||
		    p->location[location].module != p->location[p->frame[caller].location].module)
			continue;
		if (r->nameless[caller] < NAMELESS_MOST &&
		    runtime_frames_hides(r, runtime_frames_kind(r, caller, 0)))
			r->nameless[i] = (uint8_t)(r->nameless[caller] + 1);
	}
}

static enum runtime_kind kind_of_innermost(const struct runtime_frames *r, uint32_t location)
{
	return (enum runtime_kind)r->kind[r->first[location]];
}

static enum runtime_kind kind_of_outermost(const struct runtime_frames *r, uint32_t location)
{
	return (enum runtime_kind)r->kind[r->first[location + 1] - 1];
}

/* Debian's python3 has no names of static functions: what runs a file is one of those. Callees
 * come last, so that it is found through others of its kind. */
static void classify_nameless_evaluators(struct runtime_frames *r)
{
	const struct profile *p = r->profile;

	for (uint32_t i = p->frame_count; i-- > 1;) {
		uint32_t caller = p->frame[i].parent, location = p->frame[i].location;
		uint32_t from = p->frame[caller].location;

		if (caller != 0 && !has_name(p, caller) &&
		    p->location[location].module == p->location[from].module &&
		    kind_of_innermost(r, from) == RUNTIME_INTERPRETER &&
		    kind_of_outermost(r, location) == RUNTIME_EVALUATOR)
			r->kind[r->first[from]] = RUNTIME_EVALUATOR;
	}
}

/* The name of the outermost level of a location, for which names were found. */
static const char *outermost_name(const struct profile *p, uint32_t location)
{
	uint32_t count;
	const struct symbols_level *level = profile_levels(p, location, &count);

	return symbols_text(&p->symbols, level[count - 1].full);
}

/* Where functions of the script have names, those stand for the objects that they make. */
static void find_constructors(struct runtime_frames *r)
{
	const struct profile *p = r->profile;

	for (uint32_t i = 1; i < p->frame_count && !r->has_program_names; i++) {
		uint32_t caller = p->frame[i].parent, location = p->frame[i].location;
		uint32_t from = p->frame[caller].location;

		if (caller != 0 && has_name(p, i) &&
		    p->location[location].module == p->location[from].module &&
		    kind_of_outermost(r, location) == RUNTIME_LIBRARY &&
		    kind_of_innermost(r, from) == RUNTIME_EVALUATOR &&
		    !runtime_rule_is_wrapper(outermost_name(p, location)))
			r->makes_object[i] = r->is_constructor[location] = 1;
	}
}

void runtime_frames_init(struct runtime_frames *r, const struct profile *p)
{
	*r = (struct runtime_frames){ .profile = p };
	allocate_kinds(r);
	for (uint32_t i = 0; i < p->location_count; i++)
		classify_location(r, i);
	classify_nameless_code(r);
	classify_nameless_frames(r);
	classify_nameless_evaluators(r);
	find_constructors(r);
}

enum runtime_kind runtime_frames_kind(const struct runtime_frames *r, uint32_t frame,
				      uint32_t level)
{
	const uint32_t location = r->profile->frame[frame].location;

	if (r->nameless[frame])
		return RUNTIME_LIBRARY;
	if (r->makes_object[frame] && r->first[location] + level + 1 == r->first[location + 1])
		return RUNTIME_INTERPRETER;
	return (enum runtime_kind)r->kind[r->first[location] + level];
}

bool runtime_frames_hides(const struct runtime_frames *r, enum runtime_kind kind)
{
	return kind >= (r->has_program_names ? RUNTIME_INTERPRETER : RUNTIME_EVALUATOR);
}

void runtime_frames_free(struct runtime_frames *r)
{
	free(r->first);
	free(r->kind);
	free(r->nameless);
	free(r->makes_object);
	free(r->is_constructor);
	*r = (struct runtime_frames){ .profile = NULL };
}

/* ---- the profile without them -------------------------------------------------------------- */

struct stacks_builder {
	const struct runtime_frames *r;
	const struct filter *filter;	/* of the complete profile */
	const struct profile *from;
	struct profile *to;
	uint32_t *kept;		/* per frame: its number in TO, if it stays; else 0 */
	uint32_t *alone;	/* per location: the frame of a stack without another; 0 none */
};

static void allocate_program_stacks(struct stacks_builder *b)
{
	const struct profile *p = b->from;
	struct profile *to = b->to;
	size_t locations = (size_t)p->location_count + 1, frames = (size_t)p->frame_count + 1;

	*to = *p;
	to->location = xcalloc(locations, sizeof(*to->location));
	to->frame = xcalloc(frames + locations, sizeof(*to->frame));
	to->stack = xcalloc((size_t)p->stack_count + 1, sizeof(*to->stack));
	to->symbols.level = xcalloc((size_t)b->r->first[p->location_count] + 1,
				    sizeof(*to->symbols.level));
	to->symbols.symbol = xcalloc(locations, sizeof(*to->symbols.symbol));
	to->symbols.count = p->location_count;
	to->symbols.level_count = 0;
	to->frame_count = p->frame_count ? 1 : 0;
	b->kept = xcalloc(frames, sizeof(*b->kept));
	b->alone = xcalloc(locations, sizeof(*b->alone));
}

/* --show-below-main asks for frames that would be left out. */
static bool is_kept_level(const struct stacks_builder *b, uint32_t location, uint32_t level)
{
	return !runtime_frames_hides(b->r, b->r->kind[b->r->first[location] + level]) ||
	       filter_shows_below_main(b->filter, location);
}

/* Returns the innermost level that is no library's, or else the innermost; of a constructor, whose
 * caller is the script, the function that the script called. */
static uint32_t choose_level(const struct runtime_frames *r, uint32_t location)
{
	const uint32_t first = r->first[location], count = r->first[location + 1] - first;

	for (uint32_t i = 0; i < count; i++)
		if (r->kind[first + i] != RUNTIME_LIBRARY)
			return i;
	return r->is_constructor[location] ? count - 1 : 0;
}

/* A location keeps its number. If all of its levels belong to run-times it has the one that
 * choose_level() returns, for stacks that have no other location. */
static void copy_location(struct stacks_builder *b, uint32_t location)
{
	struct symbols *to = &b->to->symbols;
	struct symbol *symbol = &to->symbol[location];
	uint32_t count;
	const struct symbols_level *level = profile_levels(b->from, location, &count);

	b->to->location[location] = b->from->location[location];
	b->to->location[location].request = location;
	symbol->first = to->level_count;
	for (uint32_t i = 0; i < count; i++)
		if (is_kept_level(b, location, i))
			to->level[to->level_count++] = level[i];
	if (count > 0 && to->level_count == symbol->first)
		to->level[to->level_count++] = level[choose_level(b->r, location)];
	symbol->count = to->level_count - symbol->first;
}

static bool is_kept_frame(const struct stacks_builder *b, uint32_t frame)
{
	uint32_t location = b->from->frame[frame].location;

	if (b->r->nameless[frame] || b->r->makes_object[frame])
		return b->r->makes_object[frame];
	for (uint32_t i = 0; i < b->r->first[location + 1] - b->r->first[location]; i++)
		if (is_kept_level(b, location, i))
			return true;
	return false;
}

static uint32_t append_frame(struct profile *to, uint32_t parent, uint32_t location)
{
	to->frame[to->frame_count] = (struct profile_frame){
		.parent = parent, .location = location, .depth = to->frame[parent].depth + 1 };
	return to->frame_count++;
}

/* Parents come first, so the caller of a frame that stays is known; CALLER has those of frames that
 * do not. */
static void copy_frames(struct stacks_builder *b)
{
	const struct profile *p = b->from;
	uint32_t *caller = xcalloc((size_t)p->frame_count + 1, sizeof(*caller));

	for (uint32_t i = 1; i < p->frame_count; i++) {
		caller[i] = caller[p->frame[i].parent];
		if (is_kept_frame(b, i))
			b->kept[i] = caller[i] = append_frame(b->to, caller[i],
							      p->frame[i].location);
	}
	free(caller);
}

/* Returns the frame for a stack of run-times only, chosen in the same way. */
static uint32_t frame_of_runtime_stack(struct stacks_builder *b, const struct filtered *stack)
{
	const struct profile_frame *frames = b->from->frame;
	uint32_t location = frames[stack->frame].location, frame = stack->frame;

	for (uint32_t i = 0; i < stack->count && frame; i++, frame = frames[frame].parent) {
		uint32_t level = choose_level(b->r, frames[frame].location);

		if (runtime_frames_kind(b->r, frame, level) != RUNTIME_LIBRARY) {
			location = frames[frame].location;
			break;
		}
	}
	if (!b->alone[location])
		b->alone[location] = append_frame(b->to, 0, location);
	return b->alone[location];
}

static void copy_stack(struct stacks_builder *b, uint32_t number)
{
	const struct filtered stack = filter_stack(b->filter, number);
	struct profile_stack *to = &b->to->stack[number];
	uint32_t frame = stack.frame;

	to->flags = b->from->stack[number].flags | (stack.is_ignored ? PROFILE_STACK_IGNORED : 0);
	for (uint32_t i = 0; i < stack.count && frame && !to->frame; i++) {
		to->frame = b->kept[frame];
		frame = b->from->frame[frame].parent;
	}
	if (!to->frame && stack.count > 0)
		to->frame = frame_of_runtime_stack(b, &stack);
}

static void copy_profile(struct stacks_builder *b)
{
	allocate_program_stacks(b);
	for (uint32_t i = 0; i < b->from->location_count; i++)
		copy_location(b, i);
	copy_frames(b);
	for (uint32_t i = 0; i < b->from->stack_count; i++)
		copy_stack(b, i);
}

void program_stacks_init(struct program_stacks *s, const struct filter *f,
			 const struct filter_options *o)
{
	struct runtime_frames r;
	struct stacks_builder b = { .r = &r, .filter = f, .from = f->profile, .to = &s->profile };
	struct filter_options shown = o ? *o : (struct filter_options){ .depth = 0 };

	runtime_frames_init(&r, f->profile);
	*s = (struct program_stacks){ .filter = { .profile = NULL } };
	shown.ignore_fns = 0;
	copy_profile(&b);
	filter_init(&s->filter, &s->profile, &shown);
	free(b.kept);
	free(b.alone);
	runtime_frames_free(&r);
}

void program_stacks_free(struct program_stacks *s)
{
	filter_free(&s->filter);
	free(s->profile.location);
	free(s->profile.frame);
	free(s->profile.stack);
	free(s->profile.symbols.level);
	free(s->profile.symbols.symbol);
	*s = (struct program_stacks){ .filter = { .profile = NULL } };
}
