/* filter.h -- Selects the frames of a stack that a report shows, by Massif's rules.
 *
 * From the innermost frame outward: functions that only allocate for others are dropped; then the
 * whole stack is dropped if the function that is now innermost is to be ignored; frames outside of
 * main are cut; and only so many frames are kept. Names are compared exactly, with the arguments of
 * C++ functions and without those of inlined calls.
 *
 * Source Valgrind 3.19 manual, Massif, --alloc-fn, --ignore-fn, --depth; core --show-below-main;
 *        docs/compat.md.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/model/profile.h"

struct filter_options {
	const char *const *alloc_fn;	/* added to Massif's own list */
	size_t alloc_fns;
	const char *const *ignore_fn;
	size_t ignore_fns;
	unsigned int depth;		/* frames that are kept; 0: all */
	bool show_below_main;
};

/* Private. */
struct filter {
	const struct profile *profile;
	uint8_t *kind;		/* per location */
	uint32_t *main;		/* per frame: depth of the outermost main from here on, or 0 */
	uint32_t *below;	/* ... of the innermost function that calls main, or 0 */
	unsigned int depth;
	bool show_below_main;
};

/* The rest of a stack: COUNT frames from FRAME on. */
struct filtered {
	uint32_t frame;		/* of profile->frame; callers are its parents */
	uint32_t count;
	bool is_ignored;	/* a function of ignore_fn allocated */
};

/* Classes of an address by --alloc-fn and --ignore-fn; bits, because a name may be in both. */
enum filter_kind { FILTER_ALLOC = 1, FILTER_IGNORE = 2, FILTER_NAMELESS = 16 };

/* filter_alloc_fns -- Massif's own list of allocating functions.
 *
 * count  set to how many there are.
 */
const char *const *filter_alloc_fns(size_t *count);

/* filter_names_kind -- Classifies an address by the names of its levels.
 *
 * name  COUNT names as Massif shows them, innermost first; "" or NULL: unknown.
 * The innermost level and the outermost function count.
 */
unsigned int filter_names_kind(const struct filter_options *o, const char *const *name,
			       size_t count);

/* filter_init -- prepare for a profile whose names are resolved.
 *
 * o  NULL for Massif's defaults: no depth limit, though. Read here only.
 * p  must outlive F.
 * filter_free() it. Cost O(frames), 9 bytes each.
 */
void filter_init(struct filter *f, const struct profile *p, const struct filter_options *o);

/* filter_stack -- filter one stack. Cost O(frames that are dropped). */
struct filtered filter_stack(const struct filter *f, uint32_t stack);

/* filter_is_below_main -- whether a location's function is one that Massif calls
 * "(below main)" in its files. False with show_below_main. */
bool filter_is_below_main(const struct filter *f, uint32_t location);

/* filter_shows_below_main -- Tells whether a location calls main and show_below_main is set. */
bool filter_shows_below_main(const struct filter *f, uint32_t location);

/* filter_free -- release memory. */
void filter_free(struct filter *f);
