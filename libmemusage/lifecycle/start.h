/* start.h -- how recording begins in a process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_LIFECYCLE_START_H
#define LIBMEMUSAGE_LIFECYCLE_START_H

/* recorder_start -- decide, once, whether this process is recorded, and begin.
 *
 * Called by the first event and by the constructor. Calls itself no allocator; may call
 * dlsym. Not async-signal-safe; a second caller meanwhile returns at once.
 * Cost about 100 us, once per image.
 */
void recorder_start(void);

/* recorder_restart -- begin afresh in a child that a raw clone() made, without history.
 *
 * Called by the first event that finds the gate wiped. Async-signal-safe.
 */
void recorder_restart(void);

/* recorder_announce -- a forked child has its first event: its slot becomes LIVE.
 *
 * Opens the gate. Async-signal-safe.
 */
void recorder_announce(void);

/* recorder_open_gate -- let events in: sets the mode, then gate.on.
 *
 * Needs rec complete and the calling thread's record attached.
 */
void recorder_open_gate(void);

#endif
