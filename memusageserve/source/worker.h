/* worker.h -- Makes an answer in a process of its own.
 *
 * Copies, names and pages take from a millisecond to seconds, and read what other programs wrote.
 * In a child they delay no client, leave no memory behind, and may fail.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>
#include <sys/types.h>

/* The end of the work. */
enum worker_result {
	WORKER_DONE = 0,
	WORKER_FAILED = 1,	/* the output is the reason, a line of text */
	WORKER_NOT_FOUND = 2	/* likewise: what was asked for is not there */
};

/* Writes the answer to OUT, which need not be flushed. Returns enum worker_result. */
typedef enum worker_result worker_fn(FILE *out, void *data);

enum { WORKER_KEPT = 2 };

struct worker {
	pid_t pid;	/* 0: none */
	int pidfd;	/* readable when it has ended */
	int output;	/* memory file of the answer */
};

/* How a worker shares the CPU with other processes. */
enum worker_urgency {
	WORKER_PATIENT,	/* gives way to them: it may take seconds */
	WORKER_PROMPT	/* as we do: a client waits, and there is little to do */
};

/* worker_start -- Starts a child that calls WORK.
 *
 * kept  WORKER_KEPT descriptors that WORK needs, -1: none; NULL: none at all. The child closes all
 *       others but the standard files.
 * It is the first process that the kernel ends when memory is short.
 * Returns 0, or -1 with errno; then there is no worker.
 */
int worker_start(struct worker *w, enum worker_urgency urgency, worker_fn *work, void *data,
		 const int *kept);

/* worker_finish -- Takes the result of a worker; waits for it.
 *
 * Returns enum worker_result; w->output stays open, and is the caller's. A worker that was killed
 * has failed, and its output is the reason.
 */
enum worker_result worker_finish(struct worker *w);

/* worker_stop -- Ends a worker whose answer is not wanted. Fine if there is none. */
void worker_stop(struct worker *w);
