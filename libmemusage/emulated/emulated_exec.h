/* emulated_exec.h -- emulating the programs that an emulated process executes.
 *
 * qemu-user leaves execve to the kernel, which would run the new program without the emulator.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* emulated_exec_start -- replace the C library's execve, through which all others go.
 *
 * The emulator and its options are in the environment (MU_ENV_EMULATOR). Without it, or where
 * code cannot be changed, programs run without it and are not recorded. Once, at start.
 */
void emulated_exec_start(void);
