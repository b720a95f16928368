/* tracee_call.h -- Registers of a stopped thread, and system calls that it makes for us.
 *
 * Private to tracee.c.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/trace/tracee.h"

/* tracee_call_read_registers -- Reads all registers of a stopped thread. */
void tracee_call_read_registers(struct tracee_thread *thread);

/* tracee_call_read_general -- The same but for the extended ones, which are most of the cost. */
void tracee_call_read_general(struct tracee_thread *thread);

/* tracee_call_is_worker -- Tells whether a stopped thread is one in which the kernel works for the
 * process, as for io_uring(7). It runs no code of the process.
 *
 * Source  Linux 5.12 to 6.18, copy_thread(): "a user space thread, but it doesn't return".
 */
bool tracee_call_is_worker(pid_t tid);

/* tracee_call_restart -- Has a stopped thread make the system call again that the stop ended.
 *
 * Call it at once, because this process may be killed: then the thread goes on as it is.
 * Some calls end with EINTR when a thread is stopped, though no signal came. A finite time limit
 * begins again.
 * Source  signal(7), "Interruption of system calls and library functions by stop signals".
 */
void tracee_call_restart(pid_t pid, struct tracee_thread *thread);

/* tracee_call_settle -- Lets the call end with EINTR after all if a signal waits for the thread.
 *
 * Call it before the thread goes on: a program may rely on it that a signal ends its call.
 */
void tracee_call_settle(pid_t pid, struct tracee_thread *thread);

/* tracee_call_clone -- Has a stopped thread make a copy of its process.
 *
 * copy  set to the process ID of the copy, which is traced and about to stop; 0 without one.
 * Returns what the call returned: the ID as the process sees it, or a negative error number.
 */
long tracee_call_clone(const struct tracee *t, struct tracee_thread *thread,
		       const struct mu_examined *e, pid_t *copy);

/* tracee_call_close_begin -- Has a copy begin to close all of its descriptors.
 *
 * The readers of the pipes of the process would otherwise wait for the end of the copy. It is good
 * for nothing else then.
 */
void tracee_call_close_begin(pid_t copy, const struct tracee_thread *thread,
			     const struct mu_examined *e);

/* tracee_call_close_go_on -- Waits until it has closed them, for some nanoseconds at most.
 *
 * Returns false if it still waits: the close of a file of FUSE needs an answer, which the stopped
 * process itself may have to give. Call it again then.
 */
bool tracee_call_close_go_on(pid_t copy, uint64_t wait_ns);

/* tracee_call_reap -- Has a stopped thread reap the copy, which has ended. */
void tracee_call_reap(const struct tracee *t, struct tracee_thread *thread,
		      const struct mu_examined *e);
