/* frame_text.h -- names of code on a terminal: functions, lines, objects.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_TEXT_FRAME_TEXT_H
#define MEMUSAGEPRINT_TEXT_FRAME_TEXT_H

#include <stdint.h>
#include <stdio.h>

#include "profile/model/attribution.h"
#include "profile/read/sites.h"

/* who_put_name -- print the function of a level of a location, shortened.
 *
 * level  NULL: it has no name, its address in its file is printed.
 */
void who_put_name(FILE *out, const struct profile *p, uint32_t location,
		  const struct symbols_level *level);

/* who_put_level -- the same, and where it is: "parse (parse.c:120)", "qsort in libc.so.6",
 * "0x1234 in libfoo.so". */
void who_put_level(FILE *out, const struct profile *p, uint32_t location,
		   const struct symbols_level *level);

/* who_put -- the same for a position; "[unknown]" if its left is 0. */
void who_put(FILE *out, const struct profile *p, const struct position *at);

/* who_metric -- what bytes of a metric are: "live when the heap was largest". */
const char *who_metric(enum metric_kind kind);

/* who_percent -- PART of WHOLE in percent, 0 of nothing. */
double who_percent(int64_t part, int64_t whole);

#endif
