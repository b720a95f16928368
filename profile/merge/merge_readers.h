/* merge_readers.h -- Threads that read recordings, whose results are added up in the order of the
 * recordings: so the sums, and the messages, are the same however many threads there are.
 *
 *	static void read_one(void *data, uint32_t number, struct merge_turn *turn)
 *	{
 *		...;			// what concerns the recording alone
 *		merge_turn_wait(turn);
 *		...;			// what all share
 *	}
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* More of them would wait: adding takes a quarter of the time of reading. */
enum { MERGE_READERS_MAX = 8 };

/* The place of a recording among all. Private. */
struct merge_turn {
	struct merge_readers *of;
	uint32_t number;
	bool has_come;
};

/* Reads recording NUMBER. All recordings before it are added when merge_turn_wait() returns. */
typedef void merge_read(void *data, uint32_t number, struct merge_turn *turn);

/* merge_readers_usual -- Returns how many threads suit this machine: the processors that this
 * process may use, at most MERGE_READERS_MAX. */
uint32_t merge_readers_usual(void);

/* merge_readers_run -- Reads recordings 0 to COUNT - 1.
 *
 * readers  threads, this one included; 0 is 1. There are fewer if the system refuses them.
 * read     is called once for each number, by any of the threads, and in the order of numbers by
 *          each one.
 * Returns when all are read.
 */
void merge_readers_run(uint32_t count, uint32_t readers, merge_read *read, void *data);

/* merge_turn_wait -- Waits until all recordings before this one are read and added.
 *
 * No other thread is behind its wait until READ returns. Calling it twice is fine.
 */
void merge_turn_wait(struct merge_turn *turn);
