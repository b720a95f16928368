/* names_file.h -- The bytes of a file of the names cache: what is known of addresses of a module.
 *
 * A file is a header, entries, levels and texts, for this machine only: it is neither sent nor kept
 * longer than it is useful, so its layout may change with MU_NAMES_FORMAT at any time. Its content
 * is not trusted: a file that was cut, damaged or made to harm costs its names, nothing else.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/base/strings.h"
#include "profile/names/raw_level.h"

/* Changes with the layout, and with every repair that changes the names of an address. */
#define MU_NAMES_FORMAT 2

enum {
	NAMES_FILE_MAX = 16 << 20,
	NAMES_VERSION_MAX = 48,
	NAMES_BUILD_ID_MAX = 32		/* as BUILD_ID_MAX */
};

/* A file on disk. Zeros: there is none. */
struct names_identity {
	uint64_t device;
	uint64_t inode;
	uint64_t size;
	uint64_t modified_ns;	/* CLOCK_REALTIME */
	uint64_t changed_ns;	/* likewise; of its inode */
};

/* All that an answer depends on, compared byte by byte: unused bytes are zero. The build-id alone
 * is not enough, because strip keeps it. */
struct names_key {
	char version[NAMES_VERSION_MAX];	/* of the programs that look up names */
	char reader[NAMES_VERSION_MAX];	/* what reads debug information, with its version */
	struct names_identity module;
	struct names_identity debug;	/* its separate debug file */
	uint8_t build_id[NAMES_BUILD_ID_MAX];
	uint32_t build_id_length;
	uint32_t flags;			/* options that change an answer */
};

struct names_entry {
	uint64_t address;	/* as in struct symbols_request */
	uint32_t first;		/* level */
	uint32_t count;		/* 0: it is known that nothing can be found */
};

/* Texts are offsets of their first bytes; 0: unknown. */
struct names_level {
	uint32_t name;
	uint32_t full;
	uint32_t file;
	uint32_t base;
	uint32_t line;
};

/* The tables in the bytes of a file. Zeroed, it has no entry. */
struct names_file {
	const struct names_entry *entry;	/* ascending by address in an honest file */
	const struct names_level *level;
	const char *text;
	uint32_t entry_count;
	uint32_t level_count;
	uint32_t text_size;
};

/* names_file_parse -- Finds the tables in SIZE bytes.
 *
 * f     overwritten; zeroed on failure. Borrows DATA, which is 8-byte aligned.
 * Returns false if the bytes are no such file, or of another KEY. Does not compare the checksum.
 */
bool names_file_parse(struct names_file *f, const void *data, size_t size,
		      const struct names_key *key);

/* names_file_is_whole -- Tells whether the checksum of a file is right. Costs 1 ns per byte. */
bool names_file_is_whole(const void *data, size_t size);

/* names_file_find -- Returns the entry of an address, or NULL. */
const struct names_entry *names_file_find(const struct names_file *f, uint64_t address);

/* names_file_levels -- Copies the levels of an entry.
 *
 * level  RAW_LEVELS_MAX of them; their texts live as long as the bytes of F.
 * Returns false if the entry is damaged.
 */
bool names_file_levels(const struct names_file *f, const struct names_entry *entry,
		       struct raw_level *level);

/* A file in the making. Zeroed, it is empty. The fields are private. */
struct names_draft {
	struct strings strings;
	struct names_entry *entry;
	struct names_level *level;	/* texts are numbers of strings */
	uint32_t entry_count, entry_room;
	uint32_t level_count, level_room;
	size_t text_bytes;
	bool is_too_large;	/* nothing is appended any more */
};

/* names_draft_append -- Appends what was found of an address, in any order of addresses.
 *
 * level  COUNT of them, copied. A count of 0: nothing can be found.
 */
void names_draft_append(struct names_draft *d, uint64_t address, const struct raw_level *level,
			size_t count);

/* names_draft_merge -- Appends the entries of F whose addresses the draft does not have.
 *
 * The draft is sorted afterwards; nothing is appended to it any more.
 */
void names_draft_merge(struct names_draft *d, const struct names_file *f);

/* names_draft_bytes -- Writes the file into memory.
 *
 * d     after names_draft_merge().
 * size  set to its bytes.
 * Returns the bytes, to be freed, or NULL if the file would be larger than NAMES_FILE_MAX.
 */
void *names_draft_bytes(const struct names_draft *d, const struct names_key *key, size_t *size);

/* names_draft_free -- Releases everything. Accepts a zeroed draft. */
void names_draft_free(struct names_draft *d);
