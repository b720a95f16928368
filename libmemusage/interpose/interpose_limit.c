/* interpose_limit.c -- setrlimit, prlimit and mlockall, also by syscall(): shrinking our mapping
 * before a limit applies, or all of it is locked.
 *
 * Our sparse mapping takes more address space than any limit allows, and the limit is the
 * program's. It is shared: only what is prepared for a sandbox counts as the process's data.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "libmemusage/base/export.h"
#include "libmemusage/base/readable.h"
#include "libmemusage/base/real.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/shrink.h"
#include "libmemusage/interpose/limit.h"
#include "libmemusage/lifecycle/enter.h"

static void shrink_before_limit(int resource, const struct rlimit *limit)
{
	if (!limit || limit->rlim_cur == RLIM_INFINITY)
		return;
	if (resource == RLIMIT_AS) {
		enter_if_cloned();
		shrink_for_limit(limit->rlim_cur);
	} else if (resource == RLIMIT_DATA) {
		shrink_for_data(limit->rlim_cur);
	}
}

/* Locking everything would make the whole sparse arena resident. */
static void shrink_before_lock(int flags)
{
	if (!(flags & (MCL_CURRENT | MCL_FUTURE)))
		return;
	enter_if_cloned();
	shrink_for_lock();
}

EXPORT int mlockall(int flags)
{
	shrink_before_lock(flags);
	return real.mlockall(flags);
}

/* The kernel answers EFAULT if the limit cannot be read, which must not become a SIGSEGV. */
static void shrink_before_unread_limit(int resource, const struct rlimit *limit)
{
	if (resource == RLIMIT_AS && readable_page((uint64_t)&limit->rlim_cur))
		shrink_before_limit(resource, limit);
}

void limit_by_call(long number, long a, long b, long c)
{
	if (number == SYS_mlockall)
		shrink_before_lock((int)a);
	else if (number == SYS_setrlimit)
		shrink_before_unread_limit((int)a, (const struct rlimit *)b);
	else if (number == SYS_prlimit64 && (!a || (uint32_t)a == sys_getpid()))
		shrink_before_unread_limit((int)b, (const struct rlimit *)c);
}

EXPORT int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	real_resolve();
	shrink_before_limit((int)resource, limit);
	return real.setrlimit((int)resource, limit);
}

EXPORT int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit)
{
	return setrlimit(resource, (const struct rlimit *)limit);
}

EXPORT int prlimit(pid_t pid, __rlimit_resource_t resource, const struct rlimit *limit,
		   struct rlimit *old)
{
	real_resolve();
	if (!pid || (uint32_t)pid == sys_getpid())
		shrink_before_limit((int)resource, limit);
	return real.prlimit(pid, (int)resource, limit, old);
}

EXPORT int prlimit64(pid_t pid, __rlimit_resource_t resource, const struct rlimit64 *limit,
		     struct rlimit64 *old)
{
	return prlimit(pid, resource, (const struct rlimit *)limit, (struct rlimit *)old);
}
