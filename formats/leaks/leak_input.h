/* leak_input.h -- What a leak report is made from.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/model/filter.h"
#include "profile/read/leak_checks.h"

/* In the order of the words of --leak-resolution. */
enum leak_resolution { LEAK_RESOLUTION_LOW, LEAK_RESOLUTION_MED, LEAK_RESOLUTION_HIGH };

/* Which records are printed, by how they have changed since the check before. */
enum leak_delta { LEAK_ANY, LEAK_NEW, LEAK_INCREASED, LEAK_CHANGED };

/* A set of kinds of loss: bits (1 << enum mu_loss_kind). */
#define LEAK_KINDS_DEFAULT (1u << MU_LOSS_DEFINITE | 1u << MU_LOSS_POSSIBLE)
#define LEAK_KINDS_ALL 15u

struct leak_report_options {
	bool is_full;		 /* with loss records */
	unsigned int shown;	 /* set of kinds whose records are printed */
	unsigned int errors;	 /* set of kinds whose records count as errors */
	enum leak_resolution resolution;
	enum leak_delta delta;	 /* other than LEAK_ANY: with the changes of each figure */
	unsigned int limit;	 /* most records that are printed, the last ones; 0: all */
	const char *tree;	 /* name of the file that has the records (leak_tree.h), not the
				  * text; "": another message names it; NULL: the text has them */
	bool is_asked;		 /* hints are words of --pid=PID leak_check, not options */
	unsigned int callers;	 /* frames of a stack, the allocating function included */
	const char *const *strip; /* as for symbols_put_massif() */
	size_t strips;
	bool no_inlines;
	bool show_below_main;
};

/* The heap of the whole run, for HEAP SUMMARY. */
struct leak_heap {
	uint64_t allocs, frees, bytes;
	bool is_detached; /* the process runs on, without the recorder */
};

struct leak_report {
	const struct filter *filter; /* and so the profile */
	const struct leak_check *check;
	const struct leak_check *before; /* the check before; without losses if it is the first */
	const struct leak_heap *heap;	 /* NULL: no HEAP SUMMARY */
	const uint64_t *entry; /* mu_examined.entry */
	uint32_t pid;
	struct leak_report_options o;
};
