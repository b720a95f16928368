/* tree.c -- The process tree: arenas, slots and their processes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/tree.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "memusage/collector/code.h"
#include "memusage/collector/control_examination.h"
#include "memusage/collector/examination_answer.h"
#include "memusage/collector/retired_slots.h"
#include "memusage/collector/slot_owner.h"
#include "memusage/collector/tree_arenas.h"
#include "memusage/collector/tree_cgroup.h"
#include "memusage/collector/tree_holders.h"
#include "memusage/collector/tree_image.h"
#include "memusage/collector/tree_snapshots.h"
#include "memusage/common/clock.h"
#include "memusage/common/file_events.h"
#include "memusage/record/durable.h"

/* The most of a user that is not ours: 8,000 processes at a time. */
enum { STRANGERS_ARENAS = TREE_ARENAS / 4 };
/* A claim whose process is gone is released after this time: a child that has just been forked may
 * not have run yet. */
#define CLAIM_NS UINT64_C(2000000000)
/* A process that two scans of /proc have not found is gone. */
#define LOST_NS UINT64_C(200000000)

static struct tree_arena *append_arena(struct tree *t, const struct arena *arena)
{
	const struct mu_segment *h = &arena->view.head;
	struct tree_arena *a = xcalloc(1, sizeof(*a));

	a->arena = *arena;
	a->watch = (struct futex_watch){ .shared = arena->shared,
					 .event = t->event,
					 .start_ns = h->start_mono_ns,
					 .flags = h->config.flags };
	a->claimer = xcalloc(h->slot_count, sizeof(*a->claimer));
	a->unknown_ns = xcalloc(h->slot_count, sizeof(*a->unknown_ns));
	a->has_log = (h->config.flags & MU_CFG_LOG) != 0;
	a->uid = geteuid();
	if (h->config.time_source == MU_TIME_TSC)
		log_clock_begin(&a->clock, h->start_tsc, h->start_mono_ns);
	else
		log_clock_begin(&a->clock, h->start_mono_ns, h->start_mono_ns);
	__atomic_store_n(&arena->shared->collector_pid, (uint32_t)getpid(), __ATOMIC_RELAXED);
	if (arena->name)
		durable_guard(arena->shared, arena->view.size);
	t->arena[t->arena_count++] = a;
	return a;
}

int tree_init(struct tree *t, struct session *s)
{
	*t = (struct tree){ .s = s };
	t->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!file_events_begin() || t->event < 0)
		return -1;
	append_arena(t, &s->arena);
	report_open(&t->report, s->settings, s->report, s->color);
	return 0;
}

void tree_fini(struct tree *t)
{
	control_examination_free();
	/* The threads of futex_watch read the header until the process ends. */
	for (unsigned int i = 0; i < t->arena_count; i++)
		arena_leave_header(&t->arena[i]->arena);
	datafiles_close(&t->s->files);
	tree_cgroup_fini(t);
}

/* Those of a run with --durable are files, too. A name may be taken by a collector that was
 * killed. */
static int create_arena(struct tree *t, struct arena *arena, const struct mu_config *config)
{
	const char *first = t->arena[0]->arena.name;
	struct mu_error err = { .code = MU_ERROR_NONE };

	for (unsigned int i = t->arena_count; first && i < TREE_ARENAS; i++) {
		char *name = xasprintf("%s.%u", first, i);
		int result = arena_create_file(arena, config, name, &err);

		free(name);
		if (result == 0 && ledger_begin(&arena->ledger, i, ""))
			return 0;
		if (result == 0)
			arena_discard(arena);
	}
	if (first)
		report_note(&t->report, "--durable: some processes are recorded in memory: %s",
			    err.text);
	return arena_create(arena, config, NULL);
}

/* A process can write into each slot of its arenas: those that it calls used are given to no other,
 * and the next process of its user gets another arena. None would be left for other users. */
static bool may_have_another(const struct tree *t, uid_t uid)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < t->arena_count; i++)
		count += t->arena[i]->uid == uid;
	return t->arena_count < TREE_ARENAS && (uid == geteuid() || count < STRANGERS_ARENAS);
}

/* Images that do not log their events have an arena of their own, so that a make with a hundred
 * compilers does not pay for the data file of make. */
static struct tree_arena *create_user_arena(struct tree *t, bool log, uid_t uid)
{
	struct mu_config config = t->s->arena.view.head.config;
	struct arena arena;

	if (!may_have_another(t, uid))
		return NULL;
	if (!log)
		config.flags &= ~(uint32_t)MU_CFG_LOG;
	if (create_arena(t, &arena, &config) < 0)
		return NULL;
	arena_share_start(&arena, &t->s->arena);
	memcpy(arena.shared->watch, t->s->settings->triggers.watch, sizeof(arena.shared->watch));
	struct tree_arena *a = append_arena(t, &arena);
	a->uid = uid;
	return a;
}

