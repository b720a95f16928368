/* stacklist.c -- a stack as a list of levels, for writers that need it whole.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/stacklist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

static void append_stack_item(struct stacklist *list, uint32_t location,
			      const struct symbols_level *level)
{
	array_reserve(&list->item, &list->room, list->count + 1, sizeof(*list->item));
	list->item[list->count++] = (struct stackitem){ location, level };
}

void stacklist_set(struct stacklist *list, const struct profile *p, const struct filtered *stack)
{
	uint32_t frame = stack->frame;

	list->count = 0;
	for (uint32_t i = 0; i < stack->count && frame; i++, frame = p->frame[frame].parent) {
		uint32_t location = p->frame[frame].location, count;
		const struct symbols_level *level = profile_levels(p, location, &count);

		if (count == 0)
			append_stack_item(list, location, NULL);
		for (uint32_t k = 0; k < count; k++)
			append_stack_item(list, location, level + k);
	}
}

void stacklist_free(struct stacklist *list)
{
	free(list->item);
	*list = (struct stacklist){ .count = 0 };
}

const char *stacklist_name(const struct profile *p, const struct stackitem *item,
			   char buffer[256])
{
	const char *object;

	if (item->level && item->level->full)
		return symbols_text(&p->symbols, item->level->full);
	object = basename(profile_object(p, item->location));
	snprintf(buffer, 256, "[%.250s]", *object ? object : "unknown");
	return buffer;
}
