/* interpose_signal.c -- the calls by which a program would meet our use of SIGPROF.
 *
 * A program that asks is told what it would be told without us; one that takes SIGPROF or
 * ITIMER_PROF for itself, or waits for the signal, gets it, and stack sampling ends.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/time.h>

#include "libmemusage/export.h"
#include "libmemusage/real.h"
#include "libmemusage/sampler.h"

EXPORT int sigaction(int number, const struct sigaction *restrict now,
		     struct sigaction *restrict old)
{
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

/* The historical forms are all made of sigaction, by other names inside libc. */
static void before_change(int number)
{
	if (number == SIGPROF)
		sampler_yield_signal();
}

#define FORMS            \
	FORM(signal)     \
	FORM(bsd_signal) \
	FORM(ssignal)    \
	FORM(sysv_signal) \
	FORM(__sysv_signal) \
	FORM(sigset)

#define FORM(name) sighandler_t (*name)(int, sighandler_t);
static struct next {
	FORMS
} next;
#undef FORM

void signal_resolve(void)
{
#define FORM(name) real_find(&next.name, #name);
	FORMS
#undef FORM
}

#define FORM(name)                                                  \
	EXPORT sighandler_t name(int number, sighandler_t handler); \
	EXPORT sighandler_t name(int number, sighandler_t handler)  \
	{                                                           \
		real_resolve();                                     \
		before_change(number);                              \
		if (next.name)                                      \
			return next.name(number, handler);          \
		errno = EINVAL;                                     \
		return SIG_ERR;                                     \
	}

FORMS

/* A program that waits for signals, of all kinds maybe, must not get our ticks. */
static void before_wait(const sigset_t *set)
{
	real_resolve();
	if (set && sigismember(set, SIGPROF) == 1)
		sampler_yield_signal();
}

EXPORT int sigwait(const sigset_t *restrict set, int *restrict number)
{
	before_wait(set);
	return real.sigwait(set, number);
}

EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
	before_wait(set);
	return real.sigwaitinfo(set, info);
}

EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
			const struct timespec *restrict most)
{
	before_wait(set);
	return real.sigtimedwait(set, info, most);
}

EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	before_wait(set);
	return real.signalfd(fd, set, flags);
}

EXPORT int sigpending(sigset_t *set)
{
	real_resolve();
	int result = real.sigpending(set);

	if (!result && sampler_owns_signal())
		sigdelset(set, SIGPROF);
	return result;
}

EXPORT int setitimer(__itimer_which_t which, const struct itimerval *restrict now,
		     struct itimerval *restrict old)
{
	if (which == ITIMER_PROF && now && (now->it_value.tv_sec || now->it_value.tv_usec))
		sampler_yield_signal();
	return real.setitimer((int)which, now, old);
}
