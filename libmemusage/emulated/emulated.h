/* emulated.h -- a recorded process under qemu-user, whose plugin sees every read and write.
 *
 * The recorder runs inside the emulated process as it does elsewhere: it finds call stacks,
 * keeps blocks and the directory by which accesses find them (accesses.h). The plugin, in the
 * same address space, looks blocks up in that directory and counts into the same recording. It
 * learns where both are by a system call that no kernel has.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "libmemusage/base/emulated_pause.h"

#define EMULATED_MAGIC UINT64_C(0x554d45554d454d31)

/* The message of the process to the plugin. Addresses are the emulated process's, which the plugin
 * can use as they are. */
struct emulated {
	uint64_t magic;
	uint64_t base;	       /* of the image */
	uint64_t table;	       /* struct accesses */
	uint64_t locks;	       /* struct arena_locks */
	uint64_t gate;	       /* struct gate */
	uint64_t own, own_end; /* of the recorder's code */
	uint64_t ask, answer;  /* emulated_event.h */
	uint64_t instructions; /* set by the plugin: address of the count; 0: no plugin */
	uint64_t answers;      /* ... not 0 if it calls `answer` */
};

/* emulated_begin -- tell the plugin about this image, if a plugin counts accesses.
 *
 * At start and in a forked child, before the gate opens, when its directory is made.
 */
void emulated_begin(void);

/* emulated_start -- run programs that the program executes in the emulator, too. Once, at
 * start. */
void emulated_start(void);
