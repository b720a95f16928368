/* prefork.c -- a server that held much before it forked, and other figures that are known.
 *
 *	prefork much	10,000,000 bytes, of which 1,000,000 stay at the fork; the child adds 500,000
 *	prefork falls	the same, and the child frees its own, and adds 200,000
 *	prefork nothing	10,000,000 bytes, of which none stay; the child adds 300,000
 *	prefork many	100 children live at a time; prints by how many KiB the resident shared memory
 *			of the first process grew
 *	prefork failing	5 blocks, 100 calls of malloc that fail, and a realloc that frees
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 10, BLOCK = 1000000 };

static char *volatile held[BLOCKS];
static void *volatile own;

__attribute__((noinline)) static void hold(unsigned int left)
{
	for (int i = 0; i < BLOCKS; i++)
		held[i] = malloc(BLOCK);
	for (unsigned int i = left; i < BLOCKS; i++)
		free(held[i]);
}

__attribute__((noinline)) static void add(size_t size)
{
	own = malloc(size);
}

static int fail(void)
{
	static void *volatile block[5];

	for (int i = 0; i < 5; i++)
		block[i] = malloc(100);
	for (int i = 0; i < 100; i++)
		own = malloc(SIZE_MAX / 4);
	block[0] = realloc(block[0], 0);
	for (int i = 1; i < 4; i++)
		free(block[i]);
	return own != NULL;
}

static long shared_kb(void)
{
	char line[128];
	long kb = -1;
	FILE *in = fopen("/proc/self/status", "r");

	while (in && fgets(line, sizeof(line), in))
		sscanf(line, "RssShmem: %ld", &kb);
	if (in)
		fclose(in);
	return kb;
}

static int fork_many(void)
{
	long before;
	int ends[2];
	char byte;

	add(1000);
	if (pipe(ends) < 0)
		return 99;
	before = shared_kb();
	for (int i = 0; i < 100; i++) {
		if (fork() == 0) {
			close(ends[1]);
			add(2000);
			_exit((int)read(ends[0], &byte, 1));
		}
	}
	printf("%ld\n", shared_kb() - before);
	close(ends[1]);
	while (wait(NULL) > 0)
		;
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int status;

	if (strcmp(how, "failing") == 0)
		return fail();
	if (strcmp(how, "many") == 0)
		return fork_many();
	hold(strcmp(how, "nothing") == 0 ? 0 : 1);
	if (fork() == 0) {
		add(strcmp(how, "nothing") == 0 ? 300000 : 500000);
		if (strcmp(how, "falls") == 0) {
			free(own);
			add(200000);
		}
		exit(0);
	}
	wait(&status);
	return status;
}
