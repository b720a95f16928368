/* calltree.h -- A tree of the allocating functions and their callers, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "profile/base/error.h"
#include "profile/model/tree.h"

struct calltree {
	const struct filter *filter;
	const struct weight *weight;	/* one per site, from sites_weigh() of kind */
	enum metric_kind kind;
	double threshold;		/* percent; one line sums up the nodes below it */
	unsigned int depth;		/* levels; 0: all */
	bool lacks_blocks;		/* they are not known: print none */
	bool is_live;			/* the process still runs: its "end" is now */
	double distance, unseen;	/* as in struct toplist */
};

/* calltree_print -- Prints the tree; the callers of a function are below it.
 *
 *	2.00 MiB in 6 blocks, live when the heap was largest: 75.0% by read_line (input.c:34)
 *
 *	   bytes      %  allocated by, called by
 *	1.50 MiB  75.0%  read_line (input.c:34)
 *	1.00 MiB  50.0%  |- load (main.c:22)
 *	                 |  main (main.c:50)
 *	 512 KiB  25.0%  `- reload (main.c:31)
 *	                    main (main.c:52)
 *
 * Behind an estimate are its bounds: "1.50 MiB +- 0.21".
 *
 * A caller without figures is the only caller, and its figures are those above it.
 */
void calltree_print(FILE *out, const struct calltree *c);
