/* tracee_refusal.h -- Why a process cannot be stopped from outside.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "profile/base/error.h"

/* tracee_refusal_explain -- Says what forbids it, and what to do.
 *
 * pid  in our PID namespace.
 * why  error number of PTRACE_SEIZE.
 * Returns -1 with ERR: MU_ERROR_DENIED if we have not the right. Cost two files of /proc.
 */
int tracee_refusal_explain(pid_t pid, int why, struct mu_error *err);

/* tracee_refusal_tracer -- Returns the process that traces a thread of PID, 0 if none does.
 *
 * An examiner begins with other threads than the first. Cost a file of /proc for each thread.
 */
pid_t tracee_refusal_tracer(pid_t pid);

/* tracee_refusal_is_brief -- Tells whether that process is memusage, which soon lets it go. */
bool tracee_refusal_is_brief(pid_t pid);

/* A tracer must be an ancestor of the process, or of the children of one that it has named. */
enum { TRACEE_REFUSAL_DESCENDANTS = 1 };

/* tracee_refusal_scope -- Returns kernel.yama.ptrace_scope, 0 if there is none.
 *
 * Source Linux, Documentation/admin-guide/LSM/Yama.rst.
 */
int tracee_refusal_scope(void);
