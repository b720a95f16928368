/* accesses.h -- reads and writes at each site, added up over all threads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/base/error.h"
#include "profile/read/image.h"

enum {
	ACCESSES_LENGTH_MAX = 25600,	/* bytes of blocks whose bytes are counted one by one */
	ACCESSES_ALWAYS = 1024,		/* ... without being asked to */
	ACCESSES_MAX = 65535		/* of a byte: or more */
};

/* Reads and writes in the blocks of a site. */
struct site_accesses {
	uint64_t read_bytes;
	uint64_t written_bytes;
	uint64_t length;	/* of all blocks, bytes; 0: no block yet, or of several lengths */
	uint16_t *count;	/* accesses by byte of a block, [counts]; NULL: not counted */
	uint32_t counts;	/* length, if bytes are counted one by one; else 0 */
	bool is_mixed;		/* blocks of several lengths */
};

struct accesses {
	struct site_accesses *site;
	uint32_t sites;
	uint64_t read_bytes;	/* of all */
	uint64_t written_bytes;
};

/* accesses_load -- add up what the threads of an image read and wrote.
 *
 * sites  how many there are; entries of others are not believed.
 * Returns 0, or -1 with ERR without memory; accesses_free() it in either case.
 * Source docs/format.md, section 8.
 */
int accesses_load(struct accesses *a, const struct image *im, uint32_t sites,
		  struct mu_error *err);

/* accesses_add -- add one site's figures to another's, as if they were one place.
 *
 * Counts stay only while both have blocks of one length, or one of them no block.
 * Returns 0, or -1 without memory.
 */
int accesses_add(struct site_accesses *to, const struct site_accesses *from);

/* accesses_add_counts -- Adds counts of accesses by byte; what is more stays at ACCESSES_MAX. */
void accesses_add_counts(uint16_t *to, const uint16_t *from, uint32_t counts);

/* accesses_drop -- release what a struct site_accesses holds. */
void accesses_drop(struct site_accesses *a);

/* accesses_free -- release everything. Fine for a zeroed struct. */
void accesses_free(struct accesses *a);
