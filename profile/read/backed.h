/* backed.h -- which parts of an image have memory behind them.
 *
 * A slot is sparse: what nobody has written is a hole. An honest image has no entry in one, since
 * the recorder populates memory before it uses it; a hostile image may claim 2 GiB and have written
 * a page. Whoever reads a hole of shared memory makes the kernel fill it with a page, for ever. So
 * readers ask first, and what they do is bounded by what the program has really paid for.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PROFILE_READ_BACKED_H
#define PROFILE_READ_BACKED_H

#include <stdbool.h>
#include <stdint.h>

enum { BACKED_RANGES = 4 };

/* Of one image. What is known stays known: memory that was backed once may be read, although the
 * program may have given it back meanwhile. */
struct backed {
	int fd;			/* of the memory: borrowed; it is only asked, never read */
	uint64_t start;		/* of the image in it */
	uint64_t size;		/* of the image */
	struct backed_range {
		uint64_t from, to;	/* in the image */
	} known[BACKED_RANGES];
	unsigned int next;	/* of known: the oldest */
};

/* backed_init -- nothing is known yet. */
void backed_init(struct backed *b, int fd, uint64_t start, uint64_t size);

/* backed_run -- bytes from OFFSET on, at least LENGTH if there are so many, without a hole.
 *
 * Returns 0 at a hole, and beyond the image. What cannot be asked (a file system that does not know
 * of holes) counts as backed. Cost: a few comparisons for what is known, else one system call.
 */
uint64_t backed_run(struct backed *b, uint64_t offset, uint64_t length);

/* backed_bytes -- how many bytes of the image are backed, in pages. Two system calls for each run
 * of pages that has them. */
uint64_t backed_bytes(const struct backed *b);

#endif
