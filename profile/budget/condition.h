/* condition.h -- Parses a condition under which a run breaks its budget.
 *
 *	METRIC [at FUNCTION | in MODULE] > LIMIT
 *
 *	heap peak > 64M			total in libfoo.so > +1M
 *	leaks > 0			calls at parse > 10k
 *	heap peak > +5%			blocks at /^json_/ > 100
 *
 * docs/ci.md has the grammar.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/base/error.h"

enum { CONDITION_LENGTH = 256 };	/* of its text, with the final zero */

enum condition_metric {
	CONDITION_HEAP_PEAK,
	CONDITION_HEAP_END,
	CONDITION_HEAP_TOTAL,
	CONDITION_BLOCKS_PEAK,
	CONDITION_BLOCKS_END,
	CONDITION_CALLS,
	CONDITION_LEAKS,
	CONDITION_TEMPORARY,
	CONDITION_STACK_PEAK,
	CONDITION_RSS_PEAK,
	CONDITION_MMAP_PEAK,
	CONDITION_METRICS
};

/* The part of a process that counts. */
enum condition_scope {
	CONDITION_ALL,
	CONDITION_FUNCTION,	/* with this function on the stack */
	CONDITION_PATTERN,	/* ... with one that an extended regular expression fits */
	CONDITION_MODULE	/* allocated by the code of this program or library */
};

struct condition {
	char text[CONDITION_LENGTH];	/* as given, without blanks around it */
	enum condition_metric metric;
	enum condition_scope scope;
	char name[CONDITION_LENGTH];	/* of the scope */
	bool or_equal;			/* >=, not > */
	bool is_relative;		/* the limit is growth since the baseline ... */
	bool is_percent;		/* ... in percent of it */
	double limit;			/* bytes, a count, or percent */
};

/* condition_parse -- Parses one condition.
 *
 * c     overwritten.
 * text  ended by a zero; blanks around it are ignored.
 * Returns 0, or -1 with ERR, whose offset is the byte where the error is, from 0 on.
 */
int condition_parse(struct condition *c, const char *text, struct mu_error *err);

/* condition_metric_name -- Returns the name of a metric as conditions have it: "heap peak". */
const char *condition_metric_name(enum condition_metric metric);

/* condition_counts_bytes -- Tells whether the figures of a metric are bytes, not numbers. */
bool condition_counts_bytes(enum condition_metric metric);

/* condition_has_places -- Tells whether a metric is the sum of what places have. */
bool condition_has_places(enum condition_metric metric);

/* condition_is_cumulative -- Tells whether a metric only grows while a process runs. */
bool condition_is_cumulative(enum condition_metric metric);
