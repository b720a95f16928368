/* interpose_prctl.c -- prctl, and syscall (syscall_entry.S), to notice a sandbox, a raw fork or a
 * limit.
 *
 * Most programs enter one by libseccomp, which sets no_new_privs by prctl and then loads the
 * filter by syscall(). Root needs no no_new_privs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <linux/sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "libmemusage/base/export.h"
#include "libmemusage/base/readable.h"
#include "libmemusage/base/real.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/interpose/limit.h"
#include "libmemusage/lifecycle/enter_sandbox.h"
#include "libmemusage/lifecycle/fork.h"

EXPORT int prctl(int option, ...)
{
	unsigned long argument[4];
	va_list more;

	va_start(more, option);
	for (int i = 0; i < 4; i++)
		argument[i] = va_arg(more, unsigned long);
	va_end(more);
	real_resolve();
	enter_sandbox_by_prctl(option, argument[0]);
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

/* The kernel answers EFAULT if the arguments cannot be read, which must not become a SIGSEGV. */
static bool is_fork_by_clone3(long number, long arguments, long size)
{
#ifdef SYS_clone3
	const struct clone_args *a = (const struct clone_args *)arguments;

	return number == SYS_clone3 && (size_t)size >= offsetof(struct clone_args, stack_size) &&
	       readable_page((uint64_t)&a->flags) &&
	       readable_page((uint64_t)&a->stack) && !(a->flags & CLONE_VM) && !a->stack;
#else
	(void)number, (void)arguments, (void)size;
	return false;
#endif
}

/* Called from syscall_entry.S; returns where that jumps to. */
void *prepare_for_system_call(long number, long a, long b, long c);
void *prepare_for_system_call(long number, long a, long b, long c)
{
	real_resolve();
	enter_sandbox_by_call(number, a, b);
	limit_by_call(number, a, b, c);
	if ((is_fork(number, a, b) || is_fork_by_clone3(number, a, b)) && fork_needs_copy())
		return (void *)fork_by_system_call;
	return (void *)real.syscall;
}
