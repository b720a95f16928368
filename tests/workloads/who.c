/* CFLAGS: -O0 -fno-inline */
/* who.c -- knows who allocated: `who` prints METRIC FUNCTION LINE BYTES BLOCKS, one per line.
 *
 * All sums stay below 1000 bytes, so that reports print them to the byte.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* snprintf() and write() allocate nothing. */
#define TELL(metric, line, bytes, blocks) tell(metric, __func__, line, bytes, blocks)

static void tell(const char *metric, const char *function, int line, int bytes, int blocks)
{
	char text[100];
	int length = snprintf(text, sizeof(text), "%s %s %d %d %d\n", metric, function, line,
			      bytes, blocks);

	if (write(STDOUT_FILENO, text, length) != length)
		_exit(1);
}

static void *held[3];

static void hold(void)
{
	for (int i = 0; i < 3; i++)
		held[i] = malloc(200); int line = __LINE__;
	TELL("peak", line, 600, 3);
}

static void lose(void)
{
	for (int i = 0; i < 4; i++)
		calloc(3, 10); int line = __LINE__;
	TELL("peak", line, 120, 4);
	TELL("leak", line, 120, 4);
}

static void *allocate(size_t size)
{
	return malloc(size);
}

static void waste(void)
{
	for (int i = 0; i < 7; i++)
		free(malloc(10 + i)); int line = __LINE__;
	TELL("temporary", line, 91, 7);
}

static void keep_some(void)
{
	void *a = allocate(11), *b = allocate(12); int line = __LINE__;

	(void)a;
	free(b);
	TELL("caller", line, 11, 1);
}

int main(void)
{
	lose();
	hold();
	for (int i = 0; i < 3; i++)
		free(held[i]);
	waste();
	keep_some();
	return 0;
}
