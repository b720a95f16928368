/* backed.h -- Finds the parts of an image that have memory behind them.
 *
 * A slot is sparse: parts never written are holes. An honest image has no entry in one, since
 * the recorder populates memory before it uses it; a hostile image may claim 2 GiB and have written
 * a page. A read of a hole in shared memory makes the kernel fill it with a page, for ever. So
 * readers ask first, and their work is bounded by the memory that the program really used.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

enum { BACKED_RANGES = 4 };

/* The known ranges of one image. They stay valid: memory that was backed once may be read, even if
 * the program has given it back since. */
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

/* backed_run -- Counts the bytes from OFFSET on without a hole, up to LENGTH or more.
 *
 * Returns 0 at a hole, and beyond the image. All counts as backed on a file system without holes.
 * Cost: a few comparisons in known ranges, else one system call.
 */
uint64_t backed_run(struct backed *b, uint64_t offset, uint64_t length);

/* backed_bytes -- how many bytes of the image are backed, in pages. Two system calls for each run
 * of pages that has them. */
uint64_t backed_bytes(const struct backed *b);
