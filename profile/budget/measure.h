/* measure.h -- Measures what a condition is about in an image of a recording.
 *
 *	struct measure m = { .image = &image, .complete = &all, .shown = &shown, ... };
 *
 *	if (measure_weigh(&m, &condition, weight, &err) == 0 &&
 *	    measure_figure(&m, &condition, weight, &figure, &err) == 0)
 *		...;
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/base/error.h"
#include "profile/budget/condition.h"
#include "profile/budget/verdict.h"
#include "profile/model/filter.h"
#include "profile/read/image.h"
#include "profile/read/site_errors.h"
#include "profile/read/sites.h"

struct measure {
	const struct image *image;
	uint64_t flags;			/* of the recording's configuration */
	const struct sites *sites;	/* of the profile that the filters are of */
	const struct filter *complete;	/* as places_select() takes them; NULL: names are not */
	const struct filter *shown;	/* known, and the condition is about all of the process */
	const struct site_errors *errors;	/* NULL: exact */
	double distance;		/* mean bytes between two sampled blocks */
};

/* measure_needs_names -- Tells whether a condition is about functions or modules. */
bool measure_needs_names(const struct condition *c);

/* measure_weigh -- Computes what each site has of the metric.
 *
 * weight  one per site, overwritten: what counts is in `bytes`, whether it is bytes or a number;
 *         sites that the condition is not about weigh nothing. The other of the two is in `blocks`,
 *         0 for losses.
 * error   one per site, overwritten, for the errors of estimates; NULL if m->errors is.
 * Returns 0; -1 with ERR if the recording does not tell it.
 */
int measure_weigh(const struct measure *m, const struct condition *c, struct weight *weight,
		  struct sampled_error *error, struct mu_error *err);

/* measure_figure -- Computes the figure of the process.
 *
 * weight  of measure_weigh(); not read if the metric has no places.
 * Returns 0; -1 with ERR if the recording does not tell it.
 */
int measure_figure(const struct measure *m, const struct condition *c,
		   const struct weight *weight, struct figure *figure, struct mu_error *err);

/* measure_finds_place -- Tells whether the process has what a condition is about: a function of
 * that name in any call stack, or an object of that name. True of a condition about all of it. */
bool measure_finds_place(const struct measure *m, const struct condition *c);
