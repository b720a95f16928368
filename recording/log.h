/* log.h -- The event log in a recording; docs/format.md, section 6.
 *
 * Part of recording.h, with the same rules.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* Words of the log; the low two bits say which.
 *   TIME   bits 2-63: a time of mu_config.time_source, for the events that follow
 *   EVENT  bits 2-11 ticks since that time (then added to it), bits 12-31 depth of the
 *          thread's stack in units of 8 bytes, bits 32-63 change of the heap, signed bytes
 *   WIDE   an event that does not fit: bits 2-11 as in EVENT; the next word is the change,
 *          the one after it the depth in bytes
 * A stack sample is an event that changes nothing. A chunk begins with a TIME. */
enum mu_log_word { MU_LOG_TIME = 1, MU_LOG_EVENT = 2, MU_LOG_WIDE = 3 };
#define MU_LOG_KIND(word) ((unsigned int)(word) & 3u)
#define MU_LOG_TICKS(word) ((unsigned int)((word) >> 2) & 1023u)
#define MU_LOG_STACK(word) ((uint64_t)((unsigned int)((word) >> 12) & 0xfffffu) * 8)
#define MU_LOG_HEAP(word) ((int64_t)(word) >> 32)
#define MU_LOG_EVENT_WORDS 4u /* the most that one event takes: TIME, WIDE and its two */

/* Chunks of one thread record form a chain. The producer publishes records by a release
 * store to count, and links the next chunk before it sets sealed. The consumer sets
 * consumed after it has read all records of a sealed chunk and its next. */
struct mu_log_chunk {
	uint64_t next; /* offset of the next chunk, valid once sealed */
	uint32_t capacity; /* words */
	uint32_t count;	   /* words that are complete; only whole events */
	uint32_t sealed;
	uint32_t consumed;
	uint64_t reserved;
	uint64_t word[];
};

_Static_assert(sizeof(struct mu_log_chunk) == 32, "mu_log_chunk is part of the format");
