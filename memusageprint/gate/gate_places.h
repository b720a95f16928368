/* gate_places.h -- The places that make the difference, for a broken condition.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/gate/gate.h"
#include "memusageprint/gate/gate_side.h"

/* gate_places_find -- Finds the places that have most, or that grew most since the baseline.
 *
 * f       its places are filled in; none if no place has a part of the figure. Those of "rss peak"
 *         are of the heap at its peak.
 * number  of its condition in the list.
 * old     NULL: the condition is not relative.
 * Returns 0, or -1 after a warning.
 */
int gate_places_find(struct gate_finding *f, size_t number, struct gate_side *old,
		     struct gate_side *new);
