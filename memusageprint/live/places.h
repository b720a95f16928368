/* places.h -- The names of all places of a process, kept from one look at it to the next.
 *
 * Sites, stacks and modules of a process are only appended to. As long as there are no new ones, a
 * look needs no names; otherwise the cache of names answers for those that were known before.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "memusageprint/job/settings.h"
#include "profile/base/error.h"
#include "profile/base/strings.h"
#include "profile/model/filter.h"
#include "profile/model/position.h"
#include "profile/model/profile.h"
#include "profile/model/runtime_frames.h"
#include "profile/model/top.h"
#include "profile/read/segment.h"

/* Zeroed, it has no places. */
struct places {
	struct strings names;		/* of all groupings; LIVE_NAME_PARTS is in those of lines */
	struct profile profile;		/* private, as all below */
	struct filter filter;
	struct program_stacks program;	/* without frames of run-times, unless they are shown */
	const struct filter *stacks;	/* of one of the two */
	uint32_t *key[TOP_BY_OBJECT + 1];	/* per site, or NULL: not computed yet */
	uint64_t tables;		/* entries that were there */
	uint32_t loads;			/* how often they were loaded */
	uint64_t start_ns;		/* of the process */
	bool is_loaded;
};

/* places_update -- Loads what is new in an image.
 *
 * segment  of the image.
 * o        options about names.
 * Returns 0, or -1 with ERR: names cannot be looked up.
 * Cost     nothing if there are no new sites; else as profile_load() and profile_resolve().
 */
int places_update(struct places *p, const struct segment *segment, const struct image *im,
		  const struct settings *o, struct mu_error *err);

/* places_keys -- Returns the number of the name of each site in a grouping; 0: not counted.
 *
 * Borrowed until the next places_update(). Dies without memory.
 */
const uint32_t *places_keys(struct places *p, enum top_kind group);

/* places_name -- Returns the key of the name of a position in a grouping. Dies without memory. */
uint32_t places_name(struct places *p, const struct position *at, enum top_kind group);

/* places_free -- Releases everything. */
void places_free(struct places *p);
