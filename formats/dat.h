/* dat.h -- Reads, repairs in memory and writes the data file of memusage.
 *
 * The file is a row of 24-byte records without any frame around them. The first two are
 * headers, the others one record per event, in the order of the run:
 *
 *	record     heap                stack             time
 *	0          0 or DAT_TAG_NS     peak of the sum   start
 *	1          peak of the heap    peak of stack     end
 *	2, 3, ...  live heap bytes     stack bytes       of the event
 *
 * It has no magic, no version and no byte order mark. During the run both headers are
 * {0, 0, start}; a program that dies leaves them so. glibc's library counts time in ticks of the
 * processor's time-stamp counter and does not write its rate. We count nanoseconds and set the tag,
 * in a word that glibc's memusagestat never reads: both programs read both files.
 *
 * Source  observed files of glibc 2.36 and 2.43; memusage(5).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/base/error.h"

/* One record of the file, in the byte order of the machine that wrote it. The two halves of the
 * time are in this order on every machine. */
struct dat_record {
	uint64_t heap;
	uint64_t stack;
	uint32_t time_low;
	uint32_t time_high;
};

_Static_assert(sizeof(struct dat_record) == 24, "the record of the file has no padding");

enum {
	DAT_RECORD_BYTES = 24,
	DAT_HEADERS = 2,
	DAT_HEADER_BYTES = DAT_HEADERS * DAT_RECORD_BYTES,
};

/* The bytes "MUnsV1\0\0": times are nanoseconds since the start of recording. */
#define DAT_TAG_NS UINT64_C(0x00003156736e554d)

/* dat_time -- the 64-bit time of RECORD. */
static inline uint64_t dat_time(const struct dat_record *record)
{
	return (uint64_t)record->time_high << 32 | record->time_low;
}

/* dat_make -- a record in the byte order of this machine. */
static inline struct dat_record dat_make(uint64_t heap, uint64_t stack, uint64_t time)
{
	return (struct dat_record){
		.heap = heap, .stack = stack,
		.time_low = (uint32_t)time, .time_high = (uint32_t)(time >> 32),
	};
}

/* Defects of a file and how dat_info differs from it. */
enum dat_repair {
	DAT_CUT = 1,		/* the last record was incomplete; left out */
	DAT_UNFINISHED = 2,	/* no final headers: peaks and end are those of the records */
	DAT_EXCEEDED = 4,	/* heap or stack is above the header's peak: raised */
	DAT_TIME = 8,		/* the end was before the start: taken from the records */
};

/* Everything known about the whole file. Fields marked * are final only when dat_read() has
 * reached the end once. */
struct dat_info {
	uint64_t records;	/* events; the two headers are not counted */
	uint64_t heap_peak;	/* * bytes */
	uint64_t stack_peak;	/* * bytes */
	uint64_t total_peak;	/* * bytes: the most that heap and stack had together */
	uint64_t start;		/* ns if is_ns, else ticks of unknown length */
	uint64_t end;		/* * same unit; never before start */
	uint64_t backward;	/* * records whose time is before that of the one before them */
	unsigned cut_bytes;	/* length of the incomplete last record */
	unsigned repairs;	/* * enum dat_repair */
	bool is_ns;
	bool is_swapped;	/* written on a machine of the other byte order */
};

/* A file being read. Private but for `info`. */
struct dat_reader {
	struct dat_info info;
	int fd;
	bool is_first_pass;
	uint64_t next;		/* index of the next record to be read, headers not counted */
	uint64_t max_heap, max_stack, max_total, max_time, last_time;
};

/* dat_open -- judge the headers of a file and get ready to read its events.
 *
 * fd   a regular file, open for reading, borrowed; its position is neither used nor moved.
 *      For pipes see formats/base/tempfile.h.
 * Returns 0, or -1 with ERR:
 *   MU_ERROR_SYSTEM     it cannot be read, or is a pipe, a device or a directory
 *   MU_ERROR_FORMAT     certainly no data file; offset of the byte that proves it
 *   MU_ERROR_TRUNCATED  shorter than the two headers
 * The byte order is taken from the tag, else it is the one in which the first numbers are
 * smaller. Input is hostile: any content gives one of these results.
 */
int dat_open(struct dat_reader *r, int fd, struct mu_error *err);

/* dat_read -- the next events, in file order and in the byte order of this machine.
 *
 * batch  room for MAX records, at least 1; a few thousand make it fast.
 * Returns how many were stored, 0 at the end, -1 with ERR when the file can no longer be read
 * or has been cut since dat_open().
 * The first time it returns 0, info is final: read once to know, again to use.
 */
ssize_t dat_read(struct dat_reader *r, struct dat_record *batch, size_t max,
		 struct mu_error *err);

/* dat_rewind -- let dat_read() begin with the first event again. */
void dat_rewind(struct dat_reader *r);

/* The figures of the final headers. */
struct dat_totals {
	uint64_t heap_peak, stack_peak, total_peak;	/* bytes */
	uint64_t end;					/* in the unit of the records */
};

/* A file being written. Private. */
struct dat_writer {
	int fd;			/* where records go: the output, or the temporary file */
	int output;
	int64_t base;		/* position of the first header */
	bool is_ns;
	bool is_spooled;
	uint64_t start;
};

/* dat_create -- begin a data file at the current position of FD.
 *
 * fd     borrowed. If it is a pipe or in append mode, the records wait in a nameless file
 *        ($TMPDIR), because the headers come first and are known last.
 * start  time of the start; 0 when is_ns and times count from there.
 * is_ns  tag the file: times are nanoseconds.
 * Headers of an unfinished file are written at once, so that the file can be read whatever
 * happens. Returns 0 or -1.
 */
int dat_create(struct dat_writer *w, int fd, uint64_t start, bool is_ns, struct mu_error *err);

/* dat_append -- add COUNT events. Unbuffered: hand over a few thousand at a time. 0 or -1. */
int dat_append(struct dat_writer *w, const struct dat_record *events, size_t count,
	       struct mu_error *err);

/* dat_finish -- Writes the final headers and, from a temporary file, the whole file to its output.
 *
 * totals  NULL gives up: nothing more is written, the file stays readable as unfinished.
 * Returns 0 or -1; W is released in either case. The descriptor stays open.
 */
int dat_finish(struct dat_writer *w, const struct dat_totals *totals, struct mu_error *err);
