/* tree.h -- the process tree as the collector knows it: processes, their images, their ends.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COLLECTOR_TREE_H
#define MEMUSAGE_COLLECTOR_TREE_H

#include <stdbool.h>
#include <sys/types.h>
#include <stdint.h>

#include "memusage/collector/collector.h"
#include "memusage/common/process.h"
#include "memusage/record/futex_watch.h"
#include "memusage/report/report.h"
#include "profile/read/logmerge.h"

enum { TREE_ARENAS = 64 };

struct tree_arena {
	struct arena arena;
	struct futex_watch watch;
	struct log_clock clock;
	pid_t *claimer;		/* per slot: who took it for a child from another arena, or 0 */
	uint64_t *unknown_ns;	/* per slot: since when its process is not found, 0 it is */
	bool has_log;	/* its images log their events */
	uid_t uid;	/* whose processes have their images here, and nobody else's */
};

struct tree {
	struct session *s;
	struct mu_slot last_reported; /* which image a collector that was killed reported last */
	struct tree_arena *arena[TREE_ARENAS];
	unsigned int arena_count;
	struct processes processes;
	struct report report;
	int epoll;
	int event;		/* eventfd: an arena's wake, or SIGTERM */
	pid_t root;		/* the started program, 0 not known yet */
	pid_t owner;		/* whose summary and FILE it is, 0 nobody yet */
	uint64_t refused;	/* hellos that got no slot */
	uint64_t ignored;	/* hellos that were filtered out */
	bool is_pending;	/* a slot is claimed by nobody known: look again by the timer */
	bool has_unwatched_process; /* a process without a pidfd */
	bool has_unwatched_arena;   /* an arena whose wakes cannot be waited for */
	uint64_t idle_due_ns;	/* CLOCK_MONOTONIC of the next look for idle ones */
	bool looks;		/* some process's memory is looked at */
	bool owner_data;	/* FILE holds events of its owner */
};

/* tree_init -- begin with the session's arena. Returns 0, or -1 with errno. */
int tree_init(struct tree *t, struct session *s);

/* tree_fini -- close what is open. */
void tree_fini(struct tree *t);

/* tree_claim -- a slot for an image of PROCESS.
 *
 * log    whether the image is to log its events.
 * uid    the process's user: whoever has an arena mapped can write into all of its images.
 * Makes another arena when all are full. Returns the arena with process->slot set, or NULL.
 */
struct arena *tree_claim(struct tree *t, struct process *process, bool log, uid_t uid);

/* tree_claim_for_child -- a slot for the child that process PARENT is about to make.
 *
 * uid      the parent's user, as for tree_claim().
 * claimer  the parent's ID as it sees itself.
 * slot     set to the slot of the arena that is returned.
 * Of the parent's arena if that has one, or has when children that are dead were given up; else
 * of another. Returns NULL if the parent has no image, or there is no memory.
 */
struct arena *tree_claim_for_child(struct tree *t, pid_t parent, uid_t uid, uint32_t claimer,
				   int *slot);

/* tree_move -- copy the image of PROCESS into an arena of user UID, where the process goes on.
 *
 * The process does not write into it meanwhile. Its old slot stays its own until it releases it or
 * ends. Returns false, and changes nothing, if there is no memory, or if the image lies in an arena
 * of that user.
 */
bool tree_move(struct tree *t, struct process *process, uid_t uid);

/* tree_watch -- take up a process; known ones are returned as they are.
 *
 * Returns the entry, which is watched by t->epoll if it has a pidfd.
 */
struct process *tree_watch(struct tree *t, pid_t pid);

/* tree_arm -- be told of what happens to the arenas from now on. */
void tree_arm(struct tree *t);

/* tree_scan -- look at all slots: adopt forked children, see what has gone live, clean up. */
void tree_scan(struct tree *t);

/* tree_drain -- write the events that have come. Returns how many. */
uint64_t tree_drain(struct tree *t);

/* tree_process_ended -- the pidfd FD can be read. Returns false if it is nobody's pidfd. */
bool tree_process_ended(struct tree *t, int fd);

/* tree_check_ends -- finish every process that is known to have ended. */
void tree_check_ends(struct tree *t);

/* How an image ends. */
enum tree_end {
	TREE_EXEC,	/* the process goes on with another image */
	TREE_DEATH,	/* the process is gone */
	TREE_SHUTDOWN	/* the collector goes: the program may still be writing */
};

/* tree_end_image -- write the outputs of a process's image and give its slot back.
 *
 * Nothing happens if it has none.
 */
void tree_end_image(struct tree *t, struct process *p, enum tree_end end);

/* tree_shutdown -- end all images. */
void tree_shutdown(struct tree *t);

/* tree_end_unmapped -- end the images that their processes no longer have in memory. */
void tree_end_unmapped(struct tree *t);

/* tree_report_running -- lines for the processes that are still there. */
void tree_report_running(struct tree *t);

/* tree_has_log -- whether some process logs events, or has done so just now. */
bool tree_has_log(const struct tree *t);

/* tree_is_empty -- whether no process has a slot, nor may get one. */
bool tree_is_empty(const struct tree *t);

#endif
