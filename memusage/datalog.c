/* datalog.c -- the event log of one image on its way into a data file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/datalog.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/xmalloc.h"

/* 192 KiB: stays in the second level cache between conversion and write(2). */
enum { BATCH = 16384 };

/* With so many events the file ends at a multiple of 64 KiB (192 KiB, headers included): an
 * unaligned end costs the page cache 1.3 ns per event more. */
enum { ALIGNED = 3 * 65536 / DAT_RECORD_BYTES };

/* The file is complete at least so often. */
#define FLUSH_NS UINT64_C(100000000)

/* On a little-endian machine an event has the layout of a record. */
_Static_assert(sizeof(struct log_event) == sizeof(struct dat_record) &&
	       offsetof(struct log_event, time) == offsetof(struct dat_record, time_low) &&
	       __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "events are written as records");

static void note_failure(struct datalog *log, const struct mu_error *err)
{
	if (log->error.code == MU_ERROR_NONE)
		log->error = *err;
}

struct datalog *datalog_new(int fd, char *name, int64_t heap, uint64_t origin_ns,
			    const struct mu_config *config)
{
	struct datalog *log = xcalloc(1, sizeof(*log));
	struct mu_error err;

	log->fd = fd;
	log->name = name;
	logmerge_init(&log->merge, heap, origin_ns, config->log_limit);
	if (fd >= 0 && config->log_wake_records >= 2 * ALIGNED)
		log->held = xcalloc(ALIGNED, sizeof(*log->held));
	if (fd >= 0 && dat_create(&log->writer, fd, 0, true, &err) < 0)
		note_failure(log, &err);
	return log;
}

/* A full disk does not end the drain: the program would wait for room that never comes. */
static void write_events(struct datalog *log, const struct log_event *events, size_t count)
{
	const struct dat_record *records = (const struct dat_record *)events;
	struct mu_error err;
	uint64_t end = (log->written + DAT_HEADERS + count) * DAT_RECORD_BYTES;

	largefile_grow(&log->file, log->fd, end);
	if (log->error.code != MU_ERROR_NONE) {
		log->lost += count;
	} else if (dat_append(&log->writer, records, count, &err) < 0) {
		note_failure(log, &err);
		log->lost += count;
	} else {
		largefile_wrote(&log->file, log->fd, end);
	}
	log->written += count;
}

/* How many of COUNT events to write so that the file ends well; the rest waits. */
static size_t aligned_part(const struct datalog *log, size_t count)
{
	size_t over = (log->written + DAT_HEADERS + count) % ALIGNED;

	return over < count ? count - over : 0;
}

void datalog_drain(struct datalog *log, struct image *im, const struct log_clock *clock,
		   bool is_dead)
{
	static struct log_event batch[BATCH];
	bool all = is_dead || !log->held || clock->ns - log->flushed_ns >= FLUSH_NS;
	size_t count = log->held_count, part, more;

	if (log->fd < 0) {
		logmerge_discard(&log->merge, im);
		return;
	}
	if (logmerge_begin(&log->merge, im, clock, is_dead) < 0)
		return;
	if (count > 0)
		memcpy(batch, log->held, count * sizeof(*batch));
	while ((more = logmerge_read(&log->merge, im, batch + count, BATCH - count)) > 0) {
		part = aligned_part(log, count + more);
		write_events(log, batch, part);
		count = count + more - part;
		memmove(batch, batch + part, count * sizeof(*batch));
	}
	if (all) {
		write_events(log, batch, count);
		log->flushed_ns = clock->ns;
		count = 0;
	}
	if (count > 0)
		memcpy(log->held, batch, count * sizeof(*batch));
	log->held_count = count;
}

void datalog_end(struct datalog *log, uint64_t end_ns)
{
	struct logmerge *m = &log->merge;
	uint64_t end = end_ns > m->origin_ns ? end_ns - m->origin_ns : 0;
	const struct dat_totals totals = {
		.heap_peak = m->heap_peak,
		.stack_peak = m->stack_peak,
		.total_peak = m->total_peak,
		.end = end > m->last_ns ? end : m->last_ns,
	};
	struct mu_error err;

	if (log->fd >= 0) {
		if (dat_finish(&log->writer, &totals, &err) < 0)
			note_failure(log, &err);
		if (largefile_end(&log->file, log->fd) < 0)
			mu_error_set(&log->error, MU_ERROR_SYSTEM, 0, "%m");
		if (close(log->fd) < 0 && log->error.code == MU_ERROR_NONE)
			mu_error_set(&log->error, MU_ERROR_SYSTEM, 0, "%m");
	}
	log->fd = -1;
	logmerge_fini(m);
}

void datalog_free(struct datalog *log)
{
	if (!log)
		return;
	free(log->name);
	free(log->held);
	free(log);
}
