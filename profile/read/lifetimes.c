/* lifetimes.c -- for how long the blocks of a run lived.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/lifetimes.h"

#include "profile/read/batch.h"

enum { THREADS_MAX = 1 << 20 };	/* a hostile chain can be a ring */

bool lives_of(const struct image *im, struct mu_lifetimes *lives)
{
	uint64_t next = im->head.lives;

	*lives = (struct mu_lifetimes){ .next = 0 };
	for (int i = 0; next && i < THREADS_MAX; i++) {
		struct mu_lifetimes one;

		if (!image_copy(im, next, &one, sizeof(one)))
			break;
		for (unsigned int k = 0; k < MU_LIFETIME_CLASSES; k++)
			lives->blocks[k] += one.blocks[k];
		next = one.next;
	}
	if (im->head.lives)
		batch_lives(im, lives);
	return im->head.lives != 0;
}
