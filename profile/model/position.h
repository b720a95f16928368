/* position.h -- Steps through a stack: its frames, and the calls inlined into each.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/model/filter.h"
#include "profile/model/profile.h"

/* A position on a stack: a level of a frame. */
struct position {
	uint32_t frame;		/* of profile->frame */
	uint32_t left;		/* frames from here outward that the filter keeps; 0: at the end */
	uint32_t level;		/* of the frame's location, 0 innermost */
};

/* position_innermost -- Returns the innermost position of a stack; its left is 0 if the stack is
 * empty. */
struct position position_innermost(const struct filtered *stack);

/* position_step -- Moves one level outward. Returns false at the end. */
bool position_step(const struct profile *p, struct position *at);

/* position_level -- Returns the names at a position, NULL if nothing is known. */
const struct symbols_level *position_level(const struct profile *p, const struct position *at);
