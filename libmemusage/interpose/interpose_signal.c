/* interpose_signal.c -- the calls by which a program could notice our use of signals.
 *
 * A program that asks gets the answer that it would get without us. A program that takes SIGPROF or
 * ITIMER_PROF for itself, or waits for the signal, gets it, and stack sampling ends. The signal for
 * snapshots is shared with it (snapshot_signal.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/time.h>

#include "libmemusage/base/export.h"
#include "libmemusage/base/real.h"
#include "libmemusage/base/sigset.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/thread.h"
#include "libmemusage/lifecycle/sampler.h"
#include "libmemusage/lifecycle/snapshot_signal.h"
#include "libmemusage/unwind/walk.h"

EXPORT int sigaction(int number, const struct sigaction *restrict now,
		     struct sigaction *restrict old)
{
	if (snapshot_signal_is(number))
		return snapshot_signal_action(now, old);
	if (number != SIGPROF || !sampler_owns_signal())
		return real.sigaction(number, now, old);
	if (now) {
		sampler_yield_signal();
		return real.sigaction(number, now, old);
	}
	if (old)
		memset(old, 0, sizeof(*old)); /* SIG_DFL, no flags, empty mask */
	return 0;
}

/* The timer stops before the stack is there: no frame of its signal can lie on it. */
EXPORT int sigaltstack(const stack_t *restrict now, stack_t *restrict old)
{
	stack_t before;

	real_resolve();
	if (!now || real.sigaltstack(NULL, &before))
		return real.sigaltstack(now, old);
	if (!(now->ss_flags & SS_DISABLE))
		sampler_allow(false);
	int result = real.sigaltstack(now, old);
	walk_look_again(self->walk);
	sampler_allow((result ? before.ss_flags : now->ss_flags) & SS_DISABLE);
	return result;
}

/* The historical forms call sigaction, by other names inside libc. */
static void yield_changed_signal(int number)
{
	if (number == SIGPROF)
		sampler_yield_signal();
}

#define FORMS                          \
	FORM(signal, SA_RESTART)       \
	FORM(bsd_signal, SA_RESTART)   \
	FORM(ssignal, SA_RESTART)      \
	FORM(sysv_signal, ONCE)        \
	FORM(__sysv_signal, ONCE)      \
	FORM(sigset, 0)
#define ONCE ((int)SA_RESETHAND | SA_NODEFER)

#define FORM(name, flags) sighandler_t (*name)(int, sighandler_t);
static struct next_signals {
	FORMS
} next;
#undef FORM

static void resolve_signal_forms(void)
{
#define FORM(name, flags) real_find(&next.name, #name);
	FORMS
#undef FORM
}

REAL_PART = { .resolve = resolve_signal_forms };

/* Does what glibc's forms do, for the signal that we share. sigset() also blocks or unblocks it,
 * and returns whether it was blocked. */
static sighandler_t share_signal(int number, sighandler_t handler, int flags)
{
	struct sigaction now = { .sa_handler = handler, .sa_flags = flags }, old;
	bool is_set = flags == 0, is_held = is_set && handler == SIG_HOLD;
	uint64_t only = sigset_bit(number), before = 0;

	if (flags == SA_RESTART)
		sigset_store(&now.sa_mask, only);
	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	if (snapshot_signal_action(is_held ? NULL : &now, &old))
		return SIG_ERR;
	if (!is_set)
		return old.sa_handler;
	PROGRAM_SYS4(SYS_rt_sigprocmask, is_held ? SIG_BLOCK : SIG_UNBLOCK, &only, &before,
		     sizeof(only));
	return before & only ? SIG_HOLD : old.sa_handler;
}

#define FORM(name, flags)                                           \
	EXPORT sighandler_t name(int number, sighandler_t handler); \
	EXPORT sighandler_t name(int number, sighandler_t handler)  \
	{                                                           \
		real_resolve();                                     \
		if (snapshot_signal_is(number))                     \
			return share_signal(number, handler, flags);       \
		yield_changed_signal(number);                              \
		if (next.name)                                      \
			return next.name(number, handler);          \
		errno = EINVAL;                                     \
		return SIG_ERR;                                     \
	}

FORMS

/* A program that waits for any signals must not get ours. */
static void yield_waited_signal(const sigset_t *set)
{
	real_resolve();
	if (set && sigset_holds(set, SIGPROF))
		sampler_yield_signal();
}

static int note_waited_signal(int number)
{
	if (snapshot_signal_is(number))
		snapshot_signal_waited();
	return number;
}

EXPORT int sigwait(const sigset_t *restrict set, int *restrict number)
{
	yield_waited_signal(set);
	int result = real.sigwait(set, number);
	if (!result)
		note_waited_signal(*number);
	return result;
}

EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
	yield_waited_signal(set);
	return note_waited_signal(real.sigwaitinfo(set, info));
}

EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
			const struct timespec *restrict most)
{
	yield_waited_signal(set);
	return note_waited_signal(real.sigtimedwait(set, info, most));
}

EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	yield_waited_signal(set);
	return real.signalfd(fd, set, flags);
}

EXPORT int sigpending(sigset_t *set)
{
	real_resolve();
	int result = real.sigpending(set);

	if (!result && sampler_owns_signal())
		sigset_take_out(set, SIGPROF);
	return result;
}

EXPORT int setitimer(__itimer_which_t which, const struct itimerval *restrict now,
		     struct itimerval *restrict old)
{
	if (which == ITIMER_PROF && now && (now->it_value.tv_sec || now->it_value.tv_usec))
		sampler_yield_signal();
	return real.setitimer((int)which, now, old);
}
