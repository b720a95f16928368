/* first_thread.c -- a process whose first thread has ended, while another one goes on.
 *
 *	first_thread work	allocates, also in another thread and in a child, and ends with 6
 *	first_thread wait	keeps 100 blocks of 5000 bytes, says "ready", and waits for the end
 *				of its standard input
 *	first_thread orphan	a child of it does the same, and keeps 100 blocks more then; it says
 *				how it went on the file descriptor 3, and ends with 7; the first
 *				process does not wait for it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 300 };

static void *volatile kept[MOST];
static unsigned int used;

static void wait_until_first_ended(void)
{
	char text[256] = "", *state;

	do {
		FILE *stat = fopen("/proc/self/stat", "r");

		if (!stat || !fgets(text, sizeof(text), stat))
			exit(99);
		fclose(stat);
		state = strrchr(text, ')');
	} while (state[2] != 'Z');
}

__attribute__((noinline)) static void keep(unsigned int blocks, size_t size)
{
	for (unsigned int i = 0; i < blocks; i++)
		kept[used++] = memset(malloc(size), 1, size);
}

static void *keep_in_thread(void *unused)
{
	keep(20, 1000);
	return unused;
}

static void work(void)
{
	pthread_t thread;
	int status = -1;
	pid_t child;

	keep(50, 1000);
	if (pthread_create(&thread, NULL, keep_in_thread, NULL) == 0)
		pthread_join(thread, NULL);
	child = fork();
	if (child == 0) {
		keep(10, 3000);
		exit(5);
	}
	waitpid(child, &status, 0);
	while (used > 30)
		free(kept[--used]);
	printf("%u blocks, the child ended with %d\n", used, WEXITSTATUS(status));
	exit(6);
}

static void wait_for_end(void)
{
	struct epoll_event in = { .events = EPOLLIN };
	const int set = epoll_create1(0);
	char byte;

	/* The kernel does not make this call again after a stop. */
	keep(100, 5000);
	if (epoll_ctl(set, EPOLL_CTL_ADD, 0, &in) < 0)
		exit(96);
	if (write(1, "ready\n", 6) != 6)
		exit(97);
	do {
		if (epoll_wait(set, &in, 1, -1) != 1)
			exit(98);
	} while (read(0, &byte, 1) > 0);
	close(set);
}

static void *go_on(void *what)
{
	wait_until_first_ended();
	if (strcmp(what, "work") == 0)
		work();
	wait_for_end();
	if (strcmp(what, "wait") == 0)
		exit(8);
	keep(100, 5000);
	dprintf(3, "%d kept %u\n", (int)getpid(), used);
	_exit(7);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc != 2)
		return 2;
	if (strcmp(argv[1], "orphan") == 0 && fork() > 0)
		return 0;
	if (pthread_create(&thread, NULL, go_on, argv[1]))
		return 99;
	pthread_exit(NULL);
}
