/* toplist.h -- A list of the places that hold the most memory, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "memusageprint/job/report_subject.h"
#include "profile/base/error.h"
#include "profile/model/filter.h"
#include "profile/merge/merge.h"
#include "profile/model/top.h"
#include "profile/read/sites.h"

struct toplist {
	const struct filter *filter;	/* without a limit of depth */
	const struct weight *weight;	/* one per site, from sites_weigh() of kind, or from
					 * moment_growth() */
	enum metric_kind kind;
	unsigned int count;		/* places to list, at least 1 */
	bool is_live;			/* the process still runs: its "end" is now */
	enum top_kind group;		/* of places: anything but TOP_FUNCTIONS */
	bool shows_runtime;		/* the filter's profile has the frames of run-times */
	bool lacks_blocks;		/* they are not known: print none */
	bool lifetimes;			/* print how long blocks lived; after sites_lifetimes() */
	const char *from, *to;		/* of METRIC_GROWTH: words for its moments */
	const struct image *image;	/* for verdicts on growing places; NULL: print none */
	const struct site_errors *errors;	/* of estimates, for them; NULL: exact */
	bool by_bytes;			/* as for place_trends_judge() */
	struct merge *merge;	/* print how its processes differ at each place; NULL: nothing */
	double distance;		/* mean bytes between two sampled blocks; print bounds,
					 * of the errors of the weights. 0: figures are exact */
	double unseen;		/* what a place without a sample has at most, in bytes */
};

/* toplist_of_subject -- Returns the list of a metric of a process, as the options ask for it.
 *
 * s  its weights are those of KIND before the list is printed; it must outlive the list.
 */
struct toplist toplist_of_subject(const struct report_subject *s, enum metric_kind kind,
				  const struct settings *settings);

/* toplist_put_name -- Prints the name of the place of an entry, by the grouping of the list. */
void toplist_put_name(FILE *out, const struct toplist *list, const struct top_entry *entry);

/* toplist_print -- Prints a line with the largest place, the places with their callers, the
 * functions with all that they called, and the meaning of the numbers.
 *
 * The bounds of estimates are in a line of their own below the figures, next to the callers:
 *
 *	   41.2 MiB  30.0%         4,000  read_line (input.c:34)
 *	     +- 3.1                +- 300  called by load (main.c:22)
 *
 * With METRIC_TEMPORARY the list is about blocks, else about bytes. With METRIC_GROWTH it has the
 * places that grew; those that shrank are one line.
 */
void toplist_print(FILE *out, const struct toplist *list);
