/* sandbox.h -- what the program has forbidden itself, or is about to.
 *
 * A filter can kill the process for a system call that the program itself never makes: ours. So
 * from then on sys_call() makes none, and every caller takes it for a kernel that lacks the call.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/export.h"

struct sandbox {
	bool is_on;	    /* it has asked for seccomp, or for no_new_privs, which comes first */
	bool is_strict;	    /* ... for the mode in which threads and children cannot be made */
	bool has_no_clock;  /* to read a clock may kill: clock.h */
	uint32_t pid;	    /* of the process, for which the kernel is not asked any more */
	int64_t tid_at; /* where libc keeps a thread's ID, from the thread pointer; 0: not found */
};

extern HIDDEN struct sandbox sandbox;

/* sandbox_begin -- prepare for a sandbox, while system calls are allowed.
 *
 * Maps private memory for what the recorder's tables need from then on. With is_strict it forbids
 * the clocks, too. Does nothing more if the sandbox is on. Async-signal-safe.
 */
void sandbox_begin(bool is_strict);

/* sandbox_forked -- in a forked child, note its process ID. */
void sandbox_forked(void);

/* sandbox_thread -- return the calling thread's ID in a sandbox, 0 if it cannot be found.
 *
 * Makes a system call only if libc's own copy was not found. Async-signal-safe.
 */
uint32_t sandbox_thread(void);

/* sandbox_inherit -- at the start of the process: note that it has a filter from before its exec.
 *
 * known  the number of filters that may be there, as text: the launcher's; NULL: 0.
 * The sandbox is on if there are more. Nothing is prepared then: the process is not recorded. Makes
 * no system call that ld.so has not made. Cost 20 us.
 */
void sandbox_inherit(const char *known);
