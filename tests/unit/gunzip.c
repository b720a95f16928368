/* gunzip.c -- compressed files come out whole, and no file that is cut short or damaged as whole.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/gunzip.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "tests/lib/tap.h"

enum { TEXT_BYTES = 300000, ZEROS = 200 << 20 };

static struct mu_error err;
static size_t forgotten;		/* errors that did not come again */
static unsigned char text[TEXT_BYTES];
static unsigned char read_back[2 * TEXT_BYTES];

static void fill_text(void)
{
	unsigned state = 1;

	for (size_t i = 0; i < TEXT_BYTES; i++) {
		state = state * 1103515245 + 12345;
		text[i] = "0123456789abcdef"[state >> 28];
	}
}

/* Compresses SIZE bytes of the text as one member; returns the member's size. */
static size_t compress_text(size_t size, unsigned char *member, size_t room)
{
	z_stream z = { .next_in = text, .avail_in = (unsigned)size,
		       .next_out = member, .avail_out = (unsigned)room };

	if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK ||
	    deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	deflateEnd(&z);
	return z.total_out;
}

static int store_bytes(const void *data, size_t size)
{
	int fd = memfd_create("file", 0);

	if (write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)
		abort();
	return fd;
}

/* Reads all in pieces of SIZE bytes to read_back[]; returns the count, ERR.code is 0 at a good end. */
static size_t read_all(int fd, size_t size, bool *is_compressed)
{
	struct gunzip *g = gunzip_open(fd, &err);
	size_t count = 0;
	ssize_t n;

	err.code = 0;
	while ((n = gunzip_read(g, read_back + count, size, &err)) > 0)
		count += (size_t)n;
	if (n < 0 && gunzip_read(g, read_back + count, size, &err) != -1)
		forgotten++;
	*is_compressed = gunzip_is_compressed(g);
	gunzip_close(g);
	close(fd);
	return count;
}

static void test_whole(void)
{
	static unsigned char file[TEXT_BYTES + 64];
	static const size_t sizes[] = { 1, 7, 4096, 65536, sizeof(read_back) / 2 };
	size_t size = compress_text(TEXT_BYTES, file, sizeof(file));
	bool is_compressed;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		EQ_U(read_all(store_bytes(file, size), sizes[i], &is_compressed), TEXT_BYTES);
		EQ_U(err.code, 0);
		IS_TRUE(is_compressed);
		EQ_MEM(read_back, text, TEXT_BYTES);
		EQ_U(read_all(store_bytes(text, TEXT_BYTES), sizes[i], &is_compressed), TEXT_BYTES);
		EQ_U(err.code, 0);
		IS_FALSE(is_compressed);
		EQ_MEM(read_back, text, TEXT_BYTES);
	}
	for (size = 0; size < 3; size++) {
		EQ_U(read_all(store_bytes("\x1f\x8c", size), 10, &is_compressed), size);
		EQ_U(err.code, 0);
		IS_FALSE(is_compressed);
	}
}

static void test_members(void)
{
	unsigned char file[3000];
	size_t first = compress_text(1000, file, sizeof(file));
	size_t size = first + compress_text(0, file + first, sizeof(file) - first);
	bool is_compressed;

	size += compress_text(500, file + size, sizeof(file) - size);
	EQ_U(read_all(store_bytes(file, size), 333, &is_compressed), 1500);
	EQ_U(err.code, 0);
	EQ_MEM(read_back, text, 1000);
	EQ_MEM(read_back + 1000, text, 500);
	memset(file + size, 0, 40);		/* as tapes have it */
	EQ_U(read_all(store_bytes(file, size + 40), 333, &is_compressed), 1500);
	EQ_U(err.code, 0);
	memcpy(file + size, "more", 4);
	EQ_U(read_all(store_bytes(file, size + 4), 333, &is_compressed), 1500);
	EQ_U(err.code, 0);
}

