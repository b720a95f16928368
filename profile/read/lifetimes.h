/* lifetimes.h -- Lifetimes of the blocks of a run.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "profile/read/image.h"

/* lifetimes_of -- Counts the freed blocks by lifetime.
 *
 * lives  gets a class per entry: 0 is below a millisecond or so (born and died in the same tick),
 *        k from 2^(k-1) ms to below 2^k; the last has no upper end. next is 0.
 * Returns false if they were not counted: without call stacks, or before this was recorded. A
 * chain that leads nowhere ends there.
 */
bool lifetimes_of(const struct image *im, struct mu_lifetimes *lives);
