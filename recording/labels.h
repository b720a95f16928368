/* labels.h -- the labels that a program gives its threads (MEMUSAGE_LABEL); docs/format.md, 7.5.
 *
 * A set of labels is a node of a tree: one label, and the set that has the others. So a set is a
 * number, and a site keeps it in 32 bits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#define MU_LABELS_MAX 1024u	/* sets of one image */
#define MU_LABELS_DEPTH 8u	/* labels of a set */
#define MU_LABEL_KEY 63u	/* bytes of a key that are kept, */
#define MU_LABEL_VALUE 255u	/* ... and of a value */
#define MU_LABELS_TEXT 65536u	/* bytes of all keys and values */

/* The value of labels for which there was no room. */
#define MU_LABEL_MORE "(more)"

struct mu_label {
	uint32_t parent; /* number of the set without this label, 0: the empty one */
	uint32_t text;	 /* offset in mu_labels.text of the key, which the value follows */
	uint16_t key_length, value_length; /* bytes */
	uint32_t reserved;
};

/* Set number N is label[N - 1]; its parent has a smaller number. */
struct mu_labels {
	uint32_t count;
	uint32_t used; /* bytes of text */
	struct mu_label label[MU_LABELS_MAX];
	char text[MU_LABELS_TEXT]; /* KEPT: only the bytes that are used */
};
