/* slot_owner.c -- Which process took a slot, by the ID that it wrote there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/slot_owner.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "memusage/collector/examination_right.h"
#include "memusage/collector/tree_arenas.h"
#include "memusage/common/clock.h"
#include "memusage/common/pid_namespace.h"
#include "memusage/common/process.h"

/* Process IDs are not reused within REUSE_NS: 32768 forks take longer. A child runs at most
 * START_NS after its parent began to copy the image for it. */
#define REUSE_NS UINT64_C(1000000000)
#define START_NS UINT64_C(60000000000)

struct slot_search {
	const struct tree *tree;
	const struct arena *arena;
};

/* Tells whether a process whose mappings cannot be read may have an arena: one of its user. A
 * process of that user can write any ID into a slot, and another user's process would lose its own
 * image for it. A process in our own arena may have changed its user since. */
static bool may_be_in(pid_t pid, const struct tree_arena *a)
{
	unsigned int user[PROCESS_IDS], group[PROCESS_IDS];

	if (!a || a->uid == geteuid() || !process_read_ids(pid, user, group))
		return true;
	for (int i = 0; i < PROCESS_IDS; i++) {
		if (user[i] == a->uid)
			return true;
	}
	return false;
}

/* Tells whether a process has our memory, or may have it if that cannot be known. A process that is
 * ending has none any more, and a kernel thread never had any. */
static bool may_have_mapped(pid_t pid, const struct slot_search *s)
{
	const enum process_mapping mapping = process_maps(pid, s->arena->fd);

	if (mapping == PROCESS_MAPPING_UNKNOWN)
		return may_be_in(pid, tree_arenas_find(s->tree, s->arena));
	return mapping == PROCESS_HAS_NO_MEMORY ? process_is_ending(pid) :
						  mapping != PROCESS_HAS_OTHERS;
}

/* Tells whether a process may be the one that took a slot: it has our memory, and no other
 * image. */
static bool may_own_slot(pid_t pid, const void *data)
{
	const struct slot_search *s = data;
	const struct process *p = processes_find(&s->tree->processes, pid);

	return may_have_mapped(pid, s) && (!p || p->slot < 0);
}

static bool has_mapped(pid_t pid, const void *data)
{
	const struct slot_search *s = data;

	return process_maps(pid, s->arena->fd) == PROCESS_HAS_MAPPED;
}

/* Process IDs may have been reused since. */
static bool is_reused(const struct mu_slot *slot, pid_t pid)
{
	return clock_now(CLOCK_BOOTTIME) - slot->claimed_ns > REUSE_NS &&
	       process_start_time(pid) * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK)) >
		       slot->claimed_ns + START_NS;
}

static bool exists(pid_t pid)
{
	return kill(pid, 0) == 0 || errno == EPERM;
}

/* The same of a child whose parent is not known. Its ID may be that of another namespace, so what
 * has this ID here must have our memory. One that has an image of its own comes last: it may have
 * executed a program since, or be another one with the same ID. */
static pid_t orphaned_slot_pid(const struct tree *t, const struct arena *a,
			       const struct mu_slot *slot)
{
	const struct slot_search s = { t, a };
	const pid_t pid = (pid_t)slot->pid;
	const bool is_here = exists(pid) && process_own_pid(pid) == pid && !is_reused(slot, pid);
	pid_t nested;

	if (is_here && may_own_slot(pid, &s))
		return pid;
	nested = pid_namespace_find(pid, 0, true, may_own_slot, &s);
	if (nested > 0)
		return nested;
	return is_here && may_have_mapped(pid, &s) ? pid : 0;
}

/* Tells whether the process with this ID here got another slot after this one: it may be the same,
 * which has executed a program since. */
static bool has_later_slot(const struct slot_search *s, const struct mu_slot *slot)
{
	const struct process *p = processes_find(&s->tree->processes, (pid_t)slot->pid);

	return p && p->slot >= 0 && p->arena->slot[p->slot].claimed_ns > slot->claimed_ns;
}

/* Only a liar names us. */
static pid_t others_only(pid_t pid)
{
	return pid > 0 && examination_right_is_ours(pid) ? 0 : pid;
}

/* The child of a thread that has unshared its PID namespace, or has entered one, has an ID of that
 * one. So the process that has the ID here must be a child of the parent, or have our memory and no
 * other image, or a later one. One that has ended has no parent, and its ID may be another's by
 * now. */
static pid_t believed_pid(const struct slot_search *s, const struct mu_slot *slot,
			  const struct process *parent)
{
	const pid_t pid = (pid_t)slot->pid;

	if (process_parent(pid) == parent->pid)
		return is_reused(slot, pid) ? 0 : pid;
	if (may_own_slot(pid, s) || has_later_slot(s, slot))
		return is_reused(slot, pid) ? 0 : others_only(pid);
	return exists(pid) ? 0 : pid;
}

/* Returns the process of a slot that a forked child took. The child names itself by its own ID,
 * which is valid here if its parent's was, unless it is in a new namespace. */
pid_t slot_owner_forked(const struct tree *t, const struct arena *a, const struct mu_slot *slot,
			const struct process *parent)
{
	const struct slot_search s = { t, a };
	pid_t pid = (pid_t)slot->pid;

	/* One that ended before it was found has only the ID that it wrote itself. */
	if (parent && parent->has_ended)
		parent = NULL;
	if (!parent && pid != 1)
		return others_only(orphaned_slot_pid(t, a, slot));
	if (pid == 1 || parent->arena->slot[parent->slot].pid != (uint32_t)parent->pid ||
	    !pid_namespace_is_ours(parent->pid)) {
		pid = pid_namespace_find(pid, parent ? parent->pid : 0, false, may_own_slot, &s);
		return pid > 0 ? others_only(pid) : SLOT_OWNER_UNKNOWN;
	}
	return believed_pid(&s, slot, parent);
}

/* Returns the process of a slot that a killed collector assigned, or 0 if it has ended. The process
 * may have another ID here, but it has mapped our arena. Whether it has may not be known: of one
 * that another user may not look into. */
pid_t slot_owner_inherited(const struct tree *t, const struct arena *a,
			   const struct mu_slot *slot)
{
	const struct slot_search s = { t, a };
	const pid_t pid = (pid_t)slot->pid;
	const enum process_mapping mapping = process_maps(pid, a->fd);
	pid_t nested;

	if (mapping == PROCESS_HAS_MAPPED)
		return others_only(pid);
	nested = pid_namespace_find(pid, 0, true, has_mapped, &s);
	if (nested > 0)
		return others_only(nested);
	return mapping == PROCESS_MAPPING_UNKNOWN && exists(pid) &&
			       may_be_in(pid, tree_arenas_find(t, a)) ?
		       pid :
		       0;
}
