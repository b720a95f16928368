/* labels.h -- the labels of the threads that allocated (docs/format.md, 7.5).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/read/image.h"

/* Texts are the program's: any bytes but 0. */
struct label {
	const char *key, *value;
};

/* The sets of labels of an image. Zeroed: none. */
struct labels {
	struct mu_label *set;	/* [0] is set number 1; parents are smaller than the set */
	uint32_t count;
	char *text;		/* keys and values, each ended by a zero byte */
	uint32_t *key, *value;	/* of each set, in text */
};

/* labels_load -- copy the sets of labels out of an image.
 *
 * l  overwritten; labels_free() it. Labels that make no sense are left out.
 */
void labels_load(struct labels *l, const struct image *im);

/* labels_free -- release everything. Fine for a zeroed struct. */
void labels_free(struct labels *l);

/* labels_of_set -- list the labels of a set, ascending by key.
 *
 * set    0, or one that does not exist, has none.
 * label  the first MU_LABELS_DEPTH are set; texts belong to L.
 * Returns how many there are.
 */
uint32_t labels_of_set(const struct labels *l, uint32_t set,
		       struct label label[MU_LABELS_DEPTH]);

/* labels_copy_raw -- copy the sets of an image in the form in which they are stored.
 *
 * to     overwritten; bytes of text beyond to->used are 0.
 * Returns the bytes to keep, 0 if there are none.
 */
uint64_t labels_copy_raw(const struct image *im, struct mu_labels *to);
