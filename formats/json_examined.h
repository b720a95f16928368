/* json_examined.h -- Members of a process in JSON that are results of examinations: pages, leaks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "formats/export.h"

/* json_write_pages -- Writes what holds the resident memory, with the comma before it.
 *
 * listed  per site of the profile: its index in "sites", UINT32_MAX if it is not there.
 * Writes nothing if the pages were not examined.
 */
void json_write_pages(FILE *out, const struct export *e, const uint32_t *listed);

/* json_write_checks -- Writes the leak checks, with a comma before them; nothing without one.
 *
 *	,"leak_checks":[{"time_ns":..,"pause_ns":..,"at_end":true,"cut":false,
 *			 "losses":[{"site":3,"kind":"definite","bytes":..,"blocks":..,
 *				    "indirect_bytes":..,"indirect_blocks":..}]}]
 *
 * listed  as above.
 */
void json_write_checks(FILE *out, const struct export *e, const uint32_t *listed);
