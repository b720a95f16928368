/* triples.h -- a set of triples of numbers, each with a number of its own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "formats/base/wordmap.h"

struct triple {
	uint32_t a, b, c;
};

/* Zeroed, it is empty. */
struct triples {
	struct triple *triple;	/* by number */
	uint32_t count;
	uint32_t room;		/* private */
	struct wordmap map;
};

/* triples_add -- the number of a triple, which is added if it is new: from 0 on, the next one for
 * a new triple. */
uint32_t triples_add(struct triples *t, uint32_t a, uint32_t b, uint32_t c);

/* triples_free -- release everything. */
void triples_free(struct triples *t);
