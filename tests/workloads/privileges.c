/* privileges.c -- a root process whose child gives up its rights: `privileges HOW [THREADS]`.
 *
 * HOW is the call by which it does: setuid, setreuid, setresuid; or vfork (a child in its parent's
 * memory), cloned (a child of a raw clone()), back (it takes the rights back), confined (it has no way
 * to the collector). The child then prints which memory of the recorder it has, and has many events
 * more, as has its parent. The parent ends last.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/workload.h"

enum { USER = 64123, BLOCKS = 3000, SIZE = 3000 };

static pthread_barrier_t all_live;

static FILE *open_maps(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");

	check(maps != NULL, "maps");
	return maps;
}

/* The numbers of the memory files that are mapped now, once each. */
static void print_memory(const char *who, FILE *maps)
{
	char line[4096], last[32] = "", file[32];

	printf("%s:", who);
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "memfd:memusage") &&
		    sscanf(line, "%*s %*s %*s %*s %31s", file) == 1 && strcmp(file, last)) {
			strcpy(last, file);
			printf(" %s", file);
		}
	printf("\n");
	fflush(stdout);
	fclose(maps);
}

static void work(void)
{
	static __thread void *block[BLOCKS];

	for (int i = 0; i < BLOCKS; i++)
		check((block[i] = malloc(SIZE)) != NULL, "malloc");
	for (int i = 0; i < BLOCKS; i++)
		free(block[i]);
}

static void *work_twice(void *unused)
{
	work();
	pthread_barrier_wait(&all_live);
	pthread_barrier_wait(&all_live);
	for (int i = 0; i < BLOCKS; i++)
		free(malloc(SIZE));
	return unused;
}

/* Into an empty directory, and a network without sockets. */
static void confine(void)
{
	check(!unshare(CLONE_NEWNET) && !mkdir("empty", 0755) && !chroot("empty") && !chdir("/"),
	      "confinement");
}

static int drop_rights(const char *how)
{
	if (!strcmp(how, "confined"))
		confine();
	if (!strcmp(how, "setuid"))
		return setuid(USER);
	if (!strcmp(how, "setreuid"))
		return setreuid(USER, USER);
	if (!strcmp(how, "back"))
		return seteuid(USER) || seteuid(0);
	return setresuid(USER, USER, USER);
}

/* With THREADS, which are there before and after. */
static void be_child(const char *how, int threads)
{
	pthread_t thread[64];
	FILE *maps = open_maps();

	check(threads < 64 && !pthread_barrier_init(&all_live, NULL, (unsigned int)threads + 1),
	      "barrier");
	if (!threads)
		work();
	for (int i = 0; i < threads; i++)
		check(!pthread_create(&thread[i], NULL, work_twice, NULL), "thread");
	if (threads)
		pthread_barrier_wait(&all_live);
	check(!setgroups(0, NULL) && !drop_rights(how), "rights");
	if (threads)
		pthread_barrier_wait(&all_live);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	print_memory("child", maps);
	work();
	printf("child: user %d\n", (int)geteuid());
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "setresuid";
	int status;
	pid_t pid;

	work();
	print_memory("parent", open_maps());
	if (!strcmp(how, "cloned"))
		pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	else
		pid = strcmp(how, "vfork") ? fork() : vfork();
	if (!pid) {
		if (!strcmp(how, "vfork"))
			_exit(setresuid(USER, USER, USER) ? 1 : 0);
		be_child(how, argc > 2 ? atoi(argv[2]) : 0);
		exit(0);
	}
	check(pid > 0 && waitpid(pid, &status, 0) == pid, "child");
	work();
	print_memory("parent", open_maps());
	printf("status %#x\n", status);
	return 0;
}
