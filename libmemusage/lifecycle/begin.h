/* begin.h -- opening the gate: at the start, and in children.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "recording/recording.h"

/* recorder_configure -- take over the configuration of a segment, before an image begins in it. */
void recorder_configure(const struct mu_segment *segment);

/* recorder_restart -- begin a new recording in a child of a raw clone(), without history.
 *
 * The first event that finds the gate wiped calls it, if the memory is not shared with another
 * process. Async-signal-safe.
 */
void recorder_restart(void);

/* recorder_announce -- at a forked child's first event: make its slot LIVE and open the gate.
 *
 * Async-signal-safe.
 */
void recorder_announce(void);

/* recorder_open_gate -- begin to record events: set the mode, then gate.on.
 *
 * Needs rec complete and the calling thread's record attached.
 */
void recorder_open_gate(void);