static struct tree_arena *claim_in_existing(const struct tree *t, bool log, uid_t uid, int *slot)
{
	for (unsigned int i = 0; i < t->arena_count; i++) {
		struct tree_arena *a = t->arena[i];

		if (a->has_log != log || a->uid != uid)
			continue;
		*slot = arena_claim(&a->arena);
		if (*slot >= 0)
			return a;
	}
	return NULL;
}

/* Claims a slot in any arena of the kind and the user, or in a new one if all are full. */
static struct tree_arena *claim_slot(struct tree *t, bool log, uid_t uid, int *slot)
{
	struct tree_arena *a = claim_in_existing(t, log, uid, slot);

	if (!a) {
		retired_slots_free(t, true);
		a = claim_in_existing(t, log, uid, slot);
	}
	if (a)
		return a;
	a = create_user_arena(t, log, uid);
	*slot = a ? arena_claim(&a->arena) : -1;
	return *slot >= 0 ? a : NULL;
}

struct arena *tree_claim(struct tree *t, struct process *process, bool log, uid_t uid)
{
	struct tree_arena *a = claim_slot(t, log, uid, &process->slot);

	return process->arena = a ? &a->arena : NULL;
}

static bool is_arena_of_user(const struct tree *t, const struct arena *arena, uid_t uid)
{
	const struct tree_arena *a = tree_arenas_find(t, arena);

	return a && a->uid == uid;
}

/* A parent that has changed its user since it got its arena has its children in another one. */
static int claim_in_parent_arena(const struct tree *t, const struct process *parent, uid_t uid)
{
	bool is_there = parent && parent->slot >= 0 && is_arena_of_user(t, parent->arena, uid);
	int slot = is_there ? arena_claim(parent->arena) : -1;

	if (slot >= 0)
		parent->arena->slot[slot].parent_slot = (uint32_t)parent->slot + 1;
	return slot;
}

struct arena *tree_claim_for_child(struct tree *t, pid_t parent, uid_t uid, uint32_t claimer,
				   int *slot)
{
	const struct process *p = processes_find(&t->processes, parent);
	struct arena *arena = p ? p->arena : NULL;

	*slot = claim_in_parent_arena(t, p, uid);
	/* A parent that has just been forked itself may not be known yet. */
	if (*slot < 0) {
		tree_scan(t);
		tree_check_ends(t);
		retired_slots_free(t, true);
		p = processes_find(&t->processes, parent);
		*slot = claim_in_parent_arena(t, p, uid);
		arena = p ? p->arena : NULL;
	}
	if (*slot < 0 && p && p->slot >= 0) {
		bool log = (arena->view.head.config.flags & MU_CFG_LOG) != 0;
		struct tree_arena *other = claim_slot(t, log, uid, slot);

		arena = other ? &other->arena : NULL;
		if (other)
			other->claimer[*slot] = parent;
	}
	if (*slot < 0)
		return NULL;
	arena->slot[*slot].claimed_by = claimer;
	return arena;
}

bool tree_move(struct tree *t, struct process *process, uid_t uid)
{
	struct tree_arena *from = tree_arenas_find(t, process->arena), *to;
	const uint32_t old = (uint32_t)process->slot;
	int slot;

	if (!from || from->uid == uid)
		return false;
	tree_drain(t);
	to = claim_slot(t, from->has_log, uid, &slot);
	if (!to)
		return false;
	if (!arena_copy_slot(&to->arena, (uint32_t)slot, &from->arena, old)) {
		arena_free(&to->arena, (uint32_t)slot);
		return false;
	}
	/* The process keeps the slot until it reports that it has left it. */
	from->claimer[old] = process->pid;
	process->arena = &to->arena;
	process->slot = slot;
	return true;
}

struct process *tree_watch(struct tree *t, pid_t pid)
{
	struct process *p = processes_find(&t->processes, pid);

	if (p)
		return p;
	p = processes_add(&t->processes, pid);
	if (p->pidfd >= 0 && !file_events_add(p->pidfd)) {
		close(p->pidfd);
		p->pidfd = -1;
	}
	if (p->pidfd < 0)
		t->has_unwatched_process = true;
	return p;
}

void tree_attach(struct tree *t, pid_t pid)
{
	struct process *p = tree_watch(t, pid);

	p->arena = &t->arena[0]->arena;
	p->slot = 0;
	p->is_live = false;
	p->is_forked = false;
	t->owner = pid;
}

void tree_arm(struct tree *t)
{
	for (unsigned int i = 0; i < t->arena_count; i++) {
		if (!futex_watch_arm(&t->arena[i]->watch))
			t->has_unwatched_arena = true;
	}
}

