/* dat.c -- the data file of memusage: read, repair in memory, write.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/dat.h"

#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/tempfile.h"
#include "profile/base/file.h"

/* Events looked at to tell the byte order. */
enum { SAMPLE = 64 };

/* ---- reading ----------------------------------------------------------------------------- */

static void swap_record_bytes(struct dat_record *record, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		record[i].heap = bswap_64(record[i].heap);
		record[i].stack = bswap_64(record[i].stack);
		record[i].time_low = bswap_32(record[i].time_low);
		record[i].time_high = bswap_32(record[i].time_high);
	}
}

/* Fill DATA from OFFSET; returns the bytes there are, or -1. */
static ssize_t read_at_offset(int fd, void *data, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, (char *)data + done, size - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

static unsigned significant_bits(uint64_t value)
{
	return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

/* How long the numbers of RECORD are, read as they are: peaks, sizes, and times as distances
 * from the start. Bytes in the wrong order make small numbers huge. */
static unsigned number_length(const struct dat_record *record, size_t count)
{
	uint64_t heap = 0, stack = 0, distance = 0;
	uint64_t start = dat_time(&record[0]);

	for (size_t i = 1; i < count; i++) {
		uint64_t time = dat_time(&record[i]);

		heap |= record[i].heap;
		stack |= record[i].stack;
		distance |= time < start ? start - time : time - start;
	}
	return significant_bits(heap) + significant_bits(stack | record[0].stack) +
	       significant_bits(distance);
}

static bool has_swapped_bytes(const struct dat_record *record, size_t count)
{
	struct dat_record swapped[DAT_HEADERS + SAMPLE];

	if (record[0].heap != 0)
		return record[0].heap == bswap_64(DAT_TAG_NS);
	memcpy(swapped, record, count * sizeof(*record));
	swap_record_bytes(swapped, count);
	return number_length(swapped, count) < number_length(record, count);
}

/* The header pair as dat_info, before any event was looked at. */
static void read_header_fields(struct dat_reader *r, const struct dat_record header[DAT_HEADERS])
{
	struct dat_info *info = &r->info;

	info->is_ns = header[0].heap == DAT_TAG_NS;
	info->total_peak = header[0].stack;
	info->heap_peak = header[1].heap;
	info->stack_peak = header[1].stack;
	info->start = dat_time(&header[0]);
	info->end = dat_time(&header[1]);
	/* A program that never allocates ends with peaks of 0, but later than it started. */
	if (info->heap_peak == 0 && info->stack_peak == 0 && info->end == info->start)
		info->repairs |= DAT_UNFINISHED;
	else if (info->end < info->start)
		info->repairs |= DAT_TIME;
	if (info->end < info->start)
		info->end = info->start;
}

/* LENGTH bytes of the file are in HEADER, followed by zeros. */
static int check_headers(const struct dat_record header[DAT_HEADERS], size_t length,
			 struct mu_error *err)
{
	static const struct dat_record nothing[DAT_HEADERS];
	uint64_t tag = header[0].heap;

	if (length >= sizeof(tag) && tag != 0 && tag != DAT_TAG_NS &&
	    tag != bswap_64(DAT_TAG_NS))
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "not a memusage data file");
	if (length < DAT_HEADER_BYTES)
		return mu_error_set(err, MU_ERROR_TRUNCATED, length,
				    "too short for a memusage data file: its headers take %d bytes",
				    DAT_HEADER_BYTES);
	/* Every run has a time at which it started. */
	if (memcmp(header, nothing, sizeof(nothing)) == 0)
		return mu_error_set(err, MU_ERROR_FORMAT, DAT_HEADER_BYTES - 1,
				    "not a memusage data file: the headers are all zero");
	return 0;
}

int dat_open(struct dat_reader *r, int fd, struct mu_error *err)
{
	struct dat_record sample[DAT_HEADERS + SAMPLE] = { 0 };
	struct stat st;
	ssize_t n;

	*r = (struct dat_reader){ .fd = fd, .is_first_pass = true };
	if (fstat(fd, &st) < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot read: %m");
	if (!S_ISREG(st.st_mode))
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "not a regular file");
	n = read_at_offset(fd, sample, sizeof(sample), 0);
	if (n < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot read: %m");
	/* A file that grows while we look at it is as long as it was at the start. */
	if (n > st.st_size)
		n = st.st_size;
	if (check_headers(sample, (size_t)n, err) < 0)
		return -1;
	r->info.is_swapped = has_swapped_bytes(sample, (size_t)n / DAT_RECORD_BYTES);
	if (r->info.is_swapped)
		swap_record_bytes(sample, DAT_HEADERS);
	r->info.records = (uint64_t)st.st_size / DAT_RECORD_BYTES - DAT_HEADERS;
	r->info.cut_bytes = (unsigned)(st.st_size % DAT_RECORD_BYTES);
	if (r->info.cut_bytes)
		r->info.repairs |= DAT_CUT;
	read_header_fields(r, sample);
	r->last_time = r->info.start;
	return 0;
}

/* Kept in locals: the compiler cannot see that the records do not overlap the reader. */
static void update_maxima(struct dat_reader *r, const struct dat_record *record, size_t count)
{
	uint64_t heap = r->max_heap, stack = r->max_stack, total = r->max_total;
	uint64_t latest = r->max_time, last = r->last_time, backward = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t time = dat_time(&record[i]);
		uint64_t sum = record[i].heap + record[i].stack;

		heap = record[i].heap > heap ? record[i].heap : heap;
		stack = record[i].stack > stack ? record[i].stack : stack;
		total = sum > total ? sum : total;
		latest = time > latest ? time : latest;
		backward += time < last;
		last = time;
	}
	r->max_heap = heap;
	r->max_stack = stack;
	r->max_total = total;
	r->max_time = latest;
	r->last_time = last;
	r->info.backward += backward;
}

/* All events have been seen: complete what the headers lack.
 *
 * Only a peak of the sum may be below the records without anything being wrong: glibc's
 * library reads the heap again when it stores a record, and another thread may have changed
 * it since the peak was taken. */
static void complete_header(struct dat_reader *r)
{
	struct dat_info *info = &r->info;

	r->is_first_pass = false;
	if (info->repairs & (DAT_UNFINISHED | DAT_TIME) && r->max_time > info->end)
		info->end = r->max_time;
	if (!(info->repairs & DAT_UNFINISHED) &&
	    (r->max_heap > info->heap_peak || r->max_stack > info->stack_peak))
		info->repairs |= DAT_EXCEEDED;
	if (r->max_heap > info->heap_peak)
		info->heap_peak = r->max_heap;
	if (r->max_stack > info->stack_peak)
		info->stack_peak = r->max_stack;
	if (r->max_total > info->total_peak)
		info->total_peak = r->max_total;
}

ssize_t dat_read(struct dat_reader *r, struct dat_record *batch, size_t max,
		 struct mu_error *err)
{
	uint64_t left = r->info.records - r->next;
	uint64_t offset = DAT_HEADER_BYTES + r->next * DAT_RECORD_BYTES;
	size_t count = left < max ? (size_t)left : max;
	ssize_t n;

	if (count == 0) {
		if (r->is_first_pass)
			complete_header(r);
		return 0;
	}
	n = read_at_offset(r->fd, batch, count * sizeof(*batch), offset);
	if (n < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, offset, "cannot read: %m");
	if ((size_t)n < count * sizeof(*batch))
		return mu_error_set(err, MU_ERROR_TRUNCATED, offset + (uint64_t)n,
				    "the file was cut while it was read");
	if (r->info.is_swapped)
		swap_record_bytes(batch, count);
	if (r->is_first_pass)
		update_maxima(r, batch, count);
	r->next += count;
	return (ssize_t)count;
}

void dat_rewind(struct dat_reader *r)
{
	r->next = 0;
}

/* ---- writing ----------------------------------------------------------------------------- */

static int write_headers(struct dat_writer *w, const struct dat_totals *totals,
			 struct mu_error *err)
{
	const struct dat_record header[DAT_HEADERS] = {
		dat_make(w->is_ns ? DAT_TAG_NS : 0, totals->total_peak, w->start),
		dat_make(totals->heap_peak, totals->stack_peak, totals->end),
	};

	if (!file_write_at(w->fd, header, sizeof(header), (uint64_t)w->base))
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot write: %m");
	return 0;
}

/* The position of FD if headers can be rewritten there later, else -1: Linux's pwrite()
 * appends, whatever the offset, when the file is in append mode. */
static off_t writable_position(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || flags & O_APPEND)
		return -1;
	return lseek(fd, 0, SEEK_CUR);
}