/* All beginnings of two members, but the ones that end with a whole member, are cut short. */
static void test_cut(void)
{
	unsigned char file[3000];
	size_t first = compress_text(1000, file, sizeof(file));
	size_t size = first + compress_text(500, file + first, sizeof(file) - first);
	size_t bad = 0;
	bool is_compressed;

	for (size_t cut = 2; cut < size; cut++) {
		size_t count = read_all(store_bytes(file, cut), 333, &is_compressed);
		enum mu_error_code expected = cut == first ? 0 : MU_ERROR_TRUNCATED;

		if (err.code != expected || !is_compressed || (cut >= first && count < 1000) ||
		    memcmp(read_back, text, count < 1000 ? count : 1000) != 0) {
			printf("# cut at %zu: %zu bytes, error %d\n", cut, count, (int)err.code);
			bad++;
		}
	}
	EQ_U(bad, 0);
}

/* With any bit changed the text is the same, or there is an error. */
static void test_damaged(void)
{
	unsigned char file[3000];
	size_t size = compress_text(1000, file, sizeof(file));
	size_t bad = 0;
	bool is_compressed;

	for (size_t bit = 0; bit < size * 8; bit++) {
		size_t count;

		file[bit / 8] ^= (unsigned char)(1 << bit % 8);
		count = read_all(store_bytes(file, size), 333, &is_compressed);
		if (is_compressed && err.code == 0 &&
		    (count != 1000 || memcmp(read_back, text, 1000) != 0)) {
			printf("# bit %zu: %zu bytes\n", bit, count);
			bad++;
		}
		file[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
	EQ_U(bad, 0);
}

/* Writes SIZE bytes to a pipe from a child, PIECE at a time; returns the pipe's end to read. */
static int write_to_pipe(const unsigned char *data, size_t size, size_t piece)
{
	int ends[2];

	if (pipe(ends) < 0)
		abort();
	if (fork() == 0) {
		close(ends[0]);
		for (size_t at = 0; at < size; at += piece)
			if (write(ends[1], data + at, piece < size - at ? piece : size - at) < 0)
				_exit(1);
		_exit(0);
	}
	close(ends[1]);
	return ends[0];
}

static void test_pipes(void)
{
	static unsigned char zeros[ZEROS >> 8];
	static unsigned char file[ZEROS >> 8];
	z_stream z = { .next_out = file, .avail_out = sizeof(file) };
	size_t size = compress_text(3000, file, sizeof(file));
	struct gunzip *g;
	uint64_t count = 0;
	ssize_t n;
	bool is_compressed;
	int fd;

	EQ_U(read_all(write_to_pipe(file, size, 1), 333, &is_compressed), 3000);
	EQ_U(err.code, 0);
	IS_TRUE(is_compressed);
	EQ_MEM(read_back, text, 3000);
	EQ_U(read_all(write_to_pipe(text, 3000, 1), 333, &is_compressed), 3000);
	EQ_U(err.code, 0);
	EQ_MEM(read_back, text, 3000);

	/* A small file does not become gigabytes. */
	if (deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	for (int i = 0; i < 256; i++) {
		z.next_in = zeros;
		z.avail_in = sizeof(zeros);
		deflate(&z, i == 255 ? Z_FINISH : Z_NO_FLUSH);
	}
	deflateEnd(&z);
	fd = write_to_pipe(file, z.total_out, 4096);
	g = gunzip_open(fd, &err);
	while ((n = gunzip_read(g, read_back, sizeof(read_back), &err)) > 0)
		count += (uint64_t)n;
	EQ_I(n, -1);
	EQ_U(err.code, MU_ERROR_FORMAT);
	IS_TRUE(count < ZEROS);
	gunzip_close(g);
	close(fd);
	while (wait(NULL) > 0)
		;
}

int main(void)
{
	fill_text();
	test_whole();
	test_members();
	test_cut();
	test_damaged();
	test_pipes();
	EQ_U(forgotten, 0);
	return done_testing();
}
