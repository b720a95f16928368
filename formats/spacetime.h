/* spacetime.h -- bytes x milliseconds: what the first Massif (before Valgrind 3.3) measured, and
 * the reports that it wrote.
 *
 *	==27519== Total spacetime:   2,258,106 ms.B
 *	==27519== heap:              24.0%
 *
 * The spacetime of a place is the sum, over the time between two snapshots, of what it held. In
 * between, the heap is taken as changing evenly, or, where the collector looked at it meanwhile,
 * as it saw it; the places share that by what they hold at the two snapshots.
 *
 * Of samples it is an estimate. The deviations of a place at the snapshots add up as if all were to
 * the same side, since its blocks may be live at several: the bounds are rather too wide.
 *
 * Source  manual of Valgrind 3.2, Massif; hp2ps's reader; docs/compat.md.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "profile/base/error.h"
#include "profile/model/filter.h"
#include "profile/read/image.h"
#include "profile/read/site_errors.h"
#include "profile/read/timeline.h"
#include "recording/recording.h"

enum { SPACETIME_DEPTH = 3 };	/* of contexts, by default */

/* In ms x bytes. */
struct spacetime {
	const struct filter *filter;
	const struct image *image;
	uint32_t admin_bytes;	/* charged per block */
	struct weight *weight;	/* one per site: bytes is its spacetime */
	struct site_errors *errors;	/* of bytes; NULL: nothing was sampled */
	struct sampled_error *error;	/* what the weights point to, of spacetime */
	struct sampled_error heap_error;	/* the sum of these */
	double distance;	/* from sampled_mean_distance() */
	double heap, admin, stacks, total;
	uint64_t *shot;		/* snapshots that know their places; UINT64_MAX: the end */
	double *time;		/* of each, in ms from the first on */
	double *tick;		/* of each, by the recorder's coarse clock, from the first on */
	uint32_t count;
	uint64_t first_ns;	/* CLOCK_MONOTONIC of the first */
	uint32_t first_tick;
	struct timeline timeline;	/* private */
};

/* spacetime_of -- add everything up.
 *
 * s       overwritten; release with spacetime_free() in any case.
 * f       of a profile with names; borrowed, as is IM.
 * config  of the recording.
 * Returns 0, or -1 with ERR: fewer than two snapshots that know their places.
 */
int spacetime_of(struct spacetime *s, const struct filter *f, const struct image *im,
		 const struct mu_config *config, struct mu_error *err);

/* spacetime_free -- release everything. Fine for a zeroed struct. */
void spacetime_free(struct spacetime *s);

enum { SPACETIME_PERCENT = 48 };	/* big enough for what follows, with the final zero */

/* spacetime_percent -- PART of the total as "24.0%", cut to tenths; "(n/a)" of nothing.
 *
 * e  the error of PART, an estimate, which is then "24.0% +- 1.2"; NULL: none.
 * Returns TEXT, or a constant.
 */
const char *spacetime_percent(const struct spacetime *s, double part,
			      const struct sampled_error *e, char text[SPACETIME_PERCENT]);

/* spacetime_put_summary -- the lines about heap, admin and stacks, each after "==PID== ". */
void spacetime_put_summary(FILE *out, const struct spacetime *s, uint32_t pid);

/* spacetime_put_hp -- the curves of the places as a file for hp2ps.
 *
 * The 32 places with the largest spacetime have a curve, the others one together.
 */
void spacetime_put_hp(FILE *out, const struct spacetime *s, const char *command);

struct spacetime_report {
	const char *command;
	const char *title;	/* of the page: the name of the file */
	unsigned int depth;	/* 0: SPACETIME_DEPTH */
	bool is_html;
};

/* spacetime_put_report -- Writes the places that have the heap's spacetime, and their callers. */
void spacetime_put_report(FILE *out, const struct spacetime *s, const struct spacetime_report *r);