int dat_create(struct dat_writer *w, int fd, uint64_t start, bool is_ns, struct mu_error *err)
{
	const struct dat_totals unfinished = { .end = start };

	*w = (struct dat_writer){ .fd = fd, .output = fd, .start = start, .is_ns = is_ns };
	w->base = writable_position(fd);
	if (w->base < 0) {
		w->base = 0;
		w->is_spooled = true;
		w->fd = tempfile_open(err);
		if (w->fd < 0)
			return -1;
	}
	if (write_headers(w, &unfinished, err) == 0 &&
	    lseek(w->fd, w->base + DAT_HEADER_BYTES, SEEK_SET) >= 0)
		return 0;
	if (w->is_spooled)
		close(w->fd);
	return -1;
}

int dat_append(struct dat_writer *w, const struct dat_record *events, size_t count,
	       struct mu_error *err)
{
	return tempfile_write(w->fd, events, count * sizeof(*events), err);
}

int dat_finish(struct dat_writer *w, const struct dat_totals *totals, struct mu_error *err)
{
	int result = totals ? write_headers(w, totals, err) : 0;

	if (!w->is_spooled)
		return result;
	if (result == 0 && lseek(w->fd, 0, SEEK_SET) < 0)
		result = mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot rewind: %m");
	if (result == 0)
		result = tempfile_copy(w->fd, w->output, UINT64_MAX, err);
	close(w->fd);
	return result;
}
