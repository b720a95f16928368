/* dat_write.c -- a data file is right in a file, behind other text, in append mode and in a
 * pipe, can be read while it is being written, and a full disk is reported.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/dat.h"

#include <fcntl.h>
#include <unistd.h>

#include "formats/base/tempfile.h"
#include "tests/lib/tap.h"

static const struct dat_totals totals = {
	.heap_peak = 900, .stack_peak = 80, .total_peak = 950, .end = 77,
};

static struct dat_record events[3], back[16];
static struct mu_error err;

static void make_events(void)
{
	for (unsigned i = 0; i < 3; i++)
		events[i] = dat_make(300 * (i + 1), 40 * i, UINT64_C(0x500000000) + i);
}

/* Write the events in two batches. */
static int write_file(int fd, bool is_ns, const struct dat_totals *t)
{
	struct dat_writer w;

	if (dat_create(&w, fd, 7, is_ns, &err) < 0)
		return -1;
	if (dat_append(&w, events, 2, &err) < 0 || dat_append(&w, events + 2, 1, &err) < 0) {
		dat_finish(&w, NULL, NULL);
		return -1;
	}
	return dat_finish(&w, t, &err);
}

/* Compare the file at OFFSET of FD with what was written. */
static void check_file(int fd, off_t offset, bool is_ns, const struct dat_totals *t)
{
	memset(back, 0, sizeof(back));
	EQ_I(pread(fd, back, sizeof(back), offset), 5 * 24);
	EQ_U(back[0].heap, is_ns ? DAT_TAG_NS : 0);
	EQ_U(back[0].stack, t->total_peak);
	EQ_U(dat_time(&back[0]), 7);
	EQ_U(back[1].heap, t->heap_peak);
	EQ_U(back[1].stack, t->stack_peak);
	EQ_U(dat_time(&back[1]), t->end);
	EQ_MEM(back + 2, events, sizeof(events));
}

static void test_files(void)
{
	const struct dat_totals unfinished = { .end = 7 };
	int fd;

	fd = open("plain", O_RDWR | O_CREAT, 0600);
	EQ_I(write_file(fd, true, &totals), 0);
	check_file(fd, 0, true, &totals);
	close(fd);

	fd = open("behind", O_RDWR | O_CREAT, 0600);
	EQ_I(write(fd, "text", 4), 4);
	EQ_I(write_file(fd, false, &totals), 0);
	check_file(fd, 4, false, &totals);
	close(fd);

	fd = open("behind", O_RDWR | O_APPEND);
	EQ_I(write_file(fd, true, &totals), 0);
	check_file(fd, 4 + 5 * 24, true, &totals);
	close(fd);

	fd = open("given-up", O_RDWR | O_CREAT, 0600);
	EQ_I(write_file(fd, false, NULL), 0);
	check_file(fd, 0, false, &unfinished);
	close(fd);
}

/* Whoever looks before the end finds an unfinished file that can be read. */
static void test_during(void)
{
	int fd = open("during", O_RDWR | O_CREAT, 0600);
	struct dat_writer w;
	struct dat_reader r;

	EQ_I(dat_create(&w, fd, 7, true, &err), 0);
	EQ_I(dat_open(&r, fd, &err), 0);
	EQ_U(r.info.repairs, DAT_UNFINISHED);
	EQ_I(dat_append(&w, events, 3, &err), 0);
	EQ_I(dat_open(&r, fd, &err), 0);
	EQ_I(dat_read(&r, back, 16, &err), 3);
	EQ_I(dat_read(&r, back, 16, &err), 0);
	EQ_U(r.info.heap_peak, 900);
	EQ_I(dat_finish(&w, &totals, &err), 0);
	EQ_I(dat_open(&r, fd, &err), 0);
	EQ_U(r.info.repairs, 0);
	EQ_U(r.info.stack_peak, 80);
	close(fd);
}

static void test_pipe(void)
{
	int ends[2], fd = open("from-pipe", O_RDWR | O_CREAT, 0600);

	if (pipe(ends) < 0)
		abort();
	EQ_I(write_file(ends[1], true, &totals), 0);
	close(ends[1]);
	EQ_I(tempfile_copy(ends[0], fd, 5 * 24, &err), 0);
	check_file(fd, 0, true, &totals);
	close(ends[0]);
	close(fd);
}

static void test_failures(void)
{
	int fd = open("/dev/full", O_RDWR), ends[2];

	EQ_I(write_file(fd, true, &totals), -1);
	EQ_I(err.code, MU_ERROR_SYSTEM);
	EQ_S(err.text, "cannot write: No space left on device");
	close(fd);

	fd = open("plain", O_RDONLY);
	EQ_I(write_file(fd, true, &totals), -1);
	EQ_S(err.text, "cannot write: Bad file descriptor");
	close(fd);

	if (pipe(ends) < 0 || write(ends[1], "123456", 6) != 6)
		abort();
	close(ends[1]);
	fd = open("limited", O_RDWR | O_CREAT, 0600);
	EQ_I(tempfile_copy(ends[0], fd, 5, &err), -1);
	EQ_I(err.code, MU_ERROR_SYSTEM);
	close(ends[0]);
	EQ_I(tempfile_copy(-1, fd, 5, &err), -1);
	EQ_I(err.code, MU_ERROR_SYSTEM);
	close(fd);

	setenv("TMPDIR", "/nowhere", 1);
	EQ_I(tempfile_open(&err), -1);
	EQ_S(err.text, "cannot create a temporary file in /nowhere: No such file or directory");
	setenv("TMPDIR", ".", 1);
	fd = tempfile_open(&err);
	OK(fd >= 0, "a spool in TMPDIR");
	EQ_I(tempfile_write(fd, "abc", 3, &err), 0);
	close(fd);
}

int main(void)
{
	make_events();
	test_files();
	test_during();
	test_pipe();
	test_failures();
	return done_testing();
}
