/* interpose_prctl.c -- prctl, and syscall (syscall_entry.S), to notice a sandbox or a raw fork.
 *
 * Most programs enter one by libseccomp, which sets no_new_privs by prctl and then loads the
 * filter by syscall(). Root needs no no_new_privs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "libmemusage/base/clock.h"
#include "libmemusage/base/export.h"
#include "libmemusage/base/real.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/lifecycle/enter.h"
#include "libmemusage/lifecycle/fork.h"

/* A process that is not recorded may have unmapped its parent's segment. */
static void forbid_clock(void)
{
	const struct mu_segment *segment = recorder_is_on() ? rec.segment : NULL;

	clock_forbid(segment ? &segment->tick : NULL, segment ? segment->start_mono_ns : 0);
}

/* While system calls are allowed, a child of a raw clone() becomes a process of its own. A child of
 * vfork() is in our memory, but its sandbox is its own. The state of a forked child that is not
 * recorded still has its parent's process ID. */
static void prepare_for_sandbox(bool is_strict)
{
	if (!sandbox.is_on) {
		enter_for_start();
		if (rec.pid && rec.pid != sys_getpid() && rec.state != STATE_OFF)
			return;
		forbid_clock();
		if (recorder_is_on())
			arena_prepare();
	}
	sandbox_begin(is_strict);
}

/* Only the calling thread may not read it, and it may get it back, but a time that was estimated
 * without need is the smaller harm. */
static void prepare_for_no_ticks(void)
{
	forbid_clock();
	sandbox.has_no_clock = true;
}

static void prepare_for_prctl(int option, unsigned long argument)
{
	real_resolve();
	if (option == PR_SET_NO_NEW_PRIVS)
		prepare_for_sandbox(false);
	else if (option == PR_SET_SECCOMP)
		prepare_for_sandbox(argument == SECCOMP_MODE_STRICT);
	else if (option == PR_SET_TSC && argument == PR_TSC_SIGSEGV)
		prepare_for_no_ticks();
}

EXPORT int prctl(int option, ...)
{
	unsigned long argument[4];
	va_list more;

	va_start(more, option);
	for (int i = 0; i < 4; i++)
		argument[i] = va_arg(more, unsigned long);
	va_end(more);
	prepare_for_prctl(option, argument[0]);
	return real.prctl(option, argument[0], argument[1], argument[2], argument[3]);
}

_Static_assert(offsetof(struct real, syscall) == 0, "syscall_entry.S jumps there");

/* The child has a copy of all memory, and returns on a copy of this stack. */
static long fork_by_system_call(long number, long a, long b, long c, long d, long e)
{
	long result = real.syscall(number, a, b, c, d, e, 0);

	if (!result)
		fork_end_event_on_copy();
	return result;
}

static bool is_fork(long number, long flags, long stack)
{
#ifdef SYS_fork
	if (number == SYS_fork)
		return true;
#endif
	return number == SYS_clone && !(flags & CLONE_VM) && !stack;
}

/* Called from syscall_entry.S; returns where that jumps to. */
void *prepare_for_system_call(long number, long a, long b);
void *prepare_for_system_call(long number, long a, long b)
{
	real_resolve();
	if (number == SYS_prctl)
		prepare_for_prctl((int)a, (unsigned long)b);
	else if (number == SYS_seccomp &&
		 (a == SECCOMP_SET_MODE_STRICT || a == SECCOMP_SET_MODE_FILTER))
		prepare_for_sandbox(a == SECCOMP_SET_MODE_STRICT);
	else if (is_fork(number, a, b) && fork_needs_copy())
		return (void *)fork_by_system_call;
	return (void *)real.syscall;
}
