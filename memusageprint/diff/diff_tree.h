/* diff_tree.h -- The tree of callers of what changed from one run to another, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "memusageprint/diff/difference.h"

/* diff_tree_print -- Prints the place that grew most, the sums, and the tree; the callers of a
 * function are below it.
 *
 *	     change         old         new  allocated by, called by
 *	  +2.00 MiB    1.00 MiB    3.00 MiB  read_line (input.c)
 *	  +1.50 MiB    1.00 MiB    2.50 MiB  |- load (main.c:22)
 *	                                     |  main (main.c:50)
 *	   +512 KiB         0 B     512 KiB  `- reload (main.c:31)
 *
 * Nodes come by what changed in them, gains and losses added up; those with less than the threshold
 * of all that changed, or within the error of estimates, are one line for each parent.
 *
 * d         after difference_weigh().
 * settings  its threshold and depth count.
 */
void diff_tree_print(FILE *out, const struct difference *d, const struct settings *settings);
