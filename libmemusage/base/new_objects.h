/* new_objects.h -- finding objects that were loaded since the last look.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/objects.h"

/* A list of objects that are known. Zero before new_objects_init(). */
struct new_objects {
	struct new_objects_known *known;
	uint32_t count;
};

/* new_objects_init -- make an empty list. Returns false if there is no memory. */
bool new_objects_init(struct new_objects *list);

/* new_objects_visit -- call visit(object, data) for each object of ld.so's list that is not known.
 *
 * It is known from then on.
 * visit  NULL: objects only become known.
 * Objects that were closed are forgotten: others may be loaded at the same addresses.
 * Returns false if there were too many to remember; the rest was not visited.
 * Call it from one thread at a time, where ld.so's list does not change.
 */
bool new_objects_visit(struct new_objects *list,
		       void (*visit)(const struct object *object, void *data), void *data);
