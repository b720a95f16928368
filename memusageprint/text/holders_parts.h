/* holders_parts.h -- The lines of the report on what holds the heap.
 *
 * Streams are those of layout_open().
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "memusageprint/text/toplist.h"
#include "profile/model/holder_groups.h"
#include "profile/model/holder_places.h"

/* The subject of the report. */
struct holders_report {
	const struct toplist *list; /* for names of places, and how many are wanted */
	const struct holder_moments *moments;
	const struct holders *h; /* the moment that is printed */
	uint32_t moment;	 /* its index */
	struct holder_names names;
	struct holder_groups groups;
	struct holder_places retained, via;
	struct top top;		/* one entry for each place */
	uint32_t *entry;	/* per number of a place: index in top.entry + 1, 0 none */
	uint32_t *number;	/* per site: number of its place, or UINT32_MAX */
	uint32_t numbers;
	double threshold;	/* percent of the heap below which nothing has a line */
	unsigned int depth;	/* levels of trees */
	uint32_t pid;		/* of the process, which is the number of its main thread */
};

/* holders_build_tree -- Folds a tree of a moment by groups of threads, and by place and type.
 *
 * l     overwritten; holder_places_free() it.
 * node  COUNT of them.
 */
void holders_build_tree(struct holder_places *l, const struct holders_report *r, uint32_t moment,
			const struct mu_holder_node *node, uint32_t count);

/* holders_put_node -- Prints what a node is: "1,000 x Item at make_item (item.cc:12)". */
void holders_put_node(FILE *out, const struct holders_report *r, const struct holder_node *n);

/* holders_put_title -- Prints the titles of columns: AMOUNT of the first, TEXT of the last. */
void holders_put_title(FILE *out, const char *amount, const char *text);

/* holders_put_gain -- Prints the figures of a line about what something gained.
 *
 * bytes   > 0.
 * level   of the tree, for what follows.
 */
void holders_put_gain(FILE *out, const struct holders_report *r, int64_t bytes, int64_t blocks,
		      unsigned int level);

/* holders_put_tree -- Prints a tree with its figures. */
void holders_put_tree(FILE *out, const struct holders_report *r, const struct holder_places *l);

/* holders_put_places -- Prints the places whose blocks retain most. */
void holders_put_places(FILE *out, const struct holders_report *r);
