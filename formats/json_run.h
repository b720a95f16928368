/* json_run.h -- Figures and facts of a run, as members of the JSON object of json.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "formats/export.h"
#include "profile/read/site_errors.h"

/* json_function_name -- Returns the name of an enum mu_fn: "malloc"; "other" for other numbers. */
const char *json_function_name(unsigned int fn);

/* How good the estimates of a sampled recording are. */
struct json_estimates {
	double distance;	/* from sampled_mean_distance(); 0: all figures are exact */
	struct site_errors sum;	/* from site_errors_sum() */
};

/* json_write_run -- Writes the members from "exit" to "processes", each with a comma behind it. */
void json_write_run(FILE *out, const struct export *e, const struct json_estimates *of);

/* json_put_interval -- Writes a member such as "heap_95", two numbers, behind a comma. */
void json_put_interval(FILE *out, const char *name, struct sampled_interval i);

/* json_put_heap_bounds -- Writes the member "heap_95" behind a comma, unless figures are exact.
 *
 * heap  bytes of all live blocks at a moment. Their places are not known, so the bounds are rather
 *       too wide.
 */
void json_put_heap_bounds(FILE *out, int64_t heap, const struct json_estimates *of);
