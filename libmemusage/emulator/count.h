/* count.h -- counts each read and write of the emulated program.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_EMULATOR_COUNT_H
#define LIBMEMUSAGE_EMULATOR_COUNT_H

#include <stdbool.h>

#include "libmemusage/emulator/qemu.h"

/* count_instruction -- have what an instruction reads and writes counted, each time it runs.
 *
 * insn  that is being translated.
 * many  whether several threads may run it.
 */
void count_instruction(struct qemu_plugin_insn *insn, bool many);

/* count_begin -- sums and directory lie elsewhere from now on: at the start and in a forked child.
 *
 * By the only thread that there is.
 */
void count_begin(void);

/* count_end -- nothing is counted until count_begin(). By the only thread that there is. */
void count_end(void);

/* count_thread_ended -- what the calling thread remembers goes. */
void count_thread_ended(void);

#endif
