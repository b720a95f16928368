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
#include "memusage/common/process.h"
#include "profile/base/array.h"
#include "profile/read/image.h"

enum { SLOTS_AT_ONCE = 32 };
#define WAIT_NS UINT64_C(100000000)
/* How long slots that a process uses are left alone at first, and how long strangers are
 * remembered by their IDs alone: these are not reused within this time (slot_owner.c). */
#define LONG_WAIT_NS UINT64_C(1000000000)
enum { DOUBLINGS = 5 }; /* of this wait, at most */

enum use {
	USE_NONE,
	USE_SLOT,
	USE_UNTOLD,  /* the image does not tell where to look */
	USE_UNKNOWN, /* we may not look */
};

/* A process that may use a slot. */
struct user {
	pid_t pid;
	/* 0: it has our memory. Else the kernel lets us read nothing of it (prctl(2),
	 * PR_SET_DUMPABLE), and it may use the slots that were claimed before this: when it began,
	 * on CLOCK_BOOTTIME, and a tick. */
	uint64_t hidden_since_ns;
	/* What it was last asked, and the answer: forked processes have the same addresses. */
	struct mu_in_use asked;
	enum use use;
	uint32_t slot;
};

struct users {
	struct user *user; /* owned */
	uint32_t count, room;
};

/* A process that has none of our memory. */
struct stranger {
	pid_t pid;
	uint64_t start; /* process_start_time(), 0 unknown */
};

struct stranger_list {
	struct stranger *stranger; /* by ID in ascending order, owned */
	uint32_t count, room;
};

static void append_stranger(struct stranger_list *l, pid_t pid, uint64_t start)
{
	array_reserve(&l->stranger, &l->room, l->count + UINT64_C(1), sizeof(*l->stranger));
	l->stranger[l->count++] = (struct stranger){ pid, start };
}

static void append_user(struct users *u, pid_t pid, uint64_t hidden_since_ns)
{
	array_reserve(&u->user, &u->room, u->count + UINT64_C(1), sizeof(*u->user));
	u->user[u->count++] = (struct user){ .pid = pid, .hidden_since_ns = hidden_since_ns };
}

static int compare_strangers(const void *a, const void *b)
{
	const pid_t x = ((const struct stranger *)a)->pid, y = ((const struct stranger *)b)->pid;

	return (x > y) - (x < y);
}

static const struct stranger *find_stranger(const struct stranger_list *l, pid_t pid)
{
	const struct stranger key = { .pid = pid };

	return l->count == 0 ? NULL : bsearch(&key, l->stranger, l->count, sizeof(key),
					      compare_strangers);
}

/* ---- what the memory of a process tells ---------------------------------------------------- */

static ssize_t read_words(pid_t pid, const struct mu_in_use *at, uint8_t *has_slot, uint32_t *slot)
{
	const struct iovec to[2] = { { has_slot, sizeof(*has_slot) }, { slot, sizeof(*slot) } };
	const struct iovec from[2] = { { (void *)at->has_slot, sizeof(*has_slot) },
				       { (void *)at->slot, sizeof(*slot) } };

	return process_vm_readv(pid, to, 2, from, 2, 0);
}

/* Reads which slot a process uses. A copy of the memory uses none: the kernel has cleared the page
 * of the first byte. */
static enum use read_use(pid_t pid, const struct mu_in_use *at, uint32_t *slot)
{
	uint8_t has_slot = 0;
	ssize_t got;

	if (at->has_slot == 0)
		return USE_UNTOLD;
	got = read_words(pid, at, &has_slot, slot);
	/* Its first thread may have ended. */
	if (got < 0 && errno == ESRCH)
		got = read_words(process_view(pid), at, &has_slot, slot);
	if (got < 0 && errno == EPERM)
		return USE_UNKNOWN;
	return got == sizeof(has_slot) + sizeof(*slot) && has_slot ? USE_SLOT : USE_NONE;
}

/* Hundreds of images are asked at a time, so none is copied. A process may write what it likes
 * there, which we use as addresses in processes alone. */
static struct mu_in_use places_in_image(const struct arena *a, uint32_t k)
{
	const struct mu_segment *h = &a->view.head;
	const struct mu_image *live = (const struct mu_image *)((const uint8_t *)a->shared +
								h->slots + k * h->slot_size);

	return (struct mu_in_use){
		.has_slot = __atomic_load_n(&live->in_use.has_slot, __ATOMIC_RELAXED),
		.slot = __atomic_load_n(&live->in_use.slot, __ATOMIC_RELAXED),
	};
}

/* Tells whether a process of the tree that has a slot may use another's. If its memory may not be
 * read (Yama), the slot that we know is believed. */
static bool may_use_others(const struct process *p)
{
	const struct mu_in_use at = places_in_image(p->arena, (uint32_t)p->slot);
	uint32_t slot = 0;
	const enum use use = p->has_ended ? USE_NONE : read_use(p->pid, &at, &slot);

	return use == USE_UNTOLD || (use == USE_SLOT && slot != (uint32_t)p->slot);
}

/* at  places in the image of slot K */
static bool may_use(struct user *u, const struct arena *a, uint32_t k, const struct mu_in_use *at)
{
	if (u->hidden_since_ns)
		return a->slot[k].claimed_ns < u->hidden_since_ns;
	if (at->has_slot == 0)
		return false;
	if (at->has_slot != u->asked.has_slot || at->slot != u->asked.slot) {
		u->asked = *at;
		u->use = read_use(u->pid, at, &u->slot);
	}
	return u->use == USE_UNKNOWN || (u->use == USE_SLOT && u->slot == k);
}

