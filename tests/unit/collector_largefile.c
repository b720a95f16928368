/* collector_largefile.c -- a large file keeps its contents and size, and no blocks behind its end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/record/largefile.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/tap.h"

/* Not a divisor of anything: pieces are begun and dropped in the middle of writes. */
enum { WORDS = 24571, WRITES = 150 };

static uint64_t words[WORDS];

static void fill(uint64_t from)
{
	for (size_t i = 0; i < WORDS; i++)
		words[i] = from + i;
}

/* Returns the bytes that it wrote. */
static uint64_t write_all(struct largefile *f, int fd)
{
	uint64_t end = 0;

	for (int i = 0; i < WRITES; i++) {
		fill(end / sizeof(words[0]));
		largefile_grow(f, fd, end + sizeof(words));
		if (write(fd, words, sizeof(words)) != (ssize_t)sizeof(words))
			break;
		end += sizeof(words);
		largefile_wrote(f, fd, end);
	}
	return end;
}

static uint64_t count_wrong(int fd)
{
	uint64_t wrong = 0, next = 0;
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, words, sizeof(words))) > 0)
		for (size_t i = 0; i < (size_t)n / sizeof(words[0]); i++)
			wrong += words[i] != next++;
	return wrong;
}

static void test_file(void)
{
	char name[] = "large.XXXXXX";
	struct largefile f = { 0 };
	int fd = mkstemp(name);
	struct stat st;
	uint64_t end;

	OK(fd >= 0, "a file");
	unlink(name);
	end = write_all(&f, fd);
	EQ_U(end, sizeof(words) * WRITES);
	EQ_I(largefile_end(&f, fd), 0);
	EQ_I(fsync(fd), 0);
	EQ_I(fstat(fd, &st), 0);
	EQ_U((uint64_t)st.st_size, end);
	EQ_U(count_wrong(fd), 0);
	/* What was taken in advance was 64 MiB. */
	OK((uint64_t)st.st_blocks * 512 < end + (UINT64_C(8) << 20), "blocks behind the end");
	close(fd);
}

/* Whether files here can be written past the page cache. */
static bool can_be_direct(const void *page)
{
	int fd = open(".", O_TMPFILE | O_RDWR | O_DIRECT, 0600);
	bool can = fd >= 0 && write(fd, page, 4096) == 4096;

	if (fd >= 0)
		close(fd);
	return can;
}

/* Every other piece goes past the page cache, where the file system lets it. */
static void test_direct(void)
{
	char name[] = "direct.XXXXXX";
	struct largefile f = { 0 };
	int fd = mkstemp(name);
	uint64_t at = 0, direct = 0;
	uint64_t *page = aligned_alloc(4096, 1 << 20);

	unlink(name);
	for (int i = 0; i < 16; i++) {
		size_t done = 0;

		for (size_t k = 0; k < (1 << 20) / sizeof(*page); k++)
			page[k] = at / sizeof(*page) + k;
		if (i % 2)
			done = largefile_direct(&f, fd, at, page, 1 << 20);
		direct += done;
		EQ_I(write(fd, (char *)page + done, (1 << 20) - done), (1 << 20) - (int)done);
		at += 1 << 20;
	}
	EQ_I(fcntl(fd, F_GETFL) & O_DIRECT, 0);
	EQ_U(count_wrong(fd), 0);
	if (!can_be_direct(page))
		skip("this file system wants the page cache");
	else
		EQ_U(direct, UINT64_C(7) << 20);
	/* Neither where a record ends in a page, nor what is no file. */
	EQ_U(largefile_direct(&f, fd, at + 24, page, 4096), 0);
	free(page);
	close(fd);
}

static void test_pipe(void)
{
	static _Alignas(4096) char page[4096];
	struct largefile f = { 0 };
	int fd[2];

	EQ_I(pipe(fd), 0);
	EQ_U(largefile_direct(&f, fd[1], UINT64_C(1) << 30, page, sizeof(page)), 0);
	IS_TRUE(f.not_direct);
	EQ_I(fcntl(fd[1], F_GETFL) & O_DIRECT, 0);
	close(fd[0]);
	close(fd[1]);
}

/* What is no file on a disk takes everything in silence. */
static void test_null(void)
{
	struct largefile f = { 0 };
	int fd = open("/dev/null", O_WRONLY);

	EQ_U(write_all(&f, fd), sizeof(words) * WRITES);
	EQ_I(largefile_end(&f, fd), 0);
	EQ_U(f.started, UINT64_MAX);
	close(fd);
}

int main(void)
{
	test_file();
	test_direct();
	test_pipe();
	test_null();
	return done_testing();
}
