/* wire.h -- The messages between launcher and collector.
 *
 * Each packet of their socket pair is one message. The stream ends when the launcher ends.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>
#include <sys/resource.h>

enum wire_kind {
	WIRE_STARTED = 1,	/* launcher: the program runs as `pid` */
	WIRE_ENDED = 2,		/* launcher: it ended with `status`, having used `usage` */
	WIRE_DONE = 3,		/* collector: outputs are complete, the report is written */
	WIRE_ATTACHED = 4,	/* launcher: as STARTED, and `pid` has its image already */
	WIRE_LEFT = 5,		/* launcher: such a process is left; `status`: enum wire_left */
	WIRE_MET = 6,		/* collector: a condition of --snapshot-when was met */
	WIRE_SAMPLE = 7		/* launcher: take the last samples of memory; collector: done */
};

/* The fate of a process that was recorded while it ran. Its forked children run on without the
 * recorder in any case. */
enum wire_left {
	WIRE_LEFT_IT_ENDED = 0,
	WIRE_LEFT_IT_RUNS = 1,
	WIRE_LEFT_IT_EXECUTED = 2 /* another program */
};

/* Findings of the reports of a run; bits. */
enum wire_finding {
	WIRE_LEAK_ERRORS = 1,
	WIRE_BROKEN = 2,	/* a condition of --fail-if is true */
	WIRE_NOT_JUDGED = 4	/* ... or is not known to be */
};

struct wire {
	uint32_t kind;		/* enum wire_kind */
	int32_t pid;
	int32_t status;		/* as wait() gives it; DONE: enum wire_finding */
	uint32_t has_data;	/* DONE: the data file of the program holds its events */
	struct rusage usage;
	char data[4096];	/* DONE: name of the data file or ""; ENDED: name of the program */
};

/* wire_send -- Sends one message, without the unused part of `data`.
 *
 * Returns 0, or -1 if the other side is gone.
 */
int wire_send(int fd, const struct wire *message);

/* wire_receive -- Receives the next message; waits for it unless FD is non-blocking.
 *
 * Returns 1 with a message, 0 if there is none now, -1 if the other side is gone.
 */
int wire_receive(int fd, struct wire *message);
