/* merge.h -- Several processes as one: sums by place, and what each one has.
 *
 *	struct merge m;
 *
 *	if (merge_run(&m, &source, spool_fd, &err) == 0 &&
 *	    merge_image_write(&m, fd, &err) == 0)
 *		...;		// FD is a recording of one process
 *	merge_free(&m);
 *
 * Recordings are read twice, a few at a time: their heaps over time first, which tell when the sum
 * was largest, then their places. Memory grows with the number of different places and, by 4 KiB,
 * with that of the processes; what each process has at each place is in a file. The result does not
 * depend on how many are read at a time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "profile/base/error.h"
#include "profile/base/strings.h"
#include "profile/merge/merge_course.h"
#include "profile/merge/merge_curve.h"
#include "profile/merge/merge_places.h"
#include "profile/merge/merge_process.h"
#include "profile/merge/merge_spool.h"
#include "profile/merge/merge_spread.h"
#include "profile/read/counters.h"
#include "profile/read/segment.h"
#include "profile/read/site_errors.h"
#include "recording/lifetimes.h"

enum {
	MERGE_SAMPLES = 256,	/* of resident memory */
	MERGE_NAME_LENGTH = 320	/* bytes that the name of a process has at most */
};

/* Where the recordings come from. Functions are called by several threads at a time, but for
 * messages, each of which waits until it is the recording's turn. */
struct merge_source {
	uint32_t count;
	uint32_t readers;	/* recordings that are read at a time; 0: merge_readers_usual() */
	void *data;
	/* Opens recording NUMBER, which happens twice. Returns 0; -1 after a message, and the
	 * recording is left out. */
	int (*open)(void *data, uint32_t number, struct segment *s);
	void (*close)(void *data, struct segment *s);
	/* Lets messages of this thread wait by a function, as message_hold() does; may be NULL. */
	void (*hold)(void (*wait)(void *data), void *data);
};

struct merge {
	struct merge_process *process;	/* each image that can be read */
	uint32_t processes;
	uint32_t failed;		/* recordings that were left out */
	uint32_t cut;			/* recordings that lack some of their processes */
	uint32_t uncounted_forks;	/* forked processes whose own memory is not told apart */
	struct strings texts;		/* of processes */
	struct merge_curve curve;
	struct merge_places places;
	struct merge_course course;	/* of places */
	int64_t peak, live;		/* bytes of all places that count */
	uint64_t rss_peak;		/* highest sum of resident memory */
	struct site_errors *error;	/* by site; NULL: nothing was sampled */
	uint32_t sample_log2;		/* the largest one; 0: nothing was sampled */
	struct mu_sampling sampling;	/* sums of all, but for the sizes */
	struct counters counters;
	uint64_t lifetimes[MU_LIFETIME_CLASSES];
	struct mu_sample sample[MERGE_SAMPLES];	/* sums in equal parts of the time */
	struct mu_config config;	/* of the first recording */
	uint32_t notes;			/* enum mu_note, of all */
	char *exe;			/* of the first process */
	/* private */
	const struct merge_source *source;
	struct merge_spool spool;
	uint32_t process_room, error_room;
};

/* merge_run -- Merges all images of all recordings.
 *
 * m         overwritten; the caller calls merge_free() in any case.
 * source    used during the call only.
 * spool_fd  an empty file, which becomes the merge's.
 * Returns 0, or -1 with ERR: there is no process at all, or no room for the file.
 * Cost about 2 ms of CPU time for a recording of 1 MB; a fifth of it is for one thread at a time.
 */
int merge_run(struct merge *m, const struct merge_source *source, int spool_fd,
	      struct mu_error *err);

/* merge_is_compared -- Tells whether a process is compared with others: not one that executed
 * another program, because most of these are shells that did nothing else. */
bool merge_is_compared(const struct merge_process *p);

/* merge_groups -- Returns the programs of all processes for merge_spread_compute(), to be freed. */
uint32_t *merge_groups(const struct merge *m);

/* merge_spreads -- Compares what the processes have at places.
 *
 * place   by site of the merge: which of the places, or COUNT or more: none.
 * spread  one per place, overwritten.
 * Returns 0, or -1 with ERR. Cost: reading the file, and 8 bytes for each place and process.
 */
int merge_spreads(struct merge *m, enum merge_figure figure, const uint32_t *place,
		  struct merge_spread *spread, uint32_t count, struct mu_error *err);

/* merge_text -- Returns the name of a host or program; "" for 0. */
const char *merge_text(const struct merge *m, uint32_t number);

/* merge_process_name -- Writes the name of a process: "rank 5 on node2", "4711 cc1".
 *
 * Returns TEXT; bytes of names are as they are.
 */
const char *merge_process_name(char text[MERGE_NAME_LENGTH], const struct merge *m,
			       uint32_t process);

/* merge_free -- Releases everything. */
void merge_free(struct merge *m);
