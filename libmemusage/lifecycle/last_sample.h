/* last_sample.h -- the memory of the process at its exit, for the timeline.
 *
 * Samples are taken by the collector, from outside. But a process that has ended has no memory to
 * look at, and many live for less than the time between two looks: so the last one is its own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_LIFECYCLE_LAST_SAMPLE_H
#define LIBMEMUSAGE_LIFECYCLE_LAST_SAMPLE_H

/* last_sample_init -- begin with an empty timeline: in a new image, and in a forked child. */
void last_sample_init(void);

/* last_sample_take -- look at the process, through /proc/self/status.
 *
 * Nothing happens without /proc, in a sandbox, or without memory. Call from the destructor.
 * Cost 20 us. Source proc(5).
 */
void last_sample_take(void);

#endif
