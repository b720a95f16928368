/* stacklist.h -- a stack as a list of levels, for writers that need it whole.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/model/filter.h"
#include "profile/model/profile.h"

/* LEVEL may be NULL: nothing is known of the location. */
struct stackitem {
	uint32_t location;
	const struct symbols_level *level;
};

/* Zeroed, it is empty; used again and again. */
struct stacklist {
	struct stackitem *item;		/* innermost first */
	uint32_t count;
	uint32_t room;
};

/* stacklist_set -- the levels of a filtered stack. */
void stacklist_set(struct stacklist *list, const struct profile *p, const struct filtered *stack);

/* stacklist_free -- release it. */
void stacklist_free(struct stacklist *list);

/* stacklist_name -- the function of an item, qualified.
 *
 * buffer  used for one that has no name: "[libfoo.so]", "[unknown]".
 */
const char *stacklist_name(const struct profile *p, const struct stackitem *item,
			   char buffer[256]);
