/* collector_largefile.c -- a large file keeps its contents and size, and no blocks behind its end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/largefile.h"

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
	test_null();
	return done_testing();
}
