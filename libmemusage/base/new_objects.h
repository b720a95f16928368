/* new_objects.h -- which loaded objects were not there at the last look.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_BASE_NEW_OBJECTS_H
#define LIBMEMUSAGE_BASE_NEW_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/objects.h"

/* A list of objects that are known. Zero before fresh_init(). */
struct fresh {
	struct fresh_known *known;
	uint32_t count;
};

/* fresh_init -- make an empty list. Returns false if there is no memory. */
bool fresh_init(struct fresh *f);

/* fresh_look -- call VISIT for each object of ld.so's list that is not known, which it then is.
 *
 * visit  NULL: they only become known.
 * Objects that are gone are forgotten: the same address may hold other code, or the same
 * afresh. Returns false if there were too many to remember; the rest was not visited.
 * One thread at a time, where ld.so's list does not change.
 */
bool fresh_look(struct fresh *f, void (*visit)(const struct object *object, void *data),
		void *data);

#endif
