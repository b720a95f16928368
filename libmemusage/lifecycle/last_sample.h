/* last_sample.h -- the memory of the process at its exit, for the timeline.
 *
 * The collector takes samples from outside. But a process that has ended has no memory left, and
 * many end before the first sample: so the process takes the last one itself.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* last_sample_init -- begin with an empty timeline: in a new image, and in a forked child. */
void last_sample_init(void);

/* last_sample_take -- sample the process, from /proc/self/status.
 *
 * Does nothing without /proc, in a sandbox, or without memory. Call it from the destructor.
 * Cost 20 us. Source proc(5).
 */
void last_sample_take(void);