/* ---- slots ------------------------------------------------------------------------------- */

/* Returns the process that owns the slot from which a child was copied, or NULL. That slot may have
 * another owner by now. */
static const struct process *slot_parent(const struct tree *t, const struct arena *a,
					 const struct mu_slot *slot)
{
	const struct process *parent = NULL;

	if (slot->parent_slot > 0)
		parent = processes_owner(&t->processes, a, (int)(slot->parent_slot - 1));
	return parent && a->slot[parent->slot].pid == slot->claimed_by ? parent : NULL;
}

/* Without a time, the claiming process is just filling in the entry: freeing the slot would give it
 * to two children. The time begins now, in case the process is gone. */
static void check_claim(struct tree *t, struct tree_arena *ta, uint32_t k,
			const struct mu_slot *slot)
{
	struct arena *a = &ta->arena;
	pid_t claimer = ta->claimer[k];
	uint64_t now = clock_now(CLOCK_BOOTTIME), none = 0, seen = slot->claimed_ns;

	if (slot->claimed_ns == 0)
		__atomic_compare_exchange_n(&a->slot[k].claimed_ns, &none, now, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	/* A child changes the time before it takes the slot. */
	if (slot->claimed_ns == 0 || slot_parent(t, a, slot) ||
	    (claimer && processes_find(&t->processes, claimer)) ||
	    now - slot->claimed_ns < CLAIM_NS ||
	    !__atomic_compare_exchange_n(&a->slot[k].claimed_ns, &seen, 0, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		t->is_pending = true;
	else
		arena_free(a, k);
}

static bool began_by_fork(const struct arena *a, uint32_t k)
{
	struct image im;

	return !arena_image(a, k, &im) || im.head.process.fork_mono_ns != 0;
}

/* A process that is not found may still live, and freeing its slot would clear memory that it uses.
 * It counts as lost after a while, but never if /proc hides processes. */
static bool is_process_lost(struct tree *t, struct tree_arena *ta, uint32_t k)
{
	uint64_t now = clock_now(CLOCK_MONOTONIC);

	if (!process_sees_all())
		return false;
	if (ta->unknown_ns[k] == 0)
		ta->unknown_ns[k] = now;
	if (now - ta->unknown_ns[k] > LOST_NS)
		return true;
	t->is_pending = true;
	return false;
}

/* Outputs the image of a process that has another one by now. The entry is this image's own. */
static void end_earlier_image(struct tree *t, struct arena *a, uint32_t k, pid_t pid)
{
	struct process *earlier = processes_add(&t->processes, 0);

	earlier->pid = pid;
	earlier->arena = a;
	earlier->slot = (int)k;
	earlier->is_forked = true;
	tree_end_image(t, earlier, TREE_EXEC);
}

static void adopt_slot(struct tree *t, struct tree_arena *ta, uint32_t k,
		       const struct mu_slot *slot)
{
	struct arena *a = &ta->arena;
	bool is_inherited = t->s->killed && slot->state == MU_SLOT_LIVE;
	pid_t pid = is_inherited ? slot_owner_inherited(t, a, slot) :
				   slot_owner_forked(t, a, slot, slot_parent(t, a, slot));
	struct process *p;

	if (pid == SLOT_OWNER_UNKNOWN && !is_process_lost(t, ta, k))
		return;
	ta->unknown_ns[k] = 0;
	ta->claimer[k] = 0;
	p = tree_watch(t, pid > 0 ? pid : 0);
	/* The process was not found until it had executed a program that is recorded. */
	if (p->slot >= 0 && p->arena->slot[p->slot].claimed_ns > slot->claimed_ns) {
		end_earlier_image(t, a, k, p->pid);
		return;
	}
	/* The process ID was reused before its first process was known to have ended. */
	tree_end_image(t, p, TREE_EXEC);
	if (p->pid == 0)
		p->pid = (pid_t)slot->pid;
	p->arena = a;
	p->slot = (int)k;
	p->is_live = false;
	p->is_forked = !is_inherited || began_by_fork(a, k);
	if (is_inherited && t->owner == 0 && !p->is_forked)
		t->owner = p->pid;
}

static void update_slot(struct tree *t, struct tree_arena *ta, uint32_t k)
{
	struct arena *a = &ta->arena;
	enum mu_slot_state state = arena_state(a, k);
	struct process *owner;
	struct mu_slot slot;

	if (state == MU_SLOT_FREE || !segment_slot(&a->view, k, &slot))
		return;
	owner = processes_owner(&t->processes, a, (int)k);
	/* A slot that is still written is not a new image. */
	if (!owner && t->is_over)
		return;
	if (!owner && (state == MU_SLOT_FORKED || tree_state_is_announced(state))) {
		adopt_slot(t, ta, k, &slot);
		owner = processes_owner(&t->processes, a, (int)k);
	}
	if (!owner && state == MU_SLOT_CLAIMED)
		check_claim(t, ta, k, &slot);
	else if (!owner)
		return;
	else if (state == MU_SLOT_LIVE && !owner->is_live)
		tree_image_live(t, owner);
	else if (state == MU_SLOT_ENDED || state == MU_SLOT_LEFT)
		tree_end_image(t, owner, t->is_detached ? TREE_DETACHED : TREE_DEATH);
	if (owner && state == MU_SLOT_LIVE && a->view.head.config.flags &
	    (MU_CFG_IGNORE | MU_CFG_SYMBOLS))
		code_answer(t, owner);
	if (owner && state == MU_SLOT_LIVE && a->view.head.config.flags &
	    (MU_CFG_LEAKS | MU_CFG_FRAGMENTATION | MU_CFG_HOLDERS))
		examination_answer(t, owner);
}

void tree_scan(struct tree *t)
{
	t->is_pending = false;
	for (unsigned int i = 0; i < t->arena_count; i++) {
		struct tree_arena *ta = t->arena[i];

		for (uint32_t k = 0; k < ta->arena.view.head.slot_count; k++)
			update_slot(t, ta, k);
	}
}

bool tree_process_ended(struct tree *t, int fd)
{
	struct process *p = processes_by_pidfd(&t->processes, fd);

	if (p)
		p->has_ended = true;
	return p || code_reader_ended(fd) || examination_answer_ended(fd) ||
	       control_examination_ended(fd) || tree_snapshots_child_ended(t, fd) ||
	       tree_holders_child_ended(fd);
}

/* The launcher is about to tell how the program ended. */
static bool awaits_root_status(const struct tree *t, const struct process *p)
{
	return p->pid == t->root && !p->has_status && !t->is_root_status_lost;
}

/* Once the end of the program is known, its report comes without delay. */
static bool awaits_note_of_parent(const struct tree *t, struct process *p)
{
	return process_end_ask_parent(&t->processes, p) && !t->is_root_status_lost;
}

/* The collector serves other processes meanwhile: what holds gigabytes is not found at once. */
static bool awaits_examiner(const struct process *p)
{
	return p->slot >= 0 && tree_holders_pending(p);
}

/* Asks for the status of all before the first image is freed: a parent has those of its children.
 * Only processes without a pidfd are polled, and those whose parent is about to note the status. */
static void ask_for_ends(struct tree *t)
{
	t->has_unwatched_process = false;
	for (size_t i = 0; i < t->processes.count; i++) {
		struct process *p = t->processes.item[i];

		if (p->is_gone)
			continue;
		p->is_complete = false;
		if (!p->has_ended && (p->pidfd >= 0 || !process_is_dead(p))) {
			t->has_unwatched_process |= p->pidfd < 0;
			continue;
		}
		process_end_ask(p);
		p->is_complete = !awaits_note_of_parent(t, p) && !awaits_examiner(p);
		t->has_unwatched_process |= !p->is_complete;
	}
}

void tree_check_ends(struct tree *t)
{
	ask_for_ends(t);
	for (size_t i = 0; i < t->processes.count; i++) {
		struct process *p = t->processes.item[i];

		if (p->is_gone || !p->is_complete || awaits_root_status(t, p))
			continue;
		tree_end_image(t, p, TREE_DEATH);
		p->is_gone = true;
	}
	processes_sweep(&t->processes);
	retired_slots_free(t, false);
}

bool tree_has_log(const struct tree *t)
{
	bool all_rest = true;

	for (unsigned int i = 0; i < t->arena_count; i++)
		all_rest &= !t->arena[i]->has_log || futex_watch_is_idle(&t->arena[i]->watch);
	for (size_t i = 0; i < t->processes.count && !all_rest; i++) {
		if (t->processes.item[i]->log)
			return true;
	}
	return false;
}

bool tree_must_poll(const struct tree *t)
{
	return tree_has_log(t) || t->is_pending || t->retired.due_ns != 0 ||
	       t->has_unwatched_process || t->has_unwatched_arena;
}

bool tree_is_empty(const struct tree *t)
{
	for (size_t i = 0; i < t->processes.count; i++) {
		if (t->processes.item[i]->slot >= 0)
			return false;
	}
	return !t->is_pending;
}

void tree_remove_arena_files(struct tree *t)
{
	for (unsigned int i = 0; i < t->arena_count; i++)
		arena_remove(&t->arena[i]->arena);
}

void tree_note_root_status(struct tree *t, int status)
{
	t->is_root_status_lost = true;
	for (size_t i = 0; i < t->processes.count; i++) {
		struct process *p = t->processes.item[i];

		if (p->pid == t->root && !p->is_gone && !p->has_status)
			process_end_note(p, status);
	}
}
