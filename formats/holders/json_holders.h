/* json_holders.h -- The member "holders" of a process in JSON.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "profile/model/profile.h"
#include "profile/read/image.h"

/* json_write_holders -- Writes what held the blocks at each moment that was examined, with the
 * comma before it.
 *
 * p       the profile of IM with names, and the frames of run-times: they tell types.
 * listed  per site of the profile: its index in "sites", UINT32_MAX if it is not there.
 * Writes nothing if nothing was examined.
 */
void json_write_holders(FILE *out, const struct image *im, const struct profile *p,
			const uint32_t *listed);
