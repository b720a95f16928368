/* emulated_exec.h -- programs that an emulated process executes are emulated, too.
 *
 * qemu-user leaves execve to the kernel, so that the new program would run by itself.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_EMULATED_EMULATED_EXEC_H
#define LIBMEMUSAGE_EMULATED_EMULATED_EXEC_H

/* emulated_exec_start -- stand in for the C library's execve, which all others go through.
 *
 * The emulator and its options are in the environment (MU_ENV_EMULATOR). Without it, or where
 * code cannot be changed, programs run by themselves and are not recorded. Once, at start.
 */
void emulated_exec_start(void);

#endif
