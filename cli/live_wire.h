/* live_wire.h -- The messages between a live view and the process that copies for it.
 *
 * `memusage --pid=PID live` reads the memory of the program; memusageprint, its child, knows names
 * and draws. They share a socket for these messages and a nameless file for the copy, which is a
 * kept recording. The copier writes the file between a question and its answer, and the view reads
 * it between an answer and the next question.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

enum live_ask {
	LIVE_ASK_LOOK = 1,	/* copy what the view shows */
	LIVE_ASK_RECORD = 2,	/* copy the whole recording of the process */
	LIVE_ASK_INTERRUPT = 3,	/* Ctrl-C: send SIGINT to a program that memusage started; there is
				 * no answer */
	LIVE_ASK_MARK = 4	/* have the recorder set a mark; nothing is copied */
};

/* The name of marks that are not given another. */
#define MARK_NAME "mark"

/* Parts of LIVE_ASK_LOOK that are not always wanted. */
enum live_part {
	LIVE_PART_HISTORY = 1,	/* heap and resident memory at earlier moments */
	LIVE_PART_PROCESSES = 2, /* figures of the other processes */
	LIVE_PART_MARK = 4	/* the values of all sites at the marks */
};

struct live_question {
	uint32_t ask;		/* enum live_ask */
	uint32_t parts;		/* enum live_part */
	uint32_t pid;		/* as the process sees itself; 0: the one of the last question. If
				 * it cannot be shown, the last one stays */
	uint32_t reserved;
};

enum live_status {
	LIVE_COPIED = 0,
	LIVE_ENDED = 1,		/* the process has ended; the file is as it was */
	LIVE_FAILED = 2		/* likewise, because of what text says */
};

struct live_answer {
	uint32_t status;	/* enum live_status */
	uint32_t pid;		/* of the copied process */
	uint64_t mono_ns;	/* when the copy was made */
	uint64_t took_ns;	/* ... and how long that took */
	uint64_t moved;		/* bytes that moved meanwhile: figures are exact to within them */
	uint64_t rss;		/* resident bytes, as the kernel counts; 0 unknown */
	uint32_t threads;	/* as the kernel counts; 0 unknown */
	uint32_t is_stopped;	/* by a signal, like SIGSTOP */
	uint32_t is_later;	/* a mark is not set yet: the process is idle */
	uint32_t left_out;	/* other processes that were not copied, because there are many */
	char text[128];		/* zero-terminated */
};
