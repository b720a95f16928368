/* pprof_read.h -- Reads profile.proto, the format of pprof: heap profiles of memusage, Go,
 * jemalloc, tcmalloc and others.
 *
 * Source github.com/google/pprof, proto/profile.proto, of 2024.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/textfile.h"
#include "profile/base/error.h"

/* The values that reports know, in this order, by the names of sample types. */
enum pprof_value {
	PPROF_TOTAL_BLOCKS, PPROF_TOTAL_BYTES,	/* alloc_objects, alloc_space */
	PPROF_END_BLOCKS, PPROF_END_BYTES,	/* inuse_objects, inuse_space; objects, space */
	PPROF_PEAK_BLOCKS, PPROF_PEAK_BYTES,	/* peak_objects, peak_space */
	PPROF_VALUES
};

enum { PPROF_ITEMS_MAX = 1 << 22 };	/* believed of a file, of each kind */

/* Numbers of texts are those of the file; pprof_text() checks them. */
struct pprof_function {
	uint64_t id, name, file;
};

struct pprof_mapping {
	uint64_t id, start, end, offset, file, build_id;
};

struct pprof_line {
	uint64_t function;	/* an id */
	uint32_t line;
};

struct pprof_location {
	uint64_t id, mapping, address;
	uint32_t first_line, lines;	/* of file->line, innermost first */
};

struct pprof_sample {
	uint32_t first, locations;	/* of file->stacked, innermost first */
	int64_t value[PPROF_VALUES];
};

/* Zeroed, it is empty. Functions, mappings and locations are in the order of their ids. */
struct pprof_file {
	struct pprof_function *function;
	struct pprof_mapping *mapping;
	struct pprof_location *location;
	struct pprof_line *line;
	struct pprof_sample *sample;
	uint64_t *stacked;		/* ids of locations */
	uint32_t functions, mappings, locations, lines, samples, stacked_count;
	bool has_value[PPROF_VALUES];
	/* private */
	unsigned char *data;
	size_t size;
	struct pprof_string {
		const char *text;
		size_t length;
	} *string;
	uint32_t strings, string_room, function_room, mapping_room, location_room, line_room,
		sample_room, stacked_room;
	int column[PPROF_VALUES];	/* of the file's values, -1: it has none */
};

/* pprof_read -- Reads a profile to its end.
 *
 * p   overwritten; pprof_free() it in any case.
 * in  at its beginning; compressed by gzip or not.
 * Returns 0, or -1 with ERR: it is damaged, exceeds a limit, cannot be read, or has none of the
 * values above. Numbers that lead nowhere are no error here.
 * Memory: the decompressed file, at most 1 GiB, and about as much again.
 */
int pprof_read(struct pprof_file *p, struct textfile *in, struct mu_error *err);

/* pprof_text -- Returns a text of the file, not terminated, and sets *LENGTH; "" if there is none
 * with that number. */
const char *pprof_text(const struct pprof_file *p, uint64_t number, size_t *length);

/* pprof_find_function, pprof_find_mapping, pprof_find_location -- Return the entry with an id; NULL
 * if there is none. */
const struct pprof_function *pprof_find_function(const struct pprof_file *p, uint64_t id);
const struct pprof_mapping *pprof_find_mapping(const struct pprof_file *p, uint64_t id);
const struct pprof_location *pprof_find_location(const struct pprof_file *p, uint64_t id);

/* pprof_free -- Releases everything. Fine for a zeroed struct. */
void pprof_free(struct pprof_file *p);
