/* image_places.h -- The modules, call stacks and sites of an image, as merging needs them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/read/image.h"
#include "profile/read/labels.h"
#include "profile/read/modules.h"

struct image_frame {
	uint64_t pc;		/* return address in the process */
	uint32_t module;	/* of MODULES, or MODULES_NONE */
	uint32_t parent;	/* less than its own number */
};

/* The function that was called, and the place of the call. */
struct image_site {
	uint32_t frame;		/* less than FRAMES */
	uint32_t label;		/* number of a set of LABELS, 0: none */
	uint16_t fn, flags;	/* as in mu_site */
	uint32_t stack_flags;	/* as in mu_stack */
	bool is_unknown;	/* its entry is damaged */
};

/* Numbers are those of the image. */
struct image_places {
	struct modules modules;
	struct image_frame *frame;	/* [0] is the root */
	struct image_site *site;
	uint32_t frames, sites;
	struct labels labels;
	uint64_t labels_dropped;
};

/* image_places_load -- Copies them out of an image.
 *
 * p  overwritten; the caller calls image_places_free().
 * Cost about 30 ns for a frame.
 */
void image_places_load(struct image_places *p, const struct image *im);

/* image_places_free -- Releases everything. Fine for a zeroed struct. */
void image_places_free(struct image_places *p);
