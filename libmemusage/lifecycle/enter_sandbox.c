/* enter_sandbox.c -- preparing for a sandbox that the program is about to enter.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/enter_sandbox.h"

#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "libmemusage/base/clock.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/lifecycle/enter.h"
#include "libmemusage/lifecycle/sampler.h"

/* Linux 5.11: the program gets system calls as signals. Ours are none of its, so we make none. */
enum { SET_SYSCALL_USER_DISPATCH = 59 };

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
		sampler_stop_all();
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

void enter_sandbox_by_prctl(int option, unsigned long argument)
{
	if (option == PR_SET_NO_NEW_PRIVS)
		prepare_for_sandbox(false);
	else if (option == PR_SET_SECCOMP)
		prepare_for_sandbox(argument == SECCOMP_MODE_STRICT);
	else if (option == SET_SYSCALL_USER_DISPATCH && argument != 0)
		prepare_for_sandbox(true);
	else if (option == PR_SET_TSC && argument == PR_TSC_SIGSEGV)
		prepare_for_no_ticks();
}

void enter_sandbox_by_call(long number, long a, long b)
{
	if (number == SYS_prctl)
		enter_sandbox_by_prctl((int)a, (unsigned long)b);
	else if (number == SYS_seccomp &&
		 (a == SECCOMP_SET_MODE_STRICT || a == SECCOMP_SET_MODE_FILTER))
		prepare_for_sandbox(a == SECCOMP_SET_MODE_STRICT);
}
