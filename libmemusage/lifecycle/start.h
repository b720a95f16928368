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
