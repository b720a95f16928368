/* tracee_frame.h -- Registers in the form in which the kernel saves them for a signal handler.
 *
 * A thread that has them on its stack finds back to where it was by rt_sigreturn, whatever has
 * happened to the process that stopped it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/trace/tracee.h"

#if defined(__x86_64__)

#include <ucontext.h>

enum { TRACEE_EXTENDED_MAX = 12288 }; /* bytes of extended registers that are kept */

/* tracee_frame_repeats -- Tells whether such a thread makes the call again in which it waits.
 *
 * If not, the call returns EINTR, should we be killed. The registers have been read.
 */
bool tracee_frame_repeats(const struct tracee_thread *thread);

/* tracee_frame_context -- Fills in what rt_sigreturn finds at the stack pointer.
 *
 * mask      the signals that are blocked afterwards.
 * extended  where the result of tracee_frame_extended() is in the process, at a multiple of 64.
 * A system call that the kernel would make again is made again.
 */
void tracee_frame_context(ucontext_t *c, const struct tracee_thread *thread, uint64_t mask,
			  uint64_t extended);

/* tracee_frame_extended -- Fills in the extended registers: at most TRACEE_EXTENDED_MAX + 8 bytes.
 *
 * Returns the bytes.
 */
size_t tracee_frame_extended(unsigned char *to, const struct tracee_thread *thread);

#endif
