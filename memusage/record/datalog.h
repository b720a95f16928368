/* datalog.h -- the event log of one image on its way into a data file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_RECORD_DATALOG_H
#define MEMUSAGE_RECORD_DATALOG_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/dat.h"
#include "memusage/record/largefile.h"
#include "profile/read/logmerge.h"

struct datalog {
	struct logmerge merge;
	struct dat_writer writer;
	int fd;			/* owned; -1: events are read and thrown away */
	char *name;		/* owned; of the file, NULL if it has none */
	uint64_t lost;		/* events that could not be written */
	uint64_t written;	/* events that have gone to the file */
	struct largefile file;
	uint64_t flushed_ns;	/* when everything had been written last */
	bool may_hold;		/* the file may lag: events wait until they are many */
	bool is_behind;		/* in this pass the disk is too slow */
	struct log_event *event; /* that are not written yet */
	size_t count, room;
	struct mu_error error;	/* why */
};

/* datalog_new -- begin with the image that has just been announced.
 *
 * fd     of the data file, at its start; becomes the log's. -1: throw the events away.
 * name   for messages; becomes the log's. NULL: a nameless file.
 * heap   bytes live before the first event.
 * origin_ns  CLOCK_MONOTONIC of time 0.
 * config  of the recording: its log_limit, and how far the file may lag behind.
 */
struct datalog *datalog_new(int fd, char *name, int64_t heap, uint64_t origin_ns,
			    const struct mu_config *config);

/* datalog_drain -- write what has come.
 *
 * is_dead  nothing more will come: everything is written, to the last event.
 */
void datalog_drain(struct datalog *log, struct image *im, const struct log_clock *clock,
		   bool is_dead);

/* datalog_end -- write the final headers and close.
 *
 * end_ns  CLOCK_MONOTONIC of the end.
 * Errors are kept in log->error.
 */
void datalog_end(struct datalog *log, uint64_t end_ns);

/* datalog_free -- release the memory, after datalog_end(). NULL is allowed. */
void datalog_free(struct datalog *log);

#endif
