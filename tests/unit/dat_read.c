/* dat_read.c -- whatever a data file holds, it is read, repaired in memory or refused clearly.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/dat.h"

#include <byteswap.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/lib/tap.h"

enum { EVENTS = 5 };

static struct dat_record file[DAT_HEADERS + EVENTS];
static struct dat_record got[100];
static struct dat_reader r;
static struct mu_error err;

/* A run of five events from tick 1000 to tick 2000. */
static void make_file(uint64_t tag)
{
	static const uint64_t heap[EVENTS] = { 100, 300, 200, 500, 0 };
	static const uint64_t stack[EVENTS] = { 16, 64, 32, 48, 16 };

	file[0] = dat_make(tag, 548, 1000);
	file[1] = dat_make(500, 64, 2000);
	for (unsigned i = 0; i < EVENTS; i++)
		file[DAT_HEADERS + i] = dat_make(heap[i], stack[i], 1100 + 200 * i);
}

static int fd_of(const void *data, size_t size)
{
	int fd = memfd_create("dat", 0);

	if (write(fd, data, size) != (ssize_t)size)
		abort();
	return fd;
}

/* Open SIZE bytes of FILE and read them to the end, in batches of BATCH; returns the number of
 * events or -1. */
static int read_all(size_t size, size_t batch)
{
	int fd = fd_of(file, size), count = 0;
	ssize_t n = 0;

	memset(&err, 0, sizeof(err));
	if (dat_open(&r, fd, &err) < 0) {
		close(fd);
		return -1;
	}
	while (count < 50 && (n = dat_read(&r, got + count, batch, &err)) > 0)
		count += (int)n;
	close(fd);
	return n < 0 ? -1 : count;
}

static void test_finished(void)
{
	for (size_t batch = 1; batch < 8; batch++) {
		make_file(0);
		EQ_I(read_all(sizeof(file), batch), EVENTS);
		EQ_MEM(got, file + DAT_HEADERS, EVENTS * sizeof(*got));
		EQ_U(r.info.repairs, 0);
	}
	EQ_U(r.info.records, EVENTS);
	EQ_U(r.info.heap_peak, 500);
	EQ_U(r.info.stack_peak, 64);
	EQ_U(r.info.total_peak, 548);
	EQ_U(r.info.start, 1000);
	EQ_U(r.info.end, 2000);
	EQ_U(r.info.backward, 0);
	IS_FALSE(r.info.is_ns);
	make_file(DAT_TAG_NS);
	EQ_I(read_all(sizeof(file), 3), EVENTS);
	IS_TRUE(r.info.is_ns);
	EQ_MEM("MUnsV1\0", file, 8);
}

static void test_lengths(void)
{
	for (size_t size = 0; size <= sizeof(file); size++) {
		int want = size < DAT_HEADER_BYTES ? -1 : (int)(size / 24) - DAT_HEADERS;

		make_file(0);
		if (!OK(read_all(size, 2) == want, "%zu bytes", size))
			diag("%s", err.text);
		if (want < 0) {
			EQ_I(err.code, MU_ERROR_TRUNCATED);
			EQ_U(err.offset, size);
		} else {
			EQ_U(r.info.cut_bytes, size % 24);
			EQ_U(r.info.repairs, size % 24 ? DAT_CUT : 0);
		}
	}
}

static void test_repairs(void)
{
	make_file(0);
	file[0] = file[1] = dat_make(0, 0, 1000);
	EQ_I(read_all(sizeof(file), 2), EVENTS);
	EQ_U(r.info.repairs, DAT_UNFINISHED);
	EQ_U(r.info.heap_peak, 500);
	EQ_U(r.info.stack_peak, 64);
	EQ_U(r.info.total_peak, 548);
	EQ_U(r.info.end, 1900);

	EQ_I(read_all(DAT_HEADER_BYTES, 2), 0);
	EQ_U(r.info.repairs, DAT_UNFINISHED);
	EQ_U(r.info.end, 1000);

	make_file(0);
	file[0] = dat_make(0, 0, 1000);
	file[1] = dat_make(0, 0, 2000);
	EQ_I(read_all(DAT_HEADER_BYTES, 2), 0);
	EQ_U(r.info.repairs, 0);

	make_file(0);
	file[1] = dat_make(400, 64, 2000);
	read_all(sizeof(file), 2);
	EQ_U(r.info.repairs, DAT_EXCEEDED);
	EQ_U(r.info.heap_peak, 500);

	make_file(0);
	file[1] = dat_make(500, 64, 999);
	read_all(sizeof(file), 2);
	EQ_U(r.info.repairs, DAT_TIME);
	EQ_U(r.info.end, 1900);

	make_file(0);
	file[4] = dat_make(200, 32, 0);
	read_all(sizeof(file), 2);
	EQ_U(r.info.backward, 1);
	EQ_U(r.info.end, 2000);
}

