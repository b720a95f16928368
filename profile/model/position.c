/* position.c -- Steps through a stack: its frames, and the calls inlined into each.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/position.h"

struct position position_innermost(const struct filtered *stack)
{
	return (struct position){ .frame = stack->frame, .left = stack->count };
}

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
