/* retired_slots.c -- Frees the slots of processes that have ended.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/retired_slots.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "memusage/common/clock.h"
#include "profile/base/array.h"
#include "profile/read/image.h"

enum { SLOTS_AT_ONCE = 32 };
#define WAIT_NS UINT64_C(100000000)
/* How long slots that a process uses are left alone. It is shorter than the time after which a
 * process ID may be reused (slot_owner.c). */
#define LONG_WAIT_NS UINT64_C(1000000000)

struct pid_list {
	pid_t *pid; /* in ascending order, owned */
	uint32_t count, room;
};

static void append_pid(struct pid_list *l, pid_t pid)
{
	array_reserve(&l->pid, &l->room, l->count + UINT64_C(1), sizeof(*l->pid));
	l->pid[l->count++] = pid;
}

static int compare_pids(const void *a, const void *b)
{
	const pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

static bool has_pid(const struct pid_list *l, pid_t pid)
{
	return l->count > 0 &&
	       bsearch(&pid, l->pid, l->count, sizeof(pid), compare_pids) != NULL;
}

/* Processes that have none of our memory. They cannot get any without a slot of their own. */
static struct pid_list strangers;
static uint64_t strangers_due_ns;

/* Returns 1 if PID has our memory, 0 if it has none, is gone or must not be read, and -1 if we
 * cannot look now: without a descriptor, for instance. */
static int has_mapped_arena(const struct tree *t, pid_t pid)
{
	enum process_mapping mapping = PROCESS_HAS_OTHERS;

	for (unsigned int i = 0; i < t->arena_count && mapping == PROCESS_HAS_OTHERS; i++)
		mapping = process_maps(pid, t->arena[i]->arena.fd);
	if (mapping == PROCESS_MAPPING_UNKNOWN && errno != EACCES && errno != EPERM &&
	    errno != ENOENT && errno != ESRCH)
		return -1;
	return mapping == PROCESS_HAS_MAPPED;
}

/* Appends PID to the users or the others. Returns false if we cannot look now. */
static bool sort_process(const struct tree *t, pid_t pid, const struct pid_list *before,
			 struct pid_list *users, struct pid_list *others)
{
	const int has_mapped = has_pid(before, pid) ? 0 : has_mapped_arena(t, pid);

	if (has_mapped >= 0)
		append_pid(has_mapped ? users : others, pid);
	return has_mapped >= 0;
}

/* Finds the processes that have our memory and no slot of their own. The kernel lists /proc in
 * ascending order. Returns false if they are not known. */
static bool find_users(const struct tree *t, struct pid_list *users)
{
	const uint64_t now = clock_now(CLOCK_MONOTONIC);
	struct pid_list before = strangers, others = { 0 };
	DIR *proc = opendir("/proc");
	bool ok = proc != NULL;
	pid_t pid;

	if (now >= strangers_due_ns) {
		strangers_due_ns = now + LONG_WAIT_NS;
		before.count = 0;
	}
	while (ok && (pid = process_next(proc)) > 0) {
		const struct process *p = processes_find(&t->processes, pid);

		if (pid != getpid() && (!p || p->slot < 0))
			ok = sort_process(t, pid, &before, users, &others);
	}
	if (proc)
		closedir(proc);
	free(strangers.pid);
	strangers = others;
	return ok;
}

/* Tells whether PID, which has our memory, records into the image of slot K. A copy of the memory
 * does not, whose page with the first word was wiped. If PID may not be read, it may. */
static bool records_into(pid_t pid, const struct arena *a, uint32_t k)
{
	uint8_t on = 0;
	uint32_t slot = 0;
	struct image im;

	if (!arena_image(a, k, &im) || im.head.in_use.on == 0)
		return false;
	const struct iovec to[2] = { { &on, sizeof(on) }, { &slot, sizeof(slot) } };
	const struct iovec from[2] = { { (void *)im.head.in_use.on, sizeof(on) },
				       { (void *)im.head.in_use.slot, sizeof(slot) } };
	const ssize_t got = process_vm_readv(process_view(pid), to, 2, from, 2, 0);

	return got < 0 ? errno == EPERM : got == sizeof(on) + sizeof(slot) && on && slot == k;
}

static bool is_used(const struct pid_list *users, const struct arena *a, uint32_t k)
{
	for (size_t i = 0; i < users->count; i++) {
		if (records_into(users->pid[i], a, k))
			return true;
	}
	return false;
}

static bool is_retired(const struct tree *t, const struct arena *a, uint32_t k)
{
	return arena_state(a, k) == MU_SLOT_ENDED &&
	       !processes_owner(&t->processes, a, (int)k);
}

static unsigned int count_retired(const struct tree *t)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < t->arena_count; i++) {
		const struct arena *a = &t->arena[i]->arena;

		for (uint32_t k = 0; k < a->view.head.slot_count; k++)
			count += is_retired(t, a, k);
	}
	return count;
}

/* Returns how many slots a process still uses. They all count as used if that is not known: to
 * clear the memory of one that is used kills the process. */
static unsigned int free_unused(const struct tree *t)
{
	struct pid_list users = { 0 };
	const bool is_known = find_users(t, &users);
	unsigned int used = 0;

	for (unsigned int i = 0; i < t->arena_count; i++) {
		struct tree_arena *ta = t->arena[i];

		for (uint32_t k = 0; k < ta->arena.view.head.slot_count; k++) {
			if (!is_retired(t, &ta->arena, k))
				continue;
			if (!is_known || is_used(&users, &ta->arena, k)) {
				used++;
				continue;
			}
			ta->claimer[k] = 0;
			arena_free(&ta->arena, k);
		}
	}
	free(users.pid);
	return used;
}

void retired_slots_free(struct tree *t, bool at_once)
{
	const unsigned int count = count_retired(t);
	const uint64_t now = clock_now(CLOCK_MONOTONIC);

	if (count == 0) {
		t->retired.due_ns = t->retired.used = 0;
		return;
	}
	if (t->retired.due_ns == 0)
		t->retired.due_ns = now + WAIT_NS;
	if (!at_once && count - t->retired.used < SLOTS_AT_ONCE && now < t->retired.due_ns)
		return;
	t->retired.used = free_unused(t);
	t->retired.due_ns = t->retired.used > 0 ? clock_now(CLOCK_MONOTONIC) + LONG_WAIT_NS : 0;
}
