/* merge_places.h -- The places of several processes as one set: modules, frames and sites.
 *
 * Each process has its code at other addresses. A frame is the same in two of them if it is the
 * same address of the same file, by build-id or, without one, by path; so nothing needs names here.
 * A module of the result has a range of addresses of its own, which no process uses.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "profile/base/strings.h"
#include "profile/merge/image_places.h"
#include "profile/merge/merge_labels.h"

struct merge_module {
	uint64_t start, size;	/* of its range in the result */
	uint64_t low;		/* its first address in the file */
	struct build_id id;
	uint32_t path;		/* number of a text */
};

struct merge_frame {
	uint64_t pc;		/* return address, in the ranges above */
	uint32_t parent;	/* smaller than its own number; 0 is the root */
};

/* A call stack and what was called: sums of all processes that have it. */
struct merge_site {
	uint32_t frame;
	uint16_t fn, flags;	/* as in mu_site */
	uint32_t stack_flags;	/* as in mu_stack */
	uint32_t label;		/* number of a set of labels, 0: none */
	int64_t live_bytes, live_blocks, peak_bytes, peak_blocks, max_bytes, life;
	uint64_t total_bytes, total_blocks, temporary;
	uint32_t size_class[8];
};

/* Zeroed, it is empty. Merging adds to the sums of sites; the rest is read-only for others. */
struct merge_places {
	struct merge_module *module;
	struct merge_frame *frame;	/* [0] is the root */
	struct merge_site *site;	/* [0] is the unknown one */
	uint32_t modules, frames, sites;
	struct strings texts;
	struct merge_labels labels;
	/* private */
	uint32_t module_room, frame_room, site_room;
	uint64_t next_address;
	struct merge_index {
		uint32_t *slot;		/* number + 1 of an entry, 0: free */
		uint32_t mask, used;
	} frame_index, site_index;
};

/* merge_places_add -- Enters the sites of an image.
 *
 * Returns one number of a site of P per site of the image, to be freed.
 * Cost about 30 ns per frame of the image.
 */
uint32_t *merge_places_add(struct merge_places *p, const struct image_places *from);

/* merge_places_free -- Releases everything. */
void merge_places_free(struct merge_places *p);
