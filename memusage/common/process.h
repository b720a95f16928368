/* process.h -- The processes that the collector knows.
 *
 * Process IDs are those of the collector's namespace. An ID identifies a process only during its
 * lifetime, so each entry holds a pidfd.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "memusage/common/samples.h"

struct arena;
struct datalog;

struct process {
	pid_t pid;
	int pidfd;		/* -1: not available, the process is polled by a timer */
	uint64_t start;		/* start time in /proc/PID/stat, 0 unknown; used without a pidfd */
	struct arena *arena;
	int slot;		/* of arena; -1: it has no image now */
	bool is_live;		/* the image has registered */
	bool is_forked;		/* began as a copy of its parent */
	bool has_status;	/* of its end: process_end.h */
	int status;		/* as wait() gives it */
	uint64_t ended_ns;	/* when its status was first looked for in vain, 0 never */
	bool has_ended;		/* its pidfd said so, or there never was such a process */
	bool is_complete;	/* it has ended, and all that will be known of its end is */
	bool is_gone;		/* processes_sweep() is to remove it */
	unsigned int images;	/* number of its images that have had a data file */
	struct datalog *log;	/* NULL: its events are not logged */
	struct samples samples;	/* of its memory; see tree_memory.h */
	int memory_fd;		/* procmem_open(); -1: its memory is not sampled */
	uint64_t memory_due_ns;	/* CLOCK_MONOTONIC of the next sample */
	uint64_t memory_began_ns;
	int control;		/* connection of the client that works on its image, -1 none */
	bool has_snapshot_child; /* a child of ours takes a snapshot of its image */
	unsigned int files;	/* number of its files that have been numbered */
	uint32_t wanted;	/* reasons for a snapshot from outside, as in mu_trigger.why */
	uint32_t signals;	/* mu_triggers.signals up to which snapshots are taken or in
				 * `wanted` */
	uint32_t met;		/* conditions that the collector checks and that hold now */
	unsigned int limit_percent; /* of the control group, to be marked: tree_cgroup.h; or 0 */
	uint32_t limit_serial;	/* of the request for that mark, 0: not sent yet */
	uint64_t rss_anon;	/* private memory at the last sample */
	uint64_t rss_highest;	/* peak resident memory at the last sample */
	unsigned int snapshots; /* number of automatic snapshots taken */
	int asked_checks;	/* asked_checks.h; -1: no client has asked for one */
	int asked_holders;	/* asked_holders.h, likewise */
	uint64_t asked_ns;	/* of the last of them that its image has got */
};

struct processes {
	struct process **item;
	size_t count;
};

/* processes_find -- Returns the entry of a process that is not known to have ended, or NULL. */
struct process *processes_find(const struct processes *all, pid_t pid);

/* processes_by_pidfd -- Returns the entry whose pidfd is FD, or NULL. */
struct process *processes_by_pidfd(const struct processes *all, int fd);

/* processes_add -- Adds an entry, with a pidfd if one is available.
 *
 * pid  0 or the ID of a process that no longer exists makes an entry that has ended.
 * Never returns NULL: a process without a pidfd is polled by a timer.
 */
struct process *processes_add(struct processes *all, pid_t pid);

/* process_reserve_fds -- Returns FD unless it is one of the last descriptors that we may have.
 *
 * Connections, arenas and files that are open for a moment need these: without them new processes
 * would wait in vain. FD is to stay open for the lifetime of a process, or is -1.
 * Returns FD, or closes it and returns -1 with EMFILE.
 */
int process_reserve_fds(int fd);

/* processes_owner -- Returns the process that has slot SLOT of ARENA, or NULL. */
struct process *processes_owner(const struct processes *all, const struct arena *arena, int slot);

/* process_is_dead -- Tells whether the process has ended. Cost one system call, or one file of
 * /proc. */
bool process_is_dead(const struct process *p);

/* process_state -- Returns the letter of /proc/PID/stat, as proc(5) lists them, or 0 if there is no
 * such process. */
