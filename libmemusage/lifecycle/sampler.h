/* sampler.h -- stack samples between events: SIGPROF from a CPU-time timer per thread.
 *
 * Samples are taken only while an event log is written, not with --no-timer, and not if the program
 * uses SIGPROF itself. ITIMER_PROF is never used: it survives exec and kills the new program.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

#include "libmemusage/image/thread.h"

/* sampler_start -- install the handler, if sampling is wanted and SIGPROF is free.
 *
 * Call it from the constructor, and in a forked child. Not async-signal-safe.
 */
void sampler_start(void);

/* sampler_add -- start the timer of the calling thread, if sampling is on.
 *
 * Async-signal-safe. Cost two system calls. A timer that cannot be made is counted.
 */
void sampler_add(struct thread *thread);

/* sampler_allow -- say whether the calling thread may be sampled, and start or stop its timer.
 *
 * It may not while it has an alternate signal stack: a program makes that as large as its own
 * handlers need, and the frame of one more signal (3.3 KiB with AVX-512) may not fit.
 * Then the kernel ends the program. Call outside the hook. Async-signal-safe.
 */
void sampler_allow(bool may_sample);

/* sampler_remove -- stop a thread's timer. Async-signal-safe. */
void sampler_remove(struct thread *thread);

/* sampler_stop_all -- stop the timers of all threads, before a sandbox begins.
 *
 * In a sandbox no timer could be stopped for an alternate signal stack, and its filter may forbid
 * rt_sigreturn, which every handler ends by. Async-signal-safe.
 */
void sampler_stop_all(void);

/* sampler_yield_signal -- stop sampling for good, and note it, since the program uses SIGPROF.
 *
 * The signal is then as if it had never been used. Idempotent.
 */
void sampler_yield_signal(void);

/* sampler_owns_signal -- return whether our handler is installed. */
bool sampler_owns_signal(void);
