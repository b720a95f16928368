/* datalog.c -- Write the event log of one image to a data file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/record/datalog.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "memusage/common/clock.h"

/* Writes end at multiples of 192 KiB of the file, where both records and pages end. A write
 * between such places can bypass the page cache, and even through the cache it costs 1.3 ns per
 * event less. */
enum { ALIGNED = 3 * 65536 / DAT_RECORD_BYTES };

/* Number of events (1.5 MiB) that a large file writes at once, from a huge page if available: a
 * direct write then costs 0.4 to 1 ns per event, and 1.5 to 2 from small pages. */
enum { BATCH = 8 * ALIGNED, BATCH_BYTES = 2 << 20 };

/* Maximum time between two complete states of the file. */
#define FLUSH_NS UINT64_C(100000000)

/* A pass that takes longer while its events are older than this goes on through the page cache,
 * since the disk is slow. */
#define DIRECT_NS UINT64_C(50000000)

/* On a little-endian machine an event has the layout of a record. */
_Static_assert(sizeof(struct log_event) == sizeof(struct dat_record) &&
	       offsetof(struct log_event, time) == offsetof(struct dat_record, time_low) &&
	       __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "events are written as records");

static void keep_first_error(struct datalog *log, const struct mu_error *err)
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
	log->may_hold = config->log_wake_records >= 2 * ALIGNED;
	log->room = ALIGNED;
	if (fd >= 0)
		log->event = xaligned_alloc(MU_PAGE, ALIGNED * sizeof(*log->event));
	if (fd >= 0 && dat_create(&log->writer, fd, 0, true, &err) < 0)
		keep_first_error(log, &err);
	return log;
}

/* Tells whether the disk is too slow. If it is, it counts as slow for the rest of the pass. */
static bool is_disk_behind(struct datalog *log, uint64_t pass_ns)
{
	uint64_t now = clock_now(CLOCK_MONOTONIC);
	uint64_t oldest = log->merge.origin_ns + log->event->time;

	if (now - pass_ns > DIRECT_NS && (int64_t)(now - oldest) > (int64_t)DIRECT_NS)
		log->is_behind = true;
	return log->is_behind;
}

/* Returns the number of events that were written past the page cache. */
static size_t write_direct(struct datalog *log, size_t count, uint64_t pass_ns)
{
	uint64_t at = (log->written + DAT_HEADERS) * DAT_RECORD_BYTES;
	size_t size = count * DAT_RECORD_BYTES, done;

	if (is_disk_behind(log, pass_ns))
		return 0;
	done = largefile_direct(&log->file, log->fd, at, log->event, size);
	/* A full disk may cut a record, which is then written again as a whole. */
	if (done % DAT_RECORD_BYTES != 0)
		lseek(log->fd, -(off_t)(done % DAT_RECORD_BYTES), SEEK_CUR);
	return done / DAT_RECORD_BYTES;
}

/* Counts the COUNT events after the first DONE that a failed write has not written. Some may be in
 * the file. */
static size_t count_lost(const struct datalog *log, size_t done, size_t count)
{
	uint64_t from = (log->written + DAT_HEADERS + done) * DAT_RECORD_BYTES;
	off_t at = lseek(log->writer.fd, 0, SEEK_CUR) - log->writer.base;
	uint64_t more = at > (off_t)from ? ((uint64_t)at - from) / DAT_RECORD_BYTES : 0;

	return more < count ? count - more : 0;
}

/* Writes the first COUNT events. A full disk does not end the drain: the program would wait for
 * room that never comes. */
static void write_events(struct datalog *log, size_t count, uint64_t pass_ns)
{
	const struct dat_record *records = (const struct dat_record *)log->event;
	uint64_t end = (log->written + DAT_HEADERS + count) * DAT_RECORD_BYTES;
	struct mu_error err;
	size_t done;

	if (count == 0)
		return;
	largefile_grow(&log->file, log->fd, end);
	if (log->error.code != MU_ERROR_NONE) {
		log->lost += count;
	} else {
		done = write_direct(log, count, pass_ns);
		if (dat_append(&log->writer, records + done, count - done, &err) < 0) {
			keep_first_error(log, &err);
			log->lost += count_lost(log, done, count - done);
		} else {
			largefile_wrote(&log->file, log->fd, end);
		}
	}
	log->written += count;
	log->count -= count;
	memmove(log->event, log->event + count, log->count * sizeof(*log->event));
}

_Static_assert(BATCH * sizeof(struct log_event) <= BATCH_BYTES, "a batch has room");

/* The kernel takes a while to make a huge page, so only large files get one. */
static void enlarge_buffer(struct datalog *log)
{
	struct log_event *bigger;

	if (log->room == BATCH ||
	    !largefile_is_large((log->written + DAT_HEADERS) * DAT_RECORD_BYTES))
		return;
	bigger = xaligned_alloc(BATCH_BYTES, BATCH_BYTES);
	madvise(bigger, BATCH_BYTES, MADV_HUGEPAGE);
	memcpy(bigger, log->event, log->count * sizeof(*bigger));
	free(log->event);
	log->event = bigger;
	log->room = BATCH;
}

/* Writes the events up to the last aligned place of the file, in two parts if the file is not
 * aligned now. */
static void write_aligned(struct datalog *log, uint64_t pass_ns)
{
	size_t head = ALIGNED - (log->written + DAT_HEADERS) % ALIGNED;

	if (head > log->count)
		return;
	if (head < ALIGNED)
		write_events(log, head, pass_ns);
	write_events(log, log->count / ALIGNED * ALIGNED, pass_ns);
}

void datalog_drain(struct datalog *log, struct image *im, const struct log_clock *clock,
		   bool is_dead)
{
	bool all = is_dead || !log->may_hold || clock->ns - log->flushed_ns >= FLUSH_NS;
	size_t more;

	if (log->fd < 0) {
		logmerge_discard(&log->merge, im);
		return;
	}
	if (logmerge_begin(&log->merge, im, clock, is_dead) < 0)
		return;
	log->is_behind = false;
	while ((more = logmerge_read(&log->merge, im, log->event + log->count,
				     log->room - log->count)) > 0) {
		log->count += more;
		if (log->count < log->room)
			continue;
		write_aligned(log, clock->ns);
		enlarge_buffer(log);
	}
	if (!all)
		return;
	write_aligned(log, clock->ns);
	write_events(log, log->count, clock->ns);
	log->flushed_ns = clock->ns;
}

/* A disk that became full may have cut the last record, and glibc's memusagestat accepts only files
 * of whole records. */
static void drop_partial_record(const struct datalog *log)
{
	struct stat st;
	int ignored;

	if (log->writer.is_spooled || log->writer.base != 0 || fstat(log->fd, &st) < 0 ||
	    !S_ISREG(st.st_mode))
		return;
	ignored = ftruncate(log->fd, st.st_size - st.st_size % DAT_RECORD_BYTES);
	(void)ignored;
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
		if (log->error.code != MU_ERROR_NONE)
			drop_partial_record(log);
		if (dat_finish(&log->writer, &totals, &err) < 0)
			keep_first_error(log, &err);
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
	free(log->event);
	free(log);
}
