/* push_dictionary.h -- The texts, functions, locations and objects that the samples of a push use.
 *
 * What several processes share, as the children of a fork do, is in it once. Numbers count from 1;
 * 0 is none, or the empty text.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/triples.h"
#include "formats/push/push_set.h"
#include "profile/base/strings.h"

struct push_mapping {
	uint64_t start, end;	/* addresses */
	uint32_t file;		/* text: its path */
	uint32_t build_id;	/* text: in hexadecimal digits */
	bool has_names;
};

struct push_location {
	uint64_t address;
	uint32_t mapping;
	uint32_t first_line, lines;	/* in `line`; inlined calls first, their function last */
};

struct push_line {
	uint32_t function;
	uint32_t line;		/* 0: unknown */
};

struct push_dictionary {
	const struct push_set *set;	/* borrowed */
	struct strings strings;
	struct push_mapping *mapping;
	struct push_location *location;	/* [0] is number 1 */
	struct push_line *line;
	struct triples functions;	/* a: name, b: file; by number - 1 */
	uint32_t mappings, locations, lines;
	uint32_t other;			/* the location of PUSH_OTHER */
	/* Private. */
	uint32_t mapping_room, location_room, line_room;
	struct triples keys;		/* of locations */
	uint32_t **mapping_of;		/* of each process: numbers by module */
	uint32_t **location_of;		/* ... and by location */
};

/* push_dictionary_build -- number what the kept samples of a set use.
 *
 * set  outlives the dictionary.
 */
void push_dictionary_build(struct push_dictionary *d, const struct push_set *set);

/* push_dictionary_text -- the number of a text, which is added; what is no UTF-8 becomes '?'. */
uint32_t push_dictionary_text(struct push_dictionary *d, const char *text);

/* push_dictionary_stack -- list the locations of a sample, the innermost first.
 *
 * sample    number in the set; that of kept ones, or set->kept for the others.
 * location  set to numbers. Returns how many, at least 1.
 */
uint32_t push_dictionary_stack(const struct push_dictionary *d, size_t sample,
			       uint32_t location[PUSH_DEPTH_MAX]);

/* push_dictionary_labels -- list the labels of the thread that allocated a sample.
 *
 * key, text  set to numbers of texts; keys have the form that servers demand, each once.
 * Returns how many.
 */
uint32_t push_dictionary_labels(struct push_dictionary *d, size_t sample,
				uint32_t key[MU_LABELS_DEPTH], uint32_t text[MU_LABELS_DEPTH]);

/* push_dictionary_free -- release it. */
void push_dictionary_free(struct push_dictionary *d);

/* push_label_name -- make a text the name of a label: letters, digits and '_', no digit first.
 *
 * Changed in place; an empty text stays empty.
 * Source Prometheus, "Data model", metric names and labels.
 */
void push_label_name(char *name);