char process_state(pid_t pid);

/* process_read_file -- Reads the beginning of /proc/PID/NAME as text of less than SIZE bytes.
 *
 * text  "" if that fails. It lacks the line of groups of "status", which may be longer than all
 *       the rest.
 */
void process_read_file(pid_t pid, const char *name, char *text, size_t size);

/* process_read_status -- The same of a descriptor of /proc/PID/status. */
void process_read_status(int fd, char *text, size_t size);

/* process_name -- Reads the kernel's name of a process, which may be a zombie.
 *
 * name  receives it (prctl(2), PR_SET_NAME), or "" if it is unknown.
 */
void process_name(pid_t pid, char name[17]);

/* process_start_time -- Returns when PID began, in clock ticks since the boot; 0 if unknown. */
uint64_t process_start_time(pid_t pid);

/* process_exit_code -- Reads the state of a process and the status of a zombie.
 *
 * state   of /proc/PID/stat, 'Z' for a zombie.
 * status  as wait() gives it; also 0 if the caller may not know it.
 * Returns false if there is no such process.
 */
bool process_exit_code(pid_t pid, char *state, int *status);

/* process_is_ending -- Tells whether PID is just ending: its memory may be gone already. */
bool process_is_ending(pid_t pid);

/* process_view -- Returns the ID under which /proc shows the memory of a process.
 *
 * That is PID, or the ID of another thread if the first one has ended: /proc/PID has no memory, no
 * descriptors, no root directory and no command line then.
 * Returns PID also if the process has ended. Costs 10 us, and as much for each thread that has
 * ended.
 * Source  pthread_exit(3); measured on Linux 6.18.
 */
pid_t process_view(pid_t pid);

/* process_parent -- Returns the parent of PID, 0 if unknown. */
pid_t process_parent(pid_t pid);

enum { PROCESS_IDS = 4 }; /* real, effective, saved and of the file system */

/* process_read_ids -- Reads all IDs of a process, as they are at one moment.
 *
 * uid, gid  of its user and its group.
 * Returns false if the process has ended.
 */
bool process_read_ids(pid_t pid, unsigned int uid[PROCESS_IDS], unsigned int gid[PROCESS_IDS]);

/* process_status_value -- Returns the first number behind a name in /proc/PID/status.
 *
 * name    with its colon, as "SigCgt:".
 * base    10, or 16 for a mask.
 * missing what is returned if the file or the name is not there.
 */
uint64_t process_status_value(pid_t pid, const char *name, int base, uint64_t missing);

/* process_proc_is_ours -- Tells whether /proc has our process IDs: it may be that of another PID
 * namespace. */
bool process_proc_is_ours(void);

/* process_own_pid -- Returns the ID that PID has in its own PID namespace. */
pid_t process_own_pid(pid_t pid);

/* process_sees_all -- Tells whether /proc shows every process (hidepid=, see proc(5)). */
bool process_sees_all(void);

enum process_mapping { PROCESS_MAPPING_UNKNOWN, PROCESS_HAS_MAPPED, PROCESS_HAS_OTHERS,
		       PROCESS_HAS_NO_MEMORY };

/* process_maps -- Tells whether PID has mapped the file of descriptor FD.
 *
 * A process that is ending has no memory, and a kernel thread has none. If it is not known, errno
 * tells why.
 */
enum process_mapping process_maps(pid_t pid, int fd);

/* process_next -- Returns the next process of /proc, opened as PROC, or 0 behind the last. */
pid_t process_next(DIR *proc);

/* process_signal_children_but -- Sends a signal to the caller's living children besides A and B.
 *
 * signal  0: nothing is sent.
 * Returns their number; 0 also if /proc is that of another PID namespace.
 * Scans /proc: PID 1 of a container needs it, since all orphans become its children.
 */
unsigned int process_signal_children_but(pid_t a, pid_t b, int signal);

/* processes_sweep -- Removes the entries that are marked as gone. */
void processes_sweep(struct processes *all);
