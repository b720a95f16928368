/* start.h -- how recording begins in a process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* recorder_start -- decide, once, whether this process is recorded, and begin.
 *
 * The first event and the constructor call it. It calls no allocator itself. Not async-signal-safe;
 * a second caller meanwhile returns immediately. Cost about 100 us, once per image.
 */
void recorder_start(void);

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
