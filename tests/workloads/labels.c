/* labels.c -- a program that labels what its threads allocate, and says what must come of it.
 *
 * Each part prints "truth LABELS bytes=N blocks=N" for what is live at the end, sorted by LABELS.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "include/memusage.h"

static void say(const char *line)
{
	write(1, line, strlen(line));
}

/* Blocks that stay, by one call stack whatever the label. */
static __attribute__((noinline)) void keep(size_t size, int blocks)
{
	for (int i = 0; i < blocks; i++) {
		void *volatile block = malloc(size);

		(void)block;
	}
}

/* 6,000 blocks, so that stacks are recalled: a site must not be taken for that of other labels. */
static void plain(void)
{
	for (int i = 0; i < 1000; i++) {
		keep(100, 1);
		MEMUSAGE_LABEL("request", "login");
		keep(100, 2);
		MEMUSAGE_LABEL("user", "root");
		keep(10, 1);
		MEMUSAGE_LABEL("request", "search");
		keep(20, 1);
		MEMUSAGE_LABEL("user", NULL);
		keep(30, 1);
		MEMUSAGE_LABEL("request", "");
	}
	say("truth - bytes=100000 blocks=1000\n"
	    "truth request=login bytes=200000 blocks=2000\n"
	    "truth request=login,user=root bytes=10000 blocks=1000\n"
	    "truth request=search bytes=30000 blocks=1000\n"
	    "truth request=search,user=root bytes=20000 blocks=1000\n");
}

static void *other_thread(void *unused)
{
	(void)unused;
	keep(1000, 100);
	MEMUSAGE_LABEL("thread", "second");
	keep(1000, 10);
	return NULL;
}

/* A new thread has no labels, also if it gets the record of one that had. */
static void threads(void)
{
	pthread_t thread;

	MEMUSAGE_LABEL("thread", "first");
	for (int i = 0; i < 3; i++) {
		pthread_create(&thread, NULL, other_thread, NULL);
		pthread_join(thread, NULL);
	}
	keep(2000, 5);
	say("truth - bytes=300000 blocks=300\n"
	    "truth thread=first bytes=10000 blocks=5\n"
	    "truth thread=second bytes=30000 blocks=30\n");
}

/* The child has the labels of the thread that forked, and changes its own only. */
static void forks(void)
{
	int status = 0;

	MEMUSAGE_LABEL("job", "parent");
	keep(100, 10);
	pid_t pid = fork();
	if (pid == 0) {
		keep(300, 10);
		MEMUSAGE_LABEL("job", "child");
		keep(200, 10);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	keep(400, 10);
	say("truth job=parent bytes=5000 blocks=20\n");
}

/* Nothing of this may do harm. More sets than there is room for, long texts, odd bytes. */
static void hostile(void)
{
	static char text[100000];
	char value[32];

	memset(text, 'x', sizeof(text) - 1);
	MEMUSAGE_LABEL(NULL, "value");
	MEMUSAGE_LABEL("", "value");
	MEMUSAGE_LABEL(text, text);
	keep(1000, 1);
	MEMUSAGE_LABEL(text, NULL);
	MEMUSAGE_LABEL("esc\033[31m<b>\"\\", "\xff\xfe\n</script>");
	keep(2000, 1);
	MEMUSAGE_LABEL("esc\033[31m<b>\"\\", NULL);
	for (int i = 0; i < 10; i++) {
		snprintf(value, sizeof(value), "key%d", i);
		MEMUSAGE_LABEL(value, "x");
	}
	keep(3000, 1);
	for (int i = 0; i < 10; i++) {
		snprintf(value, sizeof(value), "key%d", i);
		MEMUSAGE_LABEL(value, NULL);
	}
	for (int i = 0; i < 5000; i++) {
		snprintf(value, sizeof(value), "%d", i);
		MEMUSAGE_LABEL("number", value);
		keep(10, 1);
	}
	MEMUSAGE_LABEL("number", NULL);
	keep(4000, 1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} part[] = { { "plain", plain }, { "threads", threads }, { "forks", forks },
		     { "hostile", hostile } };

	for (size_t i = 0; argc > 1 && i < sizeof(part) / sizeof(*part); i++)
		if (!strcmp(part[i].name, argv[1]))
			part[i].run();
	return 0;
}
