/* tracee_seize.h -- Beginning to trace the threads of a process that may execute a program.
 *
 * Private to tracee.c. One process at a time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <signal.h>

#include "memusage/trace/tracee.h"

/* How SIGCHLD was handled before. */
struct tracee_seizure {
	struct sigaction action;
	sigset_t mask;
};

/* tracee_seize_begin -- Has threads of T that die waited for, until tracee_seize_end(). */
void tracee_seize_begin(struct tracee *t, struct tracee_seizure *s);

/* tracee_seize_end -- Ends what tracee_seize_begin() began. */
void tracee_seize_end(const struct tracee_seizure *s);

/* tracee_seize -- Begins to trace thread TID, which runs on. Returns false with errno. */
bool tracee_seize(pid_t tid);

/* tracee_seize_reap -- Waits for a traced thread if it is dead. Async-signal-safe. */
void tracee_seize_reap(pid_t tid);
