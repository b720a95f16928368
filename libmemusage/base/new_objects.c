/* new_objects.c -- finding objects that were loaded since the last look.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/new_objects.h"

#include <stddef.h>

#include "libmemusage/base/memory.h"

#define OBJECTS_MAX 4096u

struct new_objects_known {
	const struct link_map *map;
	uint64_t start;
	bool is_there;
};

bool new_objects_init(struct new_objects *list)
{
	list->count = 0;
	list->known = memory_map(OBJECTS_MAX * sizeof(*list->known));
	return list->known != NULL;
}

static bool mark_if_known(struct new_objects *list, const struct object *object)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (list->known[i].map == object->map && list->known[i].start == object->start) {
			list->known[i].is_there = true;
			return true;
		}
	return false;
}

static void remove_closed_objects(struct new_objects *list)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < list->count; i++)
		if (list->known[i].is_there)
			list->known[kept++] = list->known[i];
	list->count = kept;
}

bool new_objects_visit(struct new_objects *list,
		       void (*visit)(const struct object *object, void *data), void *data)
{
	struct object object;
	bool ok = true;

	for (uint32_t i = 0; i < list->count; i++)
		list->known[i].is_there = false;
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
		if (!object_read(map, &object) || mark_if_known(list, &object))
			continue;
		if (list->count == OBJECTS_MAX) {
			ok = false;
			continue;
		}
		list->known[list->count++] =
			(struct new_objects_known){ object.map, object.start, true };
		if (visit)
			visit(&object, data);
	}
	remove_closed_objects(list);
	return ok;
}