static void swap_file(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		file[i].heap = bswap_64(file[i].heap);
		file[i].stack = bswap_64(file[i].stack);
		file[i].time_low = bswap_32(file[i].time_low);
		file[i].time_high = bswap_32(file[i].time_high);
	}
}

/* With and without the tag, finished and not, from no event on. */
static void test_swapped(void)
{
	for (unsigned i = 0; i < 16; i++) {
		size_t count = i & 1 ? DAT_HEADERS + EVENTS : DAT_HEADERS;
		bool is_ns = i & 2, is_finished = i & 4;

		make_file(is_ns ? DAT_TAG_NS : 0);
		if (!is_finished)
			file[0] = file[1] = dat_make(is_ns ? DAT_TAG_NS : 0, 0, 1000);
		if (!is_finished)
			file[1].heap = 0;
		if (i & 8)
			swap_file(count);
		EQ_I(read_all(count * 24, 4), (int)count - DAT_HEADERS);
		/* Two equal times and nothing else look the same in both orders. */
		if (count > DAT_HEADERS || is_ns || is_finished) {
			EQ_I(r.info.is_swapped, (i & 8) != 0);
			EQ_U(r.info.start, 1000);
			EQ_U(r.info.heap_peak, count > DAT_HEADERS || is_finished ? 500 : 0);
		}
	}
}

static void test_garbage(void)
{
	static const char text[200] = "#!/bin/sh\nthis is a script, not a data file\n";
	uint64_t seed = 1;
	int refused = 0;

	memcpy(file, text, sizeof(file));
	EQ_I(read_all(sizeof(file), 4), -1);
	EQ_I(err.code, MU_ERROR_FORMAT);
	EQ_U(err.offset, 0);
	EQ_I(read_all(8, 4), -1);
	EQ_I(err.code, MU_ERROR_FORMAT);
	memset(file, 0, sizeof(file));
	EQ_I(read_all(sizeof(file), 4), -1);
	EQ_I(err.code, MU_ERROR_FORMAT);
	EQ_U(err.offset, 47);
	for (int i = 0; i < 1000; i++) {
		for (size_t k = 0; k < sizeof(file); k++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
			((char *)file)[k] = (char)(seed >> 56);
		}
		refused += read_all(sizeof(file), 7) < 0;
	}
	EQ_I(refused, 1000);
}

static void test_descriptors(void)
{
	int ends[2], fd;

	if (pipe(ends) < 0)
		abort();
	EQ_I(dat_open(&r, ends[0], &err), -1);
	EQ_I(err.code, MU_ERROR_SYSTEM);
	close(ends[0]);
	close(ends[1]);
	EQ_I(dat_open(&r, ends[0], NULL), -1);
	fd = open("/", O_RDONLY);
	EQ_I(dat_open(&r, fd, &err), -1);
	EQ_I(err.code, MU_ERROR_SYSTEM);
	close(fd);

	make_file(0);
	fd = fd_of(file, sizeof(file));
	EQ_I(dat_open(&r, fd, &err), 0);
	EQ_I(dat_read(&r, got, 2, &err), 2);
	EQ_I(ftruncate(fd, 48 + 2 * 24 + 5), 0);
	EQ_I(dat_read(&r, got, 9, &err), -1);
	EQ_I(err.code, MU_ERROR_TRUNCATED);
	EQ_U(err.offset, 48 + 2 * 24 + 5);
	EQ_I(lseek(fd, 0, SEEK_CUR), (int)sizeof(file));
	close(fd);
}

static void test_rewind(void)
{
	int fd;

	make_file(0);
	fd = fd_of(file, sizeof(file));
	EQ_I(dat_open(&r, fd, &err), 0);
	for (int pass = 0; pass < 3; pass++) {
		memset(got, 0, sizeof(got));
		EQ_I(dat_read(&r, got, 100, &err), EVENTS);
		EQ_I(dat_read(&r, got + EVENTS, 100, &err), 0);
		EQ_MEM(got, file + DAT_HEADERS, EVENTS * sizeof(*got));
		dat_rewind(&r);
	}
	close(fd);
}

int main(void)
{
	test_finished();
	test_lengths();
	test_repairs();
	test_swapped();
	test_garbage();
	test_descriptors();
	test_rewind();
	return done_testing();
}
