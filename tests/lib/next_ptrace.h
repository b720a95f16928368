/* next_ptrace.h -- the C library's ptrace(), for a library that has one of its own before it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <dlfcn.h>
#include <stdarg.h>
#include <sys/types.h>

/* call_next_ptrace -- makes the request with the arguments that follow it. */
static inline long call_next_ptrace(int request, va_list rest)
{
	long (*next)(int, pid_t, void *, void *) =
		(long (*)(int, pid_t, void *, void *))dlsym(RTLD_NEXT, "ptrace");
	const pid_t pid = va_arg(rest, pid_t);
	void *const address = va_arg(rest, void *), *const data = va_arg(rest, void *);

	return next(request, pid, address, data);
}
