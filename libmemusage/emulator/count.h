/* count.h -- counting each read and write of the emulated program.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "libmemusage/emulator/qemu.h"

/* count_instruction -- count the accesses of an instruction, each time it runs.
 *
 * insn  is being translated.
 * many  several threads may run it.
 */
void count_instruction(struct qemu_plugin_insn *insn, bool many);

/* count_begin -- begin with new sums and a new directory, at the start and in a forked child.
 *
 * Called by the only thread.
 */
void count_begin(void);

/* count_end -- stop counting until count_begin(). Called by the only thread. */
void count_end(void);

/* count_thread_ended -- free the state of the calling thread. */
void count_thread_ended(void);
