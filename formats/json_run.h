/* json_run.h -- Figures and facts of a run, as members of the JSON object of json.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "formats/export.h"
#include "profile/read/image.h"

/* json_function_name -- Returns the name of an enum mu_fn: "malloc"; "other" for other numbers. */
const char *json_function_name(unsigned int fn);

/* json_write_run -- Writes the members from "exit" to "processes", each with a comma behind it. */
void json_write_run(FILE *out, const struct export *e);

/* json_put_heap_bounds -- Writes the member "heap_95" behind a comma, if IM was sampled.
 *
 * heap  bytes of all live blocks at a moment, an estimate then. Of which places they were is not
 *       known, so that the bounds are the widest possible.
 */
void json_put_heap_bounds(FILE *out, uint64_t heap, const struct image *im);
