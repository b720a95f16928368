/* attribution.h -- Attributes a stack's memory to a function, in reports for people.
 *
 * The function that calls malloc is often a container's. A programmer looks for the first one
 * further out that does not belong to a language's run-time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PROFILE_MODEL_ATTRIBUTION_H
#define PROFILE_MODEL_ATTRIBUTION_H

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

/* position_step -- Moves one level outward. Returns false at the end. */
bool position_step(const struct profile *p, struct position *at);

/* position_level -- Returns the names at a position, NULL if nothing is known. */
const struct symbols_level *position_level(const struct profile *p, const struct position *at);

/* Locations that belong to a run-time; computed once. */
struct attribution {
	const struct filter *filter;
	uint8_t *is_runtime;	/* per level of symbols */
	uint8_t *is_object;	/* per location: its module is a run-time's */
};

/* attribution_init -- Classifies all names.
 *
 * f  must outlive H.
 * Returns 0, or -1 with ERR without memory; attribution_free() it in either case.
 */
int attribution_init(struct attribution *h, const struct filter *f, struct mu_error *err);

/* attribution_find -- Returns the position to which a filtered stack is attributed.
 *
 * It is the innermost one outside of run-times; if there is none, the innermost of all. Its left is
 * 0 if the stack is empty.
 */
struct position attribution_find(const struct attribution *h, const struct filtered *stack);

/* attribution_free -- Releases memory. Fine for a zeroed struct. */
void attribution_free(struct attribution *h);

#endif
