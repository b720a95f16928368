/* thinning.h -- giving up some of the live sampled blocks, when there are too many.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "libmemusage/image/thread.h"

/* thinning_double -- double R. Each live sampled block survives with p(size, 2R) / p(size, R).
 *
 * thread  the calling one. All live sums become those of 2R.
 * Inside the hook, under locks.sampling. Async-signal-safe. Costs 0.2 us for each live sampled
 * block, and 1 us for each 2 MiB of heap.
 */
void thinning_double(struct thread *thread);
