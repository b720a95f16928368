/* snapshot_signal.c -- the signal that requests a snapshot of this process.
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

static struct {
	int number; /* of the signal, 0: none */
	/* The program's action. A signal can come while another thread changes it: the handler
	 * reads one whole action or the other. */
	struct sigaction action[2];
	unsigned int current;
} taken;

static struct sigaction *program_action(void)
{
	return &taken.action[__atomic_load_n(&taken.current, __ATOMIC_ACQUIRE)];
}

static void set_program_action(const struct sigaction *now)
{
	unsigned int next = !taken.current;

	taken.action[next] = *now;
	__atomic_store_n(&taken.current, next, __ATOMIC_RELEASE);
}

/* Does what the kernel would, except for the default action; a handler for one signal only is
 * forgotten before it runs. */
static void run_program_action(int number, siginfo_t *info, void *context)
{
	struct sigaction own = *program_action();
	struct sigaction used_up = own;

	if (own.sa_handler == SIG_DFL || own.sa_handler == SIG_IGN)
		return;
	used_up.sa_handler = SIG_DFL;
	if (own.sa_flags & (int)SA_RESETHAND)
		set_program_action(&used_up);
	if (own.sa_flags & SA_SIGINFO)
		own.sa_sigaction(number, info, context);
	else
		own.sa_handler(number);
}

static void handle_snapshot_signal(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	triggers_signal();
	errno = saved;
	run_program_action(number, info, context);
}

static bool is_our_action(const struct sigaction *a)
{
	return a->sa_flags & SA_SIGINFO && a->sa_sigaction == handle_snapshot_signal;
}

/* Returns the action for the kernel. Interrupted calls are restarted unless the program handles the
 * signal itself. */
static struct sigaction make_kernel_action(const struct sigaction *own)
{
	struct sigaction a = { .sa_flags = SA_RESTART | SA_ONSTACK };

	sigset_store(&a.sa_mask, ~SIGSET_LIBC);
	if (own->sa_handler != SIG_DFL)
		a = *own;
	a.sa_flags = (a.sa_flags & ~(int)SA_RESETHAND) | SA_SIGINFO;
	a.sa_sigaction = handle_snapshot_signal;
	return a;
}

static int install_action(const struct sigaction *now)
{
	struct sigaction a = *now;

	if (now->sa_handler == SIG_IGN) {
		if (rec.image)
			__atomic_fetch_or(&rec.image->notes, MU_NOTE_SIGNAL_IGNORED,
					  __ATOMIC_RELAXED);
		return real.sigaction(taken.number, &a, NULL);
	}
	set_program_action(now);
	a = make_kernel_action(now);
	return real.sigaction(taken.number, &a, NULL);
}

void snapshot_signal_start(void)
{
	struct sigaction now;

	taken.number = (int)rec.segment->config.snapshot_signal;
	if (taken.number && (real.sigaction(taken.number, NULL, &now) || install_action(&now)))
		taken.number = 0;
}

bool snapshot_signal_is(int number)
{
	return taken.number && number == taken.number;
}

/* An action that was set by a system call is returned as it is. siginterrupt() makes such a call,
 * and changes only the one flag of ours. */
int snapshot_signal_action(const struct sigaction *now, struct sigaction *old)
{
	struct sigaction before;

	if (real.sigaction(taken.number, NULL, &before))
		return -1;
	if (is_our_action(&before)) {
		int restart = before.sa_flags & SA_RESTART;
		before = *program_action();
		if (before.sa_handler != SIG_DFL)
			before.sa_flags = (before.sa_flags & ~SA_RESTART) | restart;
	}
	if (now && install_action(now))
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
