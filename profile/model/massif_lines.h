/* massif_lines.h -- a tree as the lines that Massif writes.
 *
 * A location with inlined calls is several lines, one below the other, all with its address
 * and bytes.
 *
 * Source Valgrind 3.19, files of Massif: docs/compat.md.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "profile/model/tree.h"

struct massif_line {
	uint64_t bytes;
	uint32_t depth;		/* 0: the root, whose text is "" */
	uint32_t children;	/* lines one level deeper that follow */
	const char *text;	/* "0x401136: main (prog.c:7)", without the blank before it; it
				 * lives during the call only */
};

typedef void (*massif_line_fn)(const struct massif_line *line, void *data);

struct massif_lines_options {
	double threshold;		/* percent, as given to tree_build(): named in a text */
	const char *const *strip;	/* as for symbols_put_massif() */
	size_t strips;
	bool no_inlines;		/* one line per address */
};

/* massif_lines -- call PUT for every line of a tree, in order.
 *
 * t  made with TREE_BY_ADDRESS, from F.
 */
void massif_lines(const struct call_tree *t, const struct filter *f,
		  const struct massif_lines_options *o, massif_line_fn put, void *data);
