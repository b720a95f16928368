/* tree_state.h -- What the collector knows of the process tree; tree.h changes it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "memusage/collector/process_end.h"
#include "memusage/common/cgroup.h"
#include "memusage/common/process.h"
#include "memusage/record/futex_watch.h"
#include "memusage/record/session.h"
#include "memusage/report/report.h"
#include "profile/read/logmerge.h"

enum { TREE_ARENAS = 64 };

struct tree_arena {
	struct arena arena;
	struct futex_watch watch;
	struct log_clock clock;
	pid_t *claimer;	      /* per slot: the process that claimed it for a child from another
				 * arena, or 0 */
	uint64_t *unknown_ns; /* per slot: time since which its process is not found, or 0 */
	bool has_log;	/* its images log their events */
	uid_t uid;	/* only processes of this user have their images here */
};

struct tree {
	struct session *s;
	struct mu_slot last_reported; /* slot of the image that a killed collector reported last */
	struct tree_arena *arena[TREE_ARENAS];
	unsigned int arena_count;
	struct processes processes;
	struct report report;
	int event;		/* eventfd: an arena's wake, or SIGTERM */
	pid_t root;		/* the started program, 0 unknown yet */
	bool is_root_status_lost; /* the launcher is gone: it cannot tell how the program ended */
	bool is_detached;	/* the processes were attached to, and run on without us */
	bool is_over;		/* recording ends now, also where the recorder could not be taken
				 * away: it may write into its image to the process's end */
	pid_t owner;		/* process of the summary and FILE, 0 none yet */
	uint64_t refused;	/* registrations that got no slot */
	uint64_t ignored;	/* registrations that were filtered out */
	struct tree_retired {	/* retired_slots.h */
		uint64_t due_ns; /* CLOCK_MONOTONIC of the next look, 0: there is none */
		unsigned int used; /* that a process used at the last look */
		unsigned int looks; /* in a row that found one used */
	} retired;
	bool is_pending;	/* an unknown process has claimed a slot: poll it by the timer */
	bool has_unwatched_process; /* some process has no pidfd */
	bool has_unwatched_arena;   /* some arena's wakes cannot be waited for */
	uint64_t idle_due_ns;	    /* CLOCK_MONOTONIC of the next check for idle processes */
	uint64_t sampled_processes; /* whose memory is sampled, at the last look */
	bool owner_data;	/* FILE holds events of its owner */
	struct tree_limit {	/* tree_cgroup.h */
		struct cgroup group;
		bool is_known;	 /* it was looked for */
		bool is_near;	 /* the condition that no option gave, 90 %, is met */
		uint32_t met;	 /* conditions of --snapshot-when that are met */
		uint64_t due_ns; /* CLOCK_MONOTONIC of the next look */
		struct cgroup_use highest; /* at a mark; percent 0: none yet */
	} limit;
};
