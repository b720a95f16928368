/* sampler.c -- stack samples by per-thread timers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/sampler.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "libmemusage/base/real.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sigset.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/event/event.h"
#include "libmemusage/image/coarse_clock.h"
#include "libmemusage/tables/stack_sum.h"

static bool installed;
static __thread bool is_refused; /* the calling thread has an alternate signal stack */

/* A SIGPROF that is not from our timers would have ended the program. */
static void take_default_action(int number)
{
	struct sigaction fallback = { .sa_handler = SIG_DFL };

	real.sigaction(number, &fallback, NULL);
	SYS3(SYS_tgkill, sys_getpid(), sys_gettid(), number);
}

static void handle_timer_signal(int number, siginfo_t *info, void *context)
{
	struct thread *thread = self;

	if (info->si_code != SI_TIMER) {
		take_default_action(number);
		return;
	}
	/* In the hook: the event that is under way reports the stack itself. */
	if (!gate.on || thread_is_inside(thread))
		return;
	coarse_clock_check();
	thread->pub.busy = hook_mark();
	__asm__ volatile("" ::: "memory");
	if (gate.mode & MODE_DEPTH && !(gate.mode & MODE_STOP))
		stack_sum_note(thread, cpu_stack_pointer_of(context));
	if (gate.mode & MODE_LOG && !(gate.mode & MODE_STOP))
		log_append(thread, 0, stack_note(thread, cpu_stack_pointer_of(context)),
			   gate.mode & MODE_MANY);
	hook_leave(thread);
}

static bool is_sampling_wanted(void)
{
	return rec.flags & (MU_CFG_LOG | MU_CFG_STACK_BYTES) && !(rec.flags & MU_CFG_NO_TIMER) &&
	       !(rec.image->notes & MU_NOTE_SIGPROF_TAKEN);
}

static void remove_thread_timer(struct thread *thread, void *unused)
{
	(void)unused;
	sampler_remove(thread);
}

void sampler_start(void)
{
	struct sigaction old;
	struct sigaction ours = { .sa_sigaction = handle_timer_signal,
				  .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };

	if (!is_sampling_wanted())
		return;
	if (real.sigaction(SIGPROF, NULL, &old) || old.sa_handler != SIG_DFL) {
		if (!installed)
			__atomic_fetch_or(&rec.image->notes, MU_NOTE_SIGPROF_TAKEN,
					  __ATOMIC_RELAXED);
		return;
	}
	sigset_store(&ours.sa_mask, ~SIGSET_LIBC);
	installed = !real.sigaction(SIGPROF, &ours, NULL);
	if (has_self())
		sampler_add(self);
}

void sampler_add(struct thread *thread)
{
	long interval = (long)rec.segment->config.sample_interval_us * 1000;
	struct sigevent event;
	struct itimerspec every = { .it_interval = { 0, interval }, .it_value = { 0, interval } };
	int timer = -1;

	if (!installed || is_refused || thread->timer >= 0 || !is_sampling_wanted() ||
	    !interval || sandbox.is_on)
		return;
	memset(&event, 0, sizeof(event));
	event.sigev_signo = SIGPROF;
	event.sigev_notify = SIGEV_THREAD_ID;
	event._sigev_un._tid = (int)sys_gettid();
	if (sys_failed(SYS3(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &timer)) ||
	    sys_failed(SYS4(SYS_timer_settime, timer, 0, &every, 0)))
		count_drop(timers);
	thread->timer = timer;
}

void sampler_remove(struct thread *thread)
{
	int timer = __atomic_exchange_n(&thread->timer, -1, __ATOMIC_RELAXED);

	/* A sandbox may forbid it, and a timer whose thread is gone sends no signal. */
	if (timer >= 0 && !sandbox.is_on)
		SYS1(SYS_timer_delete, timer);
}

void sampler_stop_all(void)
{
	if (installed && rec.image)
		thread_for_each(remove_thread_timer, NULL);
}

void sampler_allow(bool may_sample)
{
	/* A child of vfork() has this variable of its parent's. */
	if (rec.pid && rec.pid != sys_getpid())
		return;
	is_refused = !may_sample;
	if (!installed || !has_self())
		return;
	if (may_sample)
		sampler_add(self);
	else
		sampler_remove(self);
}

/* Ignoring a signal discards it wherever it is pending: no signal of our timers can reach the
 * program's handler afterwards. Source: signal(7), "Pending signals". */
void sampler_yield_signal(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction fallback = { .sa_handler = SIG_DFL };

	if (!rec.image || !__atomic_exchange_n(&installed, false, __ATOMIC_RELAXED))
		return;
	__atomic_fetch_or(&rec.image->notes, MU_NOTE_SIGPROF_TAKEN, __ATOMIC_RELAXED);
	thread_for_each(remove_thread_timer, NULL);
	real.sigaction(SIGPROF, &ignore, NULL);
	real.sigaction(SIGPROF, &fallback, NULL);
}

bool sampler_owns_signal(void)
{
	return installed;
}
