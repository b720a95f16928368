/* merge_labels.h -- The sets of labels of several processes as one: a set is what its labels say.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "profile/read/labels.h"
#include "recording/labels.h"

/* Zeroed, it is empty. */
struct merge_labels {
	struct mu_labels *sets;	/* NULL: no process had any */
	uint64_t dropped;	/* labels for which there was no room, here or in a process */
	uint16_t *slot;		/* private: numbers of sets by hash, 0 free */
};

/* merge_labels_add -- Enters the sets of an image.
 *
 * dropped  labels for which the process had no room.
 * Returns one number of the result by set of the image, to be freed; [0] is 0, the empty set. A
 * set beyond MU_LABELS_MAX, or without room for its text, becomes the one that lacks its last
 * label, and counts as dropped.
 */
uint32_t *merge_labels_add(struct merge_labels *l, const struct labels *from, uint64_t dropped);

/* merge_labels_free -- Releases everything. */
void merge_labels_free(struct merge_labels *l);
