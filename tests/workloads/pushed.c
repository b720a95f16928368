/* pushed.c -- a program that allocates step by step, for --push.
 *
 * Reads lines from standard input and obeys each, then prints "done": "keep BYTES BLOCKS" and
 * "churn BYTES BLOCKS" allocate by a stack of their own and keep, or free, the blocks; "label VALUE"
 * labels what follows; "fork" has a child that keeps 10 blocks of 1000 bytes and waits; "end" ends
 * all.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "include/memusage.h"

static __attribute__((noinline)) void keep(size_t bytes, int blocks)
{
	for (int i = 0; i < blocks; i++) {
		void *volatile block = malloc(bytes);

		(void)block;
	}
}

static __attribute__((noinline)) void churn(size_t bytes, int blocks)
{
	for (int i = 0; i < blocks; i++) {
		void *volatile block = malloc(bytes);

		free(block);
	}
}

static void become_parent(void)
{
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		keep(1000, 10);
		for (;;)
			pause();
	}
}

static void obey(const char *line)
{
	char word[32] = "", value[32] = "";
	unsigned long bytes = 0;
	int blocks = 0;

	sscanf(line, "%31s %31s", word, value);
	sscanf(line, "%*s %lu %d", &bytes, &blocks);
	if (!strcmp(word, "keep"))
		keep(bytes, blocks);
	else if (!strcmp(word, "churn"))
		churn(bytes, blocks);
	else if (!strcmp(word, "label"))
		MEMUSAGE_LABEL("request", value[0] ? value : NULL);
	else if (!strcmp(word, "fork"))
		become_parent();
	else if (!strcmp(word, "end"))
		exit(0);
}

int main(void)
{
	static char in[4096], out[4096];
	char line[128];

	setvbuf(stdin, in, _IOLBF, sizeof(in));
	setvbuf(stdout, out, _IOLBF, sizeof(out));
	while (fgets(line, sizeof(line), stdin)) {
		obey(line);
		puts("done");
	}
	return 0;
}
