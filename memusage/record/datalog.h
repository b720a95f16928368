/* datalog.h -- Write the event log of one image to a data file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "formats/dat.h"
#include "memusage/record/largefile.h"
#include "profile/read/logmerge.h"

struct datalog {
	struct logmerge merge;
	struct dat_writer writer;
	int fd;			/* owned; -1: events are read and discarded */
	char *name;		/* owned; name of the file, NULL if it has none */
	uint64_t lost;		/* events that could not be written */
	uint64_t written;	/* events that were given to the file */
	struct largefile file;
	uint64_t flushed_ns;	 /* time of the last complete write */
	bool may_hold;		 /* the file may lag behind: events are collected */
	bool is_behind;		 /* the disk is too slow in this pass */
	struct log_event *event; /* events that are not written yet */
	size_t count, room;
	struct mu_error error; /* why events were lost */
};

/* datalog_new -- Begins the log of an image that has just registered.
 *
 * fd         of the data file, at its start; becomes the log's. -1: discard the events.
 * name       for messages; becomes the log's. NULL: a nameless file.
 * heap       bytes live before the first event.
 * origin_ns  CLOCK_MONOTONIC of time 0.
 * config     of the recording: its log_limit, and how far the file may lag behind.
 */
struct datalog *datalog_new(int fd, char *name, int64_t heap, uint64_t origin_ns,
			    const struct mu_config *config);

/* datalog_drain -- Writes the events that have arrived.
 *
 * is_dead  the process has ended: write everything, to the last event.
 */
void datalog_drain(struct datalog *log, struct image *im, const struct log_clock *clock,
		   bool is_dead);

/* datalog_end -- Writes the final headers and closes the file.
 *
 * end_ns  CLOCK_MONOTONIC of the end.
 * Errors are kept in log->error.
 */
void datalog_end(struct datalog *log, uint64_t end_ns);

/* datalog_free -- Releases the memory, after datalog_end(). LOG may be NULL. */
void datalog_free(struct datalog *log);
