/* emulated_pause.h -- the recorder's own work under qemu-user is not counted as the program's.
 *
 * The plugin learns of it by a system call that no kernel has.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "libmemusage/base/export.h"

#define EMULATED_SYSCALL 0x4d454d /* not a number of a system call; the kernel says ENOSYS */
/* Instead of an address: the instructions between the two calls are not the program's. The first
 * has two more arguments, the beginning and the end of the recorder's code. */
enum { EMULATED_PAUSE = 1, EMULATED_RESUME = 2 };

/* The first pause finds out if an emulator has to know of pauses. */
enum emulated_pauses { PAUSES_NONE = 0, PAUSES_UNKNOWN, PAUSES_COUNT };
extern HIDDEN enum emulated_pauses emulated_pauses;

/* emulated_pause_slow -- do emulated_pause() where there may be an emulator. */
void emulated_pause_slow(void);

/* emulated_resume_slow -- do emulated_resume() where there may be an emulator. */
void emulated_resume_slow(void);

/* emulated_pause -- count no instructions from now on: the C library works for the recorder.
 *
 * For the calling thread. Nests. Pair with emulated_resume(). Needs the environment. errno is kept.
 * Async-signal-safe. Cost 1 ns, in the emulator some us.
 */
static inline void emulated_pause(void)
{
	if (emulated_pauses)
		emulated_pause_slow();
}

/* emulated_resume -- end what emulated_pause() began. */
static inline void emulated_resume(void)
{
	if (emulated_pauses)
		emulated_resume_slow();
}
