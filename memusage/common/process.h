/* process.h -- the processes that the collector knows.
 *
 * Process IDs are those of the collector's namespace. A process ID names a process only while
 * that is alive, so each entry holds a pidfd.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COMMON_PROCESS_H
#define MEMUSAGE_COMMON_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "memusage/common/samples.h"

struct arena;
struct datalog;

struct process {
	pid_t pid;
	int pidfd;		/* -1: none to be had, looked after by the timer */
	uint64_t start;		/* start time of /proc/PID/stat, 0 unknown; for want of a pidfd */
	struct arena *arena;
	int slot;		/* of arena, -1: has no image now */
	bool is_live;		/* the image has been announced */
	bool is_forked;		/* began as a copy of its parent */
	bool has_ended;		/* its pidfd said so, or there never was such a process */
	bool is_gone;		/* to be removed by processes_sweep() */
	unsigned int images;	/* that have had a data file */
	struct datalog *log;	/* NULL: none wanted */
	struct samples samples;	/* of its memory; see tree_memory.h */
	int memory_fd;		/* procmem_open(), -1: it is not looked at */
	uint64_t memory_due_ns;	/* CLOCK_MONOTONIC of the next look */
	uint64_t memory_began_ns;
	int control;		/* connection of the client that works on its image, -1 none */
	bool has_snapshot_child; /* a snapshot of its image is being written by a child of ours */
	unsigned int files;	/* that were numbered for it */
	uint32_t wanted;	/* why a snapshot is to be taken from outside; of mu_trigger.why */
	uint32_t signals;	/* of mu_triggers.signals, those that are in `wanted` or done */
	uint32_t met;		/* conditions that the collector watches, met since they were not */
	uint64_t rss_highest;	/* most resident memory at the last look */
	unsigned int snapshots; /* snapshots taken by themselves */
};

struct processes {
	struct process **item;
	size_t count;
};

/* processes_find -- the entry of a process that is not known to have ended, or NULL. */
struct process *processes_find(const struct processes *all, pid_t pid);

/* processes_by_pidfd -- the entry whose pidfd is FD, or NULL. */
struct process *processes_by_pidfd(const struct processes *all, int fd);

/* processes_add -- a new entry, with a pidfd if one can be had.
 *
 * pid  0 or that of a process that is gone already: the entry has ended.
 * Never NULL: a process that cannot be watched is looked after by the timer.
 */
struct process *processes_add(struct processes *all, pid_t pid);

/* process_reserve_fds -- FD, that is to be open for as long as a process lives, unless it is one of
 * the last that may be had: these are for connections, arenas and what is open for a moment,
 * without which new processes would wait in vain.
 *
 * fd  -1 is passed on.
 * Returns it, or closes it and returns -1 with EMFILE.
 */
int process_reserve_fds(int fd);

/* processes_owner -- who has slot SLOT of ARENA, or NULL. */
struct process *processes_owner(const struct processes *all, const struct arena *arena, int slot);

/* process_is_dead -- whether it has ended. Cost one system call, or a file of /proc. */
bool process_is_dead(const struct process *p);

/* process_name -- what the kernel calls a process, also one that has ended but is not waited for.
 *
 * name  gets it, as prctl(2), PR_SET_NAME has it: "" if it is not known.
 */
void process_name(pid_t pid, char name[17]);

/* process_start_time -- when PID began, in clock ticks since the boot; 0 if unknown. */
uint64_t process_start_time(pid_t pid);

/* process_parent -- the parent of PID, 0 if unknown. */
pid_t process_parent(pid_t pid);

/* process_own_pid -- the ID that PID has for itself, in its own PID namespace. */
pid_t process_own_pid(pid_t pid);

/* process_sees_all -- whether /proc shows us every process (hidepid=, see proc(5)). */
bool process_sees_all(void);

/* process_maps -- whether PID has the file of descriptor FD mapped: 1 yes, 0 no, -1 if we may
 * not know. */
int process_maps(pid_t pid, int fd);

/* process_has_child_but -- whether the caller has a living child besides EXCEPT.
 *
 * Looks through /proc: for PID 1 of a container, which all orphans come to.
 */
bool process_has_child_but(pid_t except);

/* processes_sweep -- forget the entries that are marked as gone. */
void processes_sweep(struct processes *all);

#endif
