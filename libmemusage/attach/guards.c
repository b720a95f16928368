/* guards.c -- functions by which a program limits its memory or forbids itself system calls.
 *
 * A preloaded recorder has functions of these names. Here calls inside libc come this way, too.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <link.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "libmemusage/attach/attached.h"
#include "libmemusage/base/lookup.h"
#include "libmemusage/base/readable.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/event/event.h"
#include "libmemusage/image/shrink.h"
#include "libmemusage/lifecycle/enter.h"
#include "libmemusage/lifecycle/enter_sandbox.h"
#include "libmemusage/lifecycle/pages_query.h"
#include "libmemusage/lifecycle/threads.h"
#include "libmemusage/patch/entry.h"
#include "libmemusage/requests/leak_query.h"

static bool before_prctl(struct entry_call *call)
{
	enter_sandbox_by_prctl((int)entry_argument(call, 1), entry_argument(call, 2));
	return false;
}

static void shrink_before_limit(uint64_t resource, const struct rlimit *limit)
{
	if (resource != RLIMIT_AS || !limit || limit->rlim_cur == RLIM_INFINITY)
		return;
	enter_if_cloned();
	shrink_for_limit(limit->rlim_cur);
}

static void shrink_before_lock(uint64_t flags)
{
	if (!(flags & (MCL_CURRENT | MCL_FUTURE)))
		return;
	enter_if_cloned();
	shrink_for_lock();
}

static bool before_setrlimit(struct entry_call *call)
{
	shrink_before_limit(entry_argument(call, 1), (const void *)entry_argument(call, 2));
	return false;
}

static bool before_prlimit(struct entry_call *call)
{
	uint32_t pid = (uint32_t)entry_argument(call, 1);

	if (!pid || pid == sys_getpid())
		shrink_before_limit(entry_argument(call, 2),
				    (const void *)entry_argument(call, 3));
	return false;
}

static bool before_mlockall(struct entry_call *call)
{
	shrink_before_lock(entry_argument(call, 1));
	return false;
}

/* The kernel answers EFAULT if the limit cannot be read. */
static void shrink_before_unread_limit(uint64_t resource, uint64_t limit)
{
	if (readable_page(limit + offsetof(struct rlimit, rlim_cur)))
		shrink_before_limit(resource, (const void *)limit);
}

static bool before_syscall(struct entry_call *call)
{
	const uint64_t number = entry_argument(call, 1), pid = entry_argument(call, 2);

	enter_sandbox_by_call((long)number, (long)entry_argument(call, 2),
			      (long)entry_argument(call, 3));
	if (number == SYS_mlockall)
		shrink_before_lock(entry_argument(call, 2));
	else if (number == SYS_setrlimit)
		shrink_before_unread_limit(entry_argument(call, 2), entry_argument(call, 3));
	else if (number == SYS_prlimit64 && (!pid || (uint32_t)pid == sys_getpid()))
		shrink_before_unread_limit(entry_argument(call, 3), entry_argument(call, 4));
	return false;
}

/* The first event of a thread that came without it switches, too, but other threads may be in the
 * middle of one. */
static bool before_pthread_create(struct entry_call *call)
{
	(void)call;
	enter_if_cloned();
	if (gate.on)
		thread_switch_to_many();
	return false;
}

/* exit() ends with it, too: destructors have run, and released what they release. A forked child
 * has blocks of its parent that neither knows. */
static bool before_exit(struct entry_call *call)
{
	const uint64_t sp = (uint64_t)&call->return_address + sizeof(call->return_address);
	struct thread *thread = rec.pid == attached.pid ? entry_enter() : NULL;

	if (!thread)
		return false;
	hook_leave(thread);
	pages_query_at_end();
	leak_query_at_immediate_end(sp);
	return false;
}

static struct entry_hook creating;

#define EXAMINED (MU_CFG_LEAKS | MU_CFG_HOLDERS | MU_CFG_FRAGMENTATION)

/* A seccomp filter could kill it for the question. */
static void watch_end(const struct patch *p, const struct link_map *libc)
{
	struct entry_hook hook = { .before = before_exit };

	if (rec.flags & EXAMINED && !attached.attach->is_confined &&
	    lookup_sized(libc, "_exit", &hook.function, &hook.size))
		entry_patch(p, &hook, 0);
}

static void watch_threads(const struct patch *p)
{
	struct entry_hook hook = { .before = before_pthread_create };
	const struct link_map *object = lookup_object("pthread_create");

	if (object && lookup_sized(object, "pthread_create", &hook.function, &hook.size) &&
	    !entry_patch(p, &hook, 0))
		creating = hook;
}

bool guards_watch_threads(uint64_t *function, uint64_t *size)
{
	*function = creating.function;
	*size = creating.size;
	return creating.function != 0;
}

const char *guards_patch(const struct patch *p)
{
	static const struct {
		const char *name;
		bool (*before)(struct entry_call *call);
	} guards[] = {
		{ "prctl", before_prctl },	   { "syscall", before_syscall },
		{ "setrlimit", before_setrlimit }, { "prlimit", before_prlimit },
		{ "mlockall", before_mlockall },
	};
	const struct link_map *libc = lookup_object("gnu_get_libc_version");

	for (size_t i = 0; i < sizeof(guards) / sizeof(guards[0]); i++) {
		struct entry_hook hook = { .before = guards[i].before };

		if (!libc || !lookup_sized(libc, guards[i].name, &hook.function, &hook.size) ||
		    entry_patch(p, &hook, 0))
			return guards[i].name;
	}
	watch_threads(p);
	watch_end(p, libc);
	return NULL;
}
