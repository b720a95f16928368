/* asleep.h -- whether events have nothing to do: the process began paused, and was not started.
 *
 * A process that is asleep makes no system call and touches no memory of the recording but one
 * word, which a client changes (recording/recorded.h). It also wakes when a consumer of our probes
 * comes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "libmemusage/image/probes.h"
#include "libmemusage/image/recorder.h"

/* is_asleep -- return whether the calling process is asleep. Async-signal-safe, below 1 ns. */
static inline __attribute__((always_inline)) bool is_asleep(void)
{
	return !__atomic_load_n(rec.awake, __ATOMIC_ACQUIRE) && !probes_are_wanted();
}
