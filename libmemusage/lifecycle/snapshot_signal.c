/* snapshot_signal.c -- the signal by which somebody asks this process for a snapshot.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/snapshot_signal.h"

#include <errno.h>
#include <string.h>

#include "libmemusage/base/real.h"
#include "libmemusage/base/sigset.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/lifecycle/triggers.h"

static int taken; /* the signal, 0: none */

/* The program's action. A signal can come while another thread changes it: what is read is one
 * whole action or the other. */
static struct sigaction action[2];
static unsigned int current;

static struct sigaction *own_action(void)
{
	return &action[__atomic_load_n(&current, __ATOMIC_ACQUIRE)];
}

static void set_own_action(const struct sigaction *now)
{
	unsigned int next = !current;

	action[next] = *now;
	__atomic_store_n(&current, next, __ATOMIC_RELEASE);
}

/* As the kernel would: its default action is left out, and a handler that is to run once is
 * forgotten before it runs. */
static void follow(int number, siginfo_t *info, void *context)
{
	struct sigaction own = *own_action();
	struct sigaction used_up = own;

	if (own.sa_handler == SIG_DFL || own.sa_handler == SIG_IGN)
		return;
	used_up.sa_handler = SIG_DFL;
	if (own.sa_flags & (int)SA_RESETHAND)
		set_own_action(&used_up);
	if (own.sa_flags & SA_SIGINFO)
		own.sa_sigaction(number, info, context);
	else
		own.sa_handler(number);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	triggers_signal();
	errno = saved;
	follow(number, info, context);
}

static bool is_ours(const struct sigaction *a)
{
	return a->sa_flags & SA_SIGINFO && a->sa_sigaction == on_signal;
}

/* What the kernel is to know. Interrupted calls are restarted unless the program wants to hear of
 * the signal itself. */
static struct sigaction cover(const struct sigaction *own)
{
	struct sigaction a = { .sa_flags = SA_RESTART | SA_ONSTACK };

	sigset_store(&a.sa_mask, ~SIGSET_LIBC);
	if (own->sa_handler != SIG_DFL)
		a = *own;
	a.sa_flags = (a.sa_flags & ~(int)SA_RESETHAND) | SA_SIGINFO;
	a.sa_sigaction = on_signal;
	return a;
}

static int install(const struct sigaction *now)
{
	struct sigaction a = *now;

	if (now->sa_handler == SIG_IGN) {
		__atomic_fetch_or(&rec.image->notes, MU_NOTE_SIGNAL_IGNORED, __ATOMIC_RELAXED);
		return real.sigaction(taken, &a, NULL);
	}
	set_own_action(now);
	a = cover(now);
	return real.sigaction(taken, &a, NULL);
}

void snapshot_signal_start(void)
{
	struct sigaction now;

	taken = (int)rec.segment->config.snapshot_signal;
	if (taken && (real.sigaction(taken, NULL, &now) || install(&now)))
		taken = 0;
}

bool snapshot_signal_is(int number)
{
	return taken && number == taken;
}

/* Whoever went past us, by a system call, is who has it now. siginterrupt() does, and changes but
 * the one flag. */
int snapshot_signal_action(const struct sigaction *now, struct sigaction *old)
{
	struct sigaction before;

	if (real.sigaction(taken, NULL, &before))
		return -1;
	if (is_ours(&before)) {
		int restart = before.sa_flags & SA_RESTART;
		before = *own_action();
		if (before.sa_handler != SIG_DFL)
			before.sa_flags = (before.sa_flags & ~SA_RESTART) | restart;
	}
	if (now && install(now))
		return -1;
	if (old)
		*old = before;
	return 0;
}

void snapshot_signal_waited(void)
{
	int saved = errno;

	triggers_signal();
	errno = saved;
}
