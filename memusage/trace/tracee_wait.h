/* tracee_wait.h -- Whether a traced thread stands.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* tracee_wait_is_held -- Tells whether a thread is stopped, and ours. */
bool tracee_wait_is_held(pid_t tid);

/* tracee_wait_is_end -- Tells whether waitid() has found a thread that has ended. It reports the
 * stop of a traced thread, too, if it is asked for WEXITED alone. */
bool tracee_wait_is_end(const siginfo_t *info);

/* tracee_wait_stop -- Waits WAIT_NS nanoseconds at most until a traced thread stops.
 *
 * Returns its status as waitpid() gives it, or -1 if the thread has ended or does not stop.
 */
int tracee_wait_stop(pid_t tid, uint64_t wait_ns);
