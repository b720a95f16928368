/* compared.c -- a program that tests build in several ways, to compare its recordings.
 *
 * INDEX_SIZE, bytes of an entry of the index, is a change of memory. tests/e2e/diff.t edits the
 * functions. All blocks live to the end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef INDEX_SIZE
#define INDEX_SIZE 400
#endif

static void *kept[2048];
static int count;

static void keep(void *block)
{
	if (!block)
		exit(1);
	kept[count++] = block;
}

static char *copy_text(const char *text, size_t size)
{
	char *copy = malloc(size);

	if (!copy)
		exit(1);
	return strncpy(copy, text, size - 1);
}

static void read_line(int number)
{
	char text[40];

	snprintf(text, sizeof(text), "line %d", number);
	keep(copy_text(text, 1000));
}

static void read_all(void)
{
	for (int i = 0; i < 500; i++)
		read_line(i);
}

static void make_index(void)
{
	for (int i = 0; i < 250; i++)
		keep(calloc(1, INDEX_SIZE));
}

static void fill_cache(void)
{
	for (int i = 0; i < 100; i++)
		keep(copy_text("cache", 3000));
	make_index();
}

int main(void)
{
	read_all();
	make_index();
	fill_cache();
	/* No compiler may leave out blocks that somebody reads. */
	return kept[count / 2] == kept[count / 2 + 1];
}
