/* control_wire.h -- The messages between `memusage --pid` and a collector.
 *
 * Each connection carries one question and one answer, over the socket on which images register. A
 * client that asks for it has exclusive use of the image as long as the connection is open.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#define CONTROL_MAGIC UINT64_C(0x4c5254434d454d00) /* differs from that of a registration */
#define CONTROL_VERSION 1u
#define CONTROL_EXAMINE_VERSION 2u /* a collector without it closes the connection */

enum { CONTROL_TEXT = 16384 };

enum control_flag {
	CONTROL_EXCLUSIVE = 1, /* no other client may work on the image meanwhile */
	CONTROL_COUNT = 2,     /* number one more file of the process */
	CONTROL_RUN = 4,       /* the process is the collector: about all that it records */
	CONTROL_SAMPLES = 8,   /* attach a file of samples in place of the arena */
	CONTROL_CHECKS = 256,  /* ... or that of asked_checks.h, */
	CONTROL_HOLDERS = 8192, /* or of asked_holders.h; */
	CONTROL_EXISTING = 16384, /* none of these two is made if it is not there yet */
	CONTROL_EXAMINE = 32768 /* examine the process: struct control_examination */
};

/* A client attaches a pidfd of the process as SCM_RIGHTS if it can get one, since a process ID has
 * another meaning in another namespace. */
struct control_question {
	uint64_t magic;
	uint32_t version;
	uint32_t flags;		/* enum control_flag */
	int32_t pid;
	uint32_t arena;		/* with CONTROL_RUN: which one, from 0; CONTROL_UNKNOWN is beyond */
};

/* What a child of the collector examines for a client. */
enum control_subject {
	CONTROL_LEAKS = 1,
	CONTROL_BLOCKS = 2, /* as CONTROL_LEAKS, with a list of all blocks */
	CONTROL_PAGES = 3,
	CONTROL_HELD = 4,
	CONTROL_POINTERS = 5
};

/* The question of a client that may not trace the process: under Yama children of the collector
 * may. The answer has an empty file, and the connection ends when the file is written. */
struct control_examination {
	struct control_question question; /* with CONTROL_EXAMINE, of CONTROL_EXAMINE_VERSION */
	uint32_t subject;    /* enum control_subject */
	uint32_t snapshot;   /* enum snapshot_kind */
	uint32_t heuristics; /* of CONTROL_LEAKS and CONTROL_BLOCKS */
	uint32_t reserved;
	uint64_t start, size; /* the range of CONTROL_POINTERS */
};

enum control_status {
	CONTROL_OK = 0,
	CONTROL_UNKNOWN = 1,	/* the collector does not record the process */
	CONTROL_BUSY = 2,	/* another client works on the image; or, with CONTROL_EXAMINE,
				 * too much is being examined: ask again */
	CONTROL_DENIED = 3,	/* the client is not the user that records the process; or, with
				 * CONTROL_EXAMINE, it cannot be examined */
	CONTROL_NO_IMAGE = 4	/* the process has no image now, or is excluded */
};

/* If the status is OK, a descriptor is attached as SCM_RIGHTS: of the arena, or of a file of
 * struct control_samples with the timeline of the process or, with CONTROL_RUN, of all processes
 * of the arena. */
struct control_answer {
	uint64_t magic;
	uint32_t version;
	uint32_t status;	/* enum control_status */
	int32_t pid;		/* as the collector sees it */
	int32_t collector;
	uint32_t slot;
	uint32_t generation;	/* of the slot; a change means that the image has ended */
	uint32_t number;	/* of the file, from 1 */
	uint32_t text_length;
	uint64_t rss_peak;
	char text[CONTROL_TEXT];	/* zero-terminated: the options as Massif's files list them,
					 * then the options of the run for memusageprint */
};

/* The samples of the memory of one image; COUNT entries of struct mu_sample follow. */
struct control_samples {
	uint32_t slot;
	uint32_t generation;
	uint32_t count;		/* SAMPLES_MAX at most */
	uint32_t reserved;
	uint64_t rss_peak;
};
