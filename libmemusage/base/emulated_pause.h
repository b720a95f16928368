/* emulated_pause.h -- the recorder's own work under qemu-user is not counted as the program's.
 *
 * The plugin learns of it by a system call that no kernel has.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_BASE_EMULATED_PAUSE_H
#define LIBMEMUSAGE_BASE_EMULATED_PAUSE_H

#include <stdbool.h>

#define EMULATED_SYSCALL 0x4d454d /* not a number of a system call; the kernel says ENOSYS */
/* Instead of an address: the instructions between the two calls are not the program's. The first
 * has two more arguments, the beginning and the end of the recorder's code. */
enum { EMULATED_PAUSE = 1, EMULATED_RESUME = 2 };

/* True if there may be an emulator. The first pause makes it false if there is none. */
extern bool emulated_may_pause;

/* emulated_pause_slow -- the part of emulated_pause() that is a function. */
void emulated_pause_slow(void);

/* emulated_resume_slow -- the part of emulated_resume() that is a function. */
void emulated_resume_slow(void);

/* emulated_pause -- the C library works for the recorder: its instructions are not counted.
 *
 * For the calling thread. Nests. Pair with emulated_resume(). Needs the environment. errno is kept.
 * Async-signal-safe. Cost 1 ns, in the emulator some us.
 */
static inline void emulated_pause(void)
{
	if (emulated_may_pause)
		emulated_pause_slow();
}

/* emulated_resume -- end what emulated_pause() began. */
static inline void emulated_resume(void)
{
	if (emulated_may_pause)
		emulated_resume_slow();
}

#endif
