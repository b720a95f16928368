/* filter.c -- which frames of a stack a report shows: Massif's rules.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/filter.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

enum {
	KIND_ALLOC = FILTER_ALLOC,
	KIND_IGNORE = FILTER_IGNORE,
	KIND_MAIN = 4,
	KIND_BELOW = 8,
	KIND_NAMELESS = FILTER_NAMELESS,
	LEVELS_MAX = 256
};

static const char *const default_alloc_fn[] = {
	"malloc",
	"__builtin_new",
	"operator new(unsigned long)",
	"__builtin_vec_new",
	"operator new[](unsigned long)",
	"calloc",
	"aligned_alloc",
	"realloc",
	"memalign",
	"posix_memalign",
	"valloc",
	"operator new(unsigned long, std::nothrow_t const&)",
	"operator new[](unsigned long, std::nothrow_t const&)",
	"operator new(unsigned long, std::align_val_t)",
	"operator new[](unsigned long, std::align_val_t)",
	"operator new(unsigned long, std::align_val_t, std::nothrow_t const&)",
	"operator new[](unsigned long, std::align_val_t, std::nothrow_t const&)",
	"_Znwm", /* these with --demangle=no */
	"_Znam",
	"_ZnwmRKSt9nothrow_t",
	"_ZnamRKSt9nothrow_t",
	"_ZnwmSt11align_val_t",
	"_ZnamSt11align_val_t",
	"_ZnwmSt11align_val_tRKSt9nothrow_t",
	"_ZnamSt11align_val_tRKSt9nothrow_t",
};

enum {
	DEFAULT_ALLOC_FNS = sizeof(default_alloc_fn) / sizeof(*default_alloc_fn),
	MANGLED = 8
};

const char *const *filter_alloc_fns(size_t *count)
{
	*count = DEFAULT_ALLOC_FNS - MANGLED;
	return default_alloc_fn;
}

static bool is_name_in_list(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return false;
}

static bool is_alloc_function(const struct filter_options *o, const char *name)
{
	return is_name_in_list(default_alloc_fn, DEFAULT_ALLOC_FNS, name) ||
	       is_name_in_list(o->alloc_fn, o->alloc_fns, name);
}

static bool has_prefix(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

/* Functions that call main. Names with a dot are those of parts that a compiler split off. */
static bool is_below_main_name(const char *name)
{
	return strcmp(name, "__libc_start_main") == 0 || has_prefix(name, "__libc_start_main.") ||
	       strcmp(name, "__libc_start_call_main") == 0 ||
	       strcmp(name, "generic_start_main") == 0 || has_prefix(name, "generic_start_main.") ||
	       strcmp(name, "_start") == 0;
}

unsigned int filter_names_kind(const struct filter_options *o, const char *const *name,
			       size_t count)
{
	unsigned int kind = 0;
	size_t alloc = 0;

	for (size_t i = 0; i < count; i++)
		alloc += name[i] && is_alloc_function(o, name[i]);
	if (count > 0 && alloc == count)
		kind |= FILTER_ALLOC;
	if (count > 0 && name[0] && is_name_in_list(o->ignore_fn, o->ignore_fns, name[0]))
		kind |= FILTER_IGNORE;
	if (count == 0 || !name[count - 1] || !*name[count - 1])
		kind |= FILTER_NAMELESS;
	return kind;
}

static uint8_t classify_location(const struct profile *p, const struct filter_options *o,
				 uint32_t location)
{
	uint32_t count;
	const struct symbols_level *level = profile_levels(p, location, &count);
	const char *names[LEVELS_MAX], *name = profile_function(p, location);
	unsigned int kind;

	count = count < LEVELS_MAX ? count : LEVELS_MAX;
	for (uint32_t i = 0; i < count; i++)
		names[i] = symbols_text(&p->symbols, level[i].name);
	kind = filter_names_kind(o, names, count);
	if (strcmp(name, "main") == 0)
		kind |= KIND_MAIN;
	if (is_below_main_name(name))
		kind |= KIND_BELOW;
	return (uint8_t)kind;
}

/* Parents come first, so that one pass tells every frame about the frames outside of it. */
static void find_main_frames(struct filter *f)
{
	const struct profile *p = f->profile;

	for (uint32_t i = 1; i < p->frame_count; i++) {
		const struct profile_frame *frame = &p->frame[i];
		uint8_t kind = f->kind[frame->location];

		f->main[i] = f->main[frame->parent];
		if (!f->main[i] && (kind & KIND_MAIN))
			f->main[i] = frame->depth;
		f->below[i] = kind & KIND_BELOW ? frame->depth : f->below[frame->parent];
	}
}

void filter_init(struct filter *f, const struct profile *p, const struct filter_options *o)
{
	static const struct filter_options defaults;

	o = o ? o : &defaults;
	*f = (struct filter){ .profile = p, .depth = o->depth,
			      .show_below_main = o->show_below_main };
	f->kind = xcalloc((size_t)p->location_count + 1, 1);
	f->main = xcalloc((size_t)p->frame_count + 1, sizeof(*f->main));
	f->below = xcalloc((size_t)p->frame_count + 1, sizeof(*f->below));
	for (uint32_t i = 0; i < p->location_count; i++)
		f->kind[i] = classify_location(p, o, i);
	find_main_frames(f);
}

static bool is_ignored_frame(const struct filter *f, uint32_t frame)
{
	const struct profile *p = f->profile;

	/* A frame without a name decides nothing: the first named one further out counts. */
	while (frame && (f->kind[p->frame[frame].location] & (KIND_NAMELESS | KIND_IGNORE)) ==
				KIND_NAMELESS)
		frame = p->frame[frame].parent;
	return frame && (f->kind[p->frame[frame].location] & KIND_IGNORE);
}

struct filtered filter_stack(const struct filter *f, uint32_t stack)
{
	const struct profile *p = f->profile;
	uint32_t frame = stack < p->stack_count ? p->stack[stack].frame : 0;
	struct filtered left = { .count = 0 };
	uint32_t outermost = 0;

	while (frame && (f->kind[p->frame[frame].location] & KIND_ALLOC))
		frame = p->frame[frame].parent;
	left.frame = frame;
	left.is_ignored = stack < p->stack_count &&
			  (p->stack[stack].flags & PROFILE_STACK_IGNORED);
	if (!frame)
		return left;
	left.is_ignored |= is_ignored_frame(f, frame);
	left.count = p->frame[frame].depth;
	if (!f->show_below_main)
		outermost = f->main[frame] ? f->main[frame] : f->below[frame];
	if (outermost)
		left.count -= outermost - 1;
	if (f->depth && left.count > f->depth)
		left.count = f->depth;
	return left;
}

bool filter_is_below_main(const struct filter *f, uint32_t location)
{
	return !f->show_below_main && location < f->profile->location_count &&
	       (f->kind[location] & KIND_BELOW);
}

bool filter_shows_below_main(const struct filter *f, uint32_t location)
{
	return f->show_below_main && (f->kind[location] & KIND_BELOW);
}

void filter_free(struct filter *f)
{
	free(f->kind);
	free(f->main);
	free(f->below);
	*f = (struct filter){ .profile = NULL };
}
