/* control_wire.h -- what `memusage --pid` and a collector tell each other.
 *
 * One question and one answer per connection to the socket on which images say hello. As long as
 * the connection is open the image asked for is the client's alone, if it wanted that.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COMMON_CONTROL_WIRE_H
#define MEMUSAGE_COMMON_CONTROL_WIRE_H

#include <stdint.h>

#define CONTROL_MAGIC UINT64_C(0x4c5254434d454d00) /* not that of a hello */
#define CONTROL_VERSION 1u

enum { CONTROL_TEXT = 16384 };

enum control_flag {
	CONTROL_EXCLUSIVE = 1, /* nobody else is to work on the image meanwhile */
	CONTROL_COUNT = 2      /* a file is to be numbered: count one more */
};

/* With a pidfd of the process as SCM_RIGHTS, if the client could get one: process IDs of another
 * namespace mean something else there. */
struct control_question {
	uint64_t magic;
	uint32_t version;
	uint32_t flags;		/* enum control_flag */
	int32_t pid;
	uint32_t reserved;
};

enum control_status {
	CONTROL_OK = 0,
	CONTROL_UNKNOWN = 1,	/* this collector does not record it */
	CONTROL_BUSY = 2,	/* another client works on it */
	CONTROL_DENIED = 3,	/* you are not the user that records it */
	CONTROL_NO_IMAGE = 4	/* between two images, or left out */
};

/* With the descriptor of the arena as SCM_RIGHTS if OK. */
struct control_answer {
	uint64_t magic;
	uint32_t version;
	uint32_t status;	/* enum control_status */
	int32_t pid;		/* as the collector sees it */
	int32_t collector;
	uint32_t slot;
	uint32_t generation;	/* of the slot: if it has changed, the image has ended */
	uint32_t number;	/* of the file, from 1 */
	uint32_t text_length;
	uint64_t rss_peak;
	char text[CONTROL_TEXT];	/* zero-terminated: what Massif's files say of the options,
					 * then the options of the run for memusageprint */
};

#endif
