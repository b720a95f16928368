/* run.h -- The run that is served: a collector, and the processes that it records.
 *
 * Everything is read from the memory of the recording, as `memusage --pid` does: neither a process
 * nor the collector ever waits for it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "profile/base/error.h"

struct run {
	pid_t pid;		/* the process that was named */
	pid_t collector;	/* 0: not found */
	int pidfd;		/* of the collector; -1: not available */
};

/* How much of each process a copy has. */
enum run_parts {
	RUN_FIGURES,	/* what counts calls and bytes, and the memory that the kernel sees */
	RUN_PLACES,	/* ... and the values of all places */
	RUN_ALL		/* ... and all snapshots */
};

/* run_open -- Finds the collector that records a process.
 *
 * pid        the process, or the memusage that started it.
 * collector  its process ID, if it is known already; 0: it is not.
 * Returns 0, or -1 with ERR, which says what can be done. Waits for an answer for 10 s at most.
 */
int run_open(struct run *r, pid_t pid, pid_t collector, struct mu_error *err);

/* run_reopen -- Finds the collector that has taken the place of one that was killed.
 *
 * Returns 0, or -1 if there is none: the run is over.
 */
int run_reopen(struct run *r);

/* run_copy -- Copies all processes that run now to a file, as a kept recording.
 *
 * fd   of an empty file.
 * Returns 0, or -1 with ERR: there is none, the run is over, or its collector is silent.
 * Cost  see live_copy_take().
 */
int run_copy(const struct run *r, int fd, enum run_parts parts, struct mu_error *err);

/* run_close -- Releases it. */
void run_close(struct run *r);