/* ---- processes ---------------------------------------------------------------------------- */

/* They cannot get any of our memory without a slot of their own. */
static struct stranger_list strangers;
static uint64_t strangers_due_ns;

static uint64_t start_of(pid_t pid)
{
	const uint64_t tick = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);

	return process_start_time(pid) * tick + tick;
}

/* Returns 1 if PID has our memory, or may have it, which it appends then; 0 if it has none or is
 * gone, and -1 if we cannot look now: without a descriptor, for instance. */
static int append_if_user(const struct tree *t, pid_t pid, struct users *users)
{
	enum process_mapping mapping = PROCESS_HAS_OTHERS;
	bool is_hidden;

	for (unsigned int i = 0; i < t->arena_count && mapping == PROCESS_HAS_OTHERS; i++)
		mapping = process_maps(pid, t->arena[i]->arena.fd);
	is_hidden = mapping == PROCESS_MAPPING_UNKNOWN && (errno == EACCES || errno == EPERM);
	if (mapping == PROCESS_MAPPING_UNKNOWN && !is_hidden && errno != ENOENT && errno != ESRCH)
		return -1;
	/* A zombie has no memory, which only root is told. */
	if (is_hidden && (process_status_value(pid, "Uid:", 10, 0) != geteuid() ||
			  process_is_ending(process_view(pid))))
		return 0;
	if (!is_hidden && mapping != PROCESS_HAS_MAPPED)
		return 0;
	append_user(users, pid, is_hidden ? start_of(pid) : 0);
	return 1;
}

/* Tells whether PID is a process that is remembered. Its mappings are not read again, however long
 * ago that was: of one with 65,000 they take a tenth of a second. */
static bool is_remembered(const struct tree *t, const struct stranger *s, bool is_long_ago)
{
	if (!s || !is_long_ago)
		return s;
	return s->start != 0 && !processes_find(&t->processes, s->pid) &&
	       process_start_time(s->pid) == s->start;
}

/* What a look at all processes finds. */
struct look {
	const struct tree *tree;
	struct stranger_list before, strangers;
	bool is_long_ago; /* since BEFORE: an ID may be another process's by now */
	struct users *users;
};

/* Appends PID to the users or the strangers. Returns false if we cannot look now. */
static bool sort_process(struct look *l, pid_t pid)
{
	const struct stranger *known = find_stranger(&l->before, pid);
	uint64_t start;
	int is_user;

	if (is_remembered(l->tree, known, l->is_long_ago)) {
		append_stranger(&l->strangers, pid, known->start);
		return true;
	}
	start = process_start_time(pid);
	is_user = append_if_user(l->tree, pid, l->users);
	if (is_user == 0)
		append_stranger(&l->strangers, pid, start);
	return is_user >= 0;
}

/* Finds the processes that may use a slot which is not known to be theirs. The kernel lists /proc
 * in ascending order. Returns false if they are not known. */
static bool find_users(const struct tree *t, struct users *users)
{
	const uint64_t now = clock_now(CLOCK_MONOTONIC);
	struct look look = { .tree = t, .before = strangers, .users = users,
			     .is_long_ago = now >= strangers_due_ns };
	DIR *proc = process_proc_is_ours() ? opendir("/proc") : NULL;
	bool ok = proc != NULL;
	pid_t pid;

	if (look.is_long_ago)
		strangers_due_ns = now + LONG_WAIT_NS;
	while (ok && (pid = process_next(proc)) > 0) {
		const struct process *p = processes_find(&t->processes, pid);

		if (pid == getpid())
			continue;
		if (!p || p->slot < 0)
			ok = sort_process(&look, pid);
		else if (may_use_others(p))
			append_user(users, pid, 0);
	}
	if (proc)
		closedir(proc);
	free(strangers.stranger);
	strangers = look.strangers;
	return ok;
}

/* ---- slots ---------------------------------------------------------------------------------- */

static bool is_used(struct users *users, const struct arena *a, uint32_t k)
{
	const struct mu_in_use at = places_in_image(a, k);

	for (uint32_t i = 0; i < users->count; i++) {
		if (may_use(&users->user[i], a, k, &at))
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
	struct users users = { 0 };
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
	free(users.user);
	return used;
}

/* A process that uses a slot may do so for days, and each look reads all of /proc. */
static uint64_t long_wait(const struct tree *t)
{
	return LONG_WAIT_NS << (t->retired.looks < DOUBLINGS ? t->retired.looks : DOUBLINGS);
}

/* Each look asks all processes, so a tree of thousands is looked at less often. */
static unsigned int slots_at_once(const struct tree *t)
{
	const size_t share = t->processes.count / 8;

	return share > SLOTS_AT_ONCE ? (unsigned int)share : SLOTS_AT_ONCE;
}

void retired_slots_free(struct tree *t, bool at_once)
{
	const unsigned int count = count_retired(t);
	const uint64_t now = clock_now(CLOCK_MONOTONIC);

	if (count == 0) {
		t->retired.due_ns = t->retired.used = t->retired.looks = 0;
		return;
	}
	if (t->retired.due_ns == 0)
		t->retired.due_ns = now + WAIT_NS;
	if (!at_once && count < t->retired.used + slots_at_once(t) && now < t->retired.due_ns)
		return;
	t->retired.used = free_unused(t);
	t->retired.looks = t->retired.used > 0 ? t->retired.looks + 1 : 0;
	t->retired.due_ns = t->retired.used > 0 ? clock_now(CLOCK_MONOTONIC) + long_wait(t) : 0;
}
