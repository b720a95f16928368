/* attribution.c -- Attributes a stack's memory to a function, in reports for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/attribution.h"

#include <stdlib.h>

#include "profile/model/shortname.h"

enum { NAMELESS = 3 }; /* functions in a row that are taken for a wrapper's own */

bool position_step(const struct profile *p, struct position *at)
{
	uint32_t count;

	profile_levels(p, p->frame[at->frame].location, &count);
	if (++at->level < count)
		return true;
	at->level = 0;
	at->frame = p->frame[at->frame].parent;
	if (--at->left == 0 || at->frame == 0)
		at->left = 0;
	return at->left > 0;
}

const struct symbols_level *position_level(const struct profile *p, const struct position *at)
{
	uint32_t count;
	const struct symbols_level *level = profile_levels(p, p->frame[at->frame].location,
							   &count);

	return at->level < count ? level + at->level : NULL;
}

int attribution_init(struct attribution *h, const struct filter *f, struct mu_error *err)
{
	const struct profile *p = f->profile;
	const struct symbols *s = &p->symbols;

	*h = (struct attribution){ .filter = f,
			       .is_runtime = calloc((size_t)s->level_count + 1, 1),
			       .is_object = calloc((size_t)p->location_count + 1, 1) };
	if (!h->is_runtime || !h->is_object)
		return mu_error_memory(err);
	for (uint32_t i = 0; i < s->level_count; i++) {
		const char *name = symbols_text(s, s->level[i].full);

		h->is_runtime[i] = shortname_is_wrapper(name) ||
				   shortname_is_runtime(name, symbols_text(s, s->level[i].file),
							"");
	}
	for (uint32_t i = 0; i < p->location_count; i++)
		h->is_object[i] = shortname_is_runtime("", "", profile_object(p, i));
	return 0;
}

static bool is_runtime_position(const struct attribution *h, const struct position *at)
{
	const struct profile *p = h->filter->profile;
	const struct symbols_level *level = position_level(p, at);

	return h->is_object[p->frame[at->frame].location] ||
	       (level && h->is_runtime[level - p->symbols.level]);
}

/* A function without a name that a run-time's function called is one of it. */
static bool is_inside_runtime(const struct attribution *h, struct position at)
{
	for (int i = 0; i < NAMELESS; i++) {
		if (position_level(h->filter->profile, &at) ||
		    !position_step(h->filter->profile, &at))
			return false;
		if (is_runtime_position(h, &at))
			return true;
	}
	return false;
}

struct position attribution_find(const struct attribution *h, const struct filtered *stack)
{
	const struct profile *p = h->filter->profile;
	struct position at = { .frame = stack->frame, .left = stack->count };
	const struct position innermost = at;

	if (at.left == 0)
		return at;
	do {
		if (!is_runtime_position(h, &at) && !is_inside_runtime(h, at))
			return at;
	} while (position_step(p, &at));
	return innermost;
}

void attribution_free(struct attribution *h)
{
	free(h->is_runtime);
	free(h->is_object);
	*h = (struct attribution){ .filter = NULL };
}
