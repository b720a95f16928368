/* stack_import.h -- The stacks of a massif.out, of DHAT's or pprof's profile as a struct profile.
 *
 * So the reports, the filter and the rule of run-times that recordings have apply to them as well.
 * A text of the file is a location with one level; what was merged is a function
 * "[below threshold]".
 *
 *	struct stack_import s;
 *
 *	if (stack_import_massif(&s, &m, NULL, &err) == 0 &&
 *	    stack_import_weigh_snapshot(&s, &m, massif_peak(&m), weight))
 *		tree_build(&tree, &s.filter, weight, ...);
 *	stack_import_free(&s);
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "formats/base/triples.h"
#include "formats/dhat.h"
#include "formats/massif.h"
#include "formats/base/pprof_read.h"
#include "profile/model/filter.h"
#include "profile/model/profile.h"
#include "profile/model/runtime_frames.h"

#define STACK_IMPORT_MERGED_TEXT "[below threshold]"

enum {
	STACK_IMPORT_MERGED = 1,	/* the number of that text */
	STACK_IMPORT_MAX = 1 << 21	/* different frames, and stacks: 0.7 GB at most */
};

struct stack_import {
	struct profile profile;		/* its sites have no figures */
	struct filter filter;		/* of the profile with all frames */
	struct program_stacks program;	/* after stack_import_filter() with hides_runtime */
	/* private */
	struct triples frames;		/* caller, location, 0; the number of a frame less 1 */
	struct strings objects;		/* the number of a path less 1 is that of its module */
	uint32_t frame_room, site_room, module_room;
	uint32_t *site;			/* by frame, + 1: the one whose stack begins there */
	uint32_t site_of_room;
};

/* stack_import_massif -- Imports the stacks of all trees of a massif.out.
 *
 * s  overwritten, not to be moved; stack_import_free() it in any case.
 * o  options of the filter, NULL for the defaults; read here only.
 * Returns 0, or -1 with ERR beyond the limit above.
 */
int stack_import_massif(struct stack_import *s, const struct massif_file *m,
			const struct filter_options *o, struct mu_error *err);

/* stack_import_dhat -- Imports the stacks of a profile of DHAT; a program point is the site of its
 * number. As above. */
int stack_import_dhat(struct stack_import *s, const struct dhat *d,
		      const struct filter_options *o, struct mu_error *err);

/* stack_import_pprof -- Imports the stacks of a profile of pprof; a sample is the site of its
 * number. As above. */
int stack_import_pprof(struct stack_import *s, const struct pprof_file *p,
		       const struct filter_options *o, struct mu_error *err);

/* stack_import_filter -- Returns the filter of all frames, or of those of the program alone.
 *
 * hides_runtime  makes s->program: once
 * o              given before
 * Returns the filter; S owns it.
 */
const struct filter *stack_import_filter(struct stack_import *s, bool hides_runtime,
					 const struct filter_options *o);

/* Called for a site of a snapshot. */
typedef void (*stack_import_fn)(void *data, uint32_t site, uint64_t bytes);

/* stack_import_snapshot -- Calls FN for each stack of a snapshot that has bytes of its own. */
void stack_import_snapshot(struct stack_import *s, const struct massif_file *m,
			   const struct massif_snapshot *snapshot, stack_import_fn fn, void *data);

/* stack_import_weigh_snapshot -- Sets the weights of all sites to their bytes at a snapshot.
 *
 * weight  one per site. Blocks are not known.
 */
void stack_import_weigh_snapshot(struct stack_import *s, const struct massif_file *m,
				 const struct massif_snapshot *snapshot, struct weight *weight);

/* stack_import_weigh_points -- Sets the weights to a metric of the program points.
 *
 * kind  METRIC_PEAK, METRIC_LIVE or METRIC_TOTAL.
 */
void stack_import_weigh_points(const struct dhat *d, enum metric_kind kind, struct weight *weight);

/* stack_import_weigh_samples -- Sets the weights to a metric of the samples of pprof, as above. */
void stack_import_weigh_samples(const struct pprof_file *p, enum metric_kind kind,
				struct weight *weight);

/* stack_import_free -- Releases everything. Fine for a zeroed struct. */
void stack_import_free(struct stack_import *s);
