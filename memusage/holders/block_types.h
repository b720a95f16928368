/* block_types.h -- The C++ classes of blocks, by their tables of virtual functions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/snapshot.h"
#include "profile/base/strings.h"
#include "recording/holders.h"

struct block_types {
	struct mu_holder_type *type; /* ascending by site; `name` is a number of strings */
	uint32_t count, room;
};

/* block_types_find -- Looks at some blocks of each site.
 *
 * sites  of the image; numbers of blocks are below.
 * texts  gets the names.
 * A site has a type if most of the blocks that were looked at are of it. Cost 5 us for each site.
 */
void block_types_find(struct block_types *t, const struct snapshot *s, uint32_t sites,
		      struct strings *texts);

/* block_types_free -- Releases everything. Accepts a zeroed struct. */
void block_types_free(struct block_types *t);
