/* diff_list.h -- The places that grew or shrank from one run to another, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "memusageprint/diff/difference.h"

/* diff_list_print -- Prints the place that grew most, the sums, and lists of what grew and shrank.
 *
 *	read_line (input.c:34) grew by 2.00 MiB, from 1.00 MiB to 3.00 MiB
 *	called by load (main.c:22), main (main.c:50)
 *	...
 *	     change         old         new  grown by
 *	  +2.00 MiB    1.00 MiB    3.00 MiB  read_line (input.c:34)
 *
 * Changes within the error of estimates are one line at the end.
 *
 * d         after difference_weigh().
 * settings  its group and top count.
 */
void diff_list_print(FILE *out, const struct difference *d, const struct settings *settings);

/* diff_list_put_answer -- Prints the first lines of that alone: the place that grew most, and its
 * callers. */
void diff_list_put_answer(FILE *out, const struct difference *d, const struct settings *settings);
