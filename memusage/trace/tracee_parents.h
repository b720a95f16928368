/* tracee_parents.h -- Which threads of a process have children.
 *
 * The end of a child is signalled to the thread that has forked it. While that thread is traced,
 * the kernel keeps the signal, though the process ignores it, and wakes another thread for it that
 * is not traced: the call in which that waits ends with EINTR. So a thread with children is traced
 * after those without, and let go before them.
 *
 * Source  proc_pid_task(5), "children"; ptrace(2), "Signal injection and suppression": a tracer
 *         gets signals that the process ignores, too.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct tracee_parents {
	pid_t *tid;
	uint32_t count, room;
};

/* tracee_parents_find -- Finds them: all at the time of the call, if the process is stopped.
 *
 * p    zeroed, or from an earlier call, whose result is dropped; tracee_parents_free() releases it.
 * pid  in our PID namespace, as is
 * copy a child that does not count, since its end is not signalled; 0 none.
 * None are found if the process has a single thread or handles SIGCHLD, which then ends calls in
 * any case, and without CONFIG_PROC_CHILDREN.
 * Cost one file of /proc, and with several threads one for each, 3 to 5 us.
 */
void tracee_parents_find(struct tracee_parents *p, pid_t pid, pid_t copy);

/* tracee_parents_has -- Tells whether thread TID is one of them. */
bool tracee_parents_has(const struct tracee_parents *p, pid_t tid);

/* tracee_parents_free -- Releases the list. Accepts a zeroed struct. */
void tracee_parents_free(struct tracee_parents *p);
