/* new_objects.c -- which loaded objects were not there at the last look.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/new_objects.h"

#include <stddef.h>

#include "libmemusage/base/memory.h"

#define OBJECTS_MAX 4096u

struct fresh_known {
	const struct link_map *map;
	uint64_t start;
	bool is_there;
};

bool fresh_init(struct fresh *f)
{
	f->count = 0;
	f->known = memory_map(OBJECTS_MAX * sizeof(*f->known));
	return f->known != NULL;
}

static bool is_known(struct fresh *f, const struct object *object)
{
	for (uint32_t i = 0; i < f->count; i++)
		if (f->known[i].map == object->map && f->known[i].start == object->start) {
			f->known[i].is_there = true;
			return true;
		}
	return false;
}

static void forget_closed(struct fresh *f)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < f->count; i++)
		if (f->known[i].is_there)
			f->known[kept++] = f->known[i];
	f->count = kept;
}

bool fresh_look(struct fresh *f, void (*visit)(const struct object *object, void *data),
		void *data)
{
	struct object object;
	bool ok = true;

	for (uint32_t i = 0; i < f->count; i++)
		f->known[i].is_there = false;
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
		if (!object_read(map, &object) || is_known(f, &object))
			continue;
		if (f->count == OBJECTS_MAX) {
			ok = false;
			continue;
		}
		f->known[f->count++] = (struct fresh_known){ object.map, object.start, true };
		if (visit)
			visit(&object, data);
	}
	forget_closed(f);
	return ok;
}
