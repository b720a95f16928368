/* attribution.h -- whom a stack's memory is laid to, in a report for people.
 *
 * The function that calls malloc is often a container's; the one that a programmer looks for is
 * the first outward of it that belongs to no language's run-time.
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

/* position_step -- one level outward. Returns false at the end. */
bool position_step(const struct profile *p, struct position *at);

/* position_level -- the names at a position, NULL if nothing is known. */
const struct symbols_level *position_level(const struct profile *p, const struct position *at);

/* Which locations belong to a run-time; made once. */
struct attribution {
	const struct filter *filter;
	uint8_t *is_runtime;	/* per level of symbols */
	uint8_t *is_object;	/* per location: its module is a run-time's */
};

/* attribution_init -- look at all names.
 *
 * f  must outlive H.
 * Returns 0, or -1 with ERR without memory; attribution_free() it in either case.
 */
int attribution_init(struct attribution *h, const struct filter *f, struct mu_error *err);

/* attribution_find -- the position of the holder of a filtered stack.
 *
 * Returns the innermost one that is no run-time's; if all are, the innermost of all. Its left
 * is 0 if the stack is empty.
 */
struct position attribution_find(const struct attribution *h, const struct filtered *stack);

/* attribution_free -- release memory. Fine for a zeroed struct. */
void attribution_free(struct attribution *h);

#endif
