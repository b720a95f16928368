/* textfile.c -- lines of a file come out whole, however long; what cannot be read is said.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/textfile.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/lib/tap.h"

static struct textfile in;
static struct mu_error err;
static int fd = -1;

static void open_bytes(const void *data, size_t size)
{
	const char *beginning;

	close(fd);
	fd = memfd_create("text", 0);
	if (write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)
		abort();
	EQ_I(textfile_open(&in, fd, &err), 0);
	EQ_I(textfile_peek(&in, &beginning, &err),
	     (int64_t)(size < TEXTFILE_PEEK_MAX ? size : TEXTFILE_PEEK_MAX));
	EQ_MEM(beginning, data, size < TEXTFILE_PEEK_MAX ? size : TEXTFILE_PEEK_MAX);
}

static void test_lines(void)
{
	open_bytes("one\n\r\ntwo\r\n\nend", 16);
	EQ_I(textfile_line(&in, &err), 1);
	EQ_U(in.length, 3);
	EQ_MEM(in.line, "one", 3);
	EQ_U(in.number, 1);
	EQ_I(textfile_line(&in, &err), 1);
	EQ_U(in.length, 0);
	EQ_I(textfile_line(&in, &err), 1);
	EQ_U(in.length, 3);
	EQ_U(in.offset, 6);
	EQ_I(textfile_line(&in, &err), 1);
	EQ_U(in.length, 0);
	IS_TRUE(in.has_end);
	EQ_I(textfile_line(&in, &err), 1);
	EQ_MEM(in.line, "end", 3);
	IS_FALSE(in.has_end);
	EQ_U(in.number, 5);
	EQ_I(textfile_line(&in, &err), 0);
	EQ_I(textfile_line(&in, &err), 0);
	textfile_close(&in);
	textfile_close(&in);
}

static void test_longest(void)
{
	char *text = malloc(TEXTFILE_LINE_MAX + 2);

	memset(text, 'x', TEXTFILE_LINE_MAX + 2);
	text[TEXTFILE_LINE_MAX] = '\n';
	open_bytes(text, TEXTFILE_LINE_MAX + 2);
	EQ_I(textfile_line(&in, &err), 1);
	EQ_U(in.length, TEXTFILE_LINE_MAX);
	EQ_I(textfile_line(&in, &err), 1);
	EQ_U(in.length, 1);
	textfile_close(&in);
	text[TEXTFILE_LINE_MAX] = 'x';
	text[TEXTFILE_LINE_MAX + 1] = '\n';
	open_bytes(text, TEXTFILE_LINE_MAX + 2);
	EQ_I(textfile_line(&in, &err), -1);
	EQ_U(err.code, MU_ERROR_FORMAT);
	textfile_close(&in);
	free(text);
}

static void test_unreadable(void)
{
	int folder = open("/", O_RDONLY);

	EQ_I(textfile_open(&in, -1, &err), -1);
	EQ_U(err.code, MU_ERROR_SYSTEM);
	textfile_close(&in);
	EQ_I(textfile_open(&in, folder, &err), 0);
	EQ_I(textfile_line(&in, &err), -1);
	EQ_S(err.text, "is a directory");
	textfile_close(&in);
	close(folder);
}

int main(void)
{
	test_lines();
	test_longest();
	test_unreadable();
	return done_testing();
}
