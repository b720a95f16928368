/* grower.c -- a program whose places grow and shrink by known amounts between two marks.
 *
 * Prints what grew from the mark "steady" to the first "done", and from its start to the last
 * "done", and the most milliseconds from a mark to the event after it. With "free" it frees everything
 * at its end. Around each mark it waits, longer before it: so the snapshot that follows the mark is the
 * nearest one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "include/memusage.h"

enum { LONG_US = 300000, SHORT_US = 2000, POOLS = 20, ENTRIES = 12 };

static char *pool[POOLS], *entry[2 * ENTRIES];
static int entries;
static double most_ms;

__attribute__((noinline)) static void fill_pool(void)
{
	for (int i = 0; i < POOLS; i++)
		pool[i] = malloc(10000);
}

__attribute__((noinline)) static void drain_pool(int count)
{
	for (int i = 0; i < count; i++) {
		free(pool[i]);
		pool[i] = NULL;
	}
}

__attribute__((noinline)) static void put_entry(void)
{
	entry[entries++] = malloc(3000);
}

__attribute__((noinline)) static void make_name(void)
{
	entry[entries++] = malloc(100);
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return 1e3 * (double)now.tv_sec + (double)now.tv_nsec / 1e6;
}

static void put_mark(const char *name)
{
	double start, took;

	usleep(LONG_US);
	start = now_ms();
	MEMUSAGE_MARK(name);
	usleep(SHORT_US);
	free(malloc(1));
	took = now_ms() - start;
	most_ms = took > most_ms ? took : most_ms;
}

int main(int argc, char **argv)
{
	fill_pool();
	put_mark("steady");
	drain_pool(5);
	for (int i = 0; i < ENTRIES; i++)
		put_entry();
	make_name();
	put_mark("done");
	put_entry();
	put_mark("done");
	dprintf(STDOUT_FILENO, "steady..done entry=%d name=100 pool=-50000\n",
		ENTRIES * 3000);
	dprintf(STDOUT_FILENO, "start..done entry=%d name=100 pool=150000\n",
		(ENTRIES + 1) * 3000);
	dprintf(STDOUT_FILENO, "late=%.0f\n", most_ms + 1);
	if (argc > 1 && strcmp(argv[1], "free") == 0) {
		while (entries > 0)
			free(entry[--entries]);
		drain_pool(POOLS);
	}
	return 0;
}
