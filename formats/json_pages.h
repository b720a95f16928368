/* json_pages.h -- The member "pages" of a process in JSON.
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
