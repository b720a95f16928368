/* names_cache.h -- Keeps names that were looked up, in a directory of the user.
 *
 * A file per module, named by its build-id and a hash of all that an answer depends on. Files are
 * replaced as a whole, so that any number of processes may read and write at once; what one of them
 * adds may be lost, and is looked up again. Every failure means that names are looked up, and
 * nothing else.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/names/names_file.h"

/* Bytes of all files together, from which on the ones that were used longest ago are removed. */
#define NAMES_CACHE_BYTES (UINT64_C(64) << 20)

struct names_cache {
	int directory;		/* descriptor of a directory that only this user can write to */
	const char *version;	/* of the program; another one's names are not taken */
	uint64_t bytes;		/* limit of all files together; 0: NAMES_CACHE_BYTES */
};

/* names_identity_read -- Describes an open file. A descriptor below 0 is no file: zeros. */
void names_identity_read(struct names_identity *identity, int fd);

/* All that is known of one module and what is learned. Zeroed, it is of no cache. */
struct names_answers {
	const struct names_cache *cache;	/* NULL: nothing is known, nothing is kept */
	struct names_key key;
	struct names_file known;
	void *data;		/* private: the bytes of known */
	struct names_draft draft;
	bool is_settled;	/* the files are old enough for their times to tell a change */
};

/* names_cache_open -- Reads what is known of a module.
 *
 * a      overwritten; close with names_cache_close() in any case.
 * cache  borrowed until then.
 * key    all but its version, which is the cache's; bytes between and behind fields are zero.
 */
void names_cache_open(struct names_answers *a, const struct names_cache *cache,
		      const struct names_key *key);

/* names_cache_save -- Writes what was known and what the draft has.
 *
 * Removes old files if all together have become too large. Does nothing if the draft is empty.
 */
void names_cache_save(struct names_answers *a);

/* names_cache_close -- Releases memory. Accepts a zeroed struct, and a second call. */
void names_cache_close(struct names_answers *a);
