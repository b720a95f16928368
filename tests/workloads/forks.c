/* forks.c -- children of every kind: `forks HOW [COUNT]`.
 *
 * Every child makes and frees three blocks of 5000 bytes; the parent's own blocks have 100.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/lib/fork_work.h"
#include "tests/lib/workload.h"

enum { OWN = 50, THREADS = 4 };

static void *own[OWN];
static volatile bool stop;
static const char *self_path;
static char *const nothing[] = { NULL };

/* What the parent did, and what COUNT children did after their forks. */
static void tell(int count, int child_frees)
{
	say("truth malloc calls=%d bytes=%d", OWN, OWN * 100);
	say("truth heap total=%d peak=%d", OWN * 100, OWN * 100);
	say("truth 4992-5007 count=0");
	say("truth child calls=%d bytes=%d", count * (6 + child_frees), count * 15000);
	if (count)
		say("truth child peak=%d", OWN * 100 + 15000);
}

/* The child knows its parent's blocks: it frees half of them. */
static void by_fork(int count)
{
	for (int i = 0; i < count; i++) {
		pid_t pid = fork();
		if (!pid) {
			child_work();
			for (int k = 0; k < OWN; k += 2)
				free(own[k]);
			exit(3);
		}
		reap(pid, 3);
	}
	tell(count, OWN / 2);
}

static void nested(int count)
{
	pid_t pid = fork();

	if (!pid) {
		child_work();
		if (count > 1)
			nested(count - 1);
		_exit(4);
	}
	reap(pid, 4);
}

static void chain_of_forks(int count)
{
	nested(count);
	tell(count, 0);
	say("truth child lines=%d", count);
}

static void storm(int count)
{
	for (int i = 0; i < count; i++) {
		pid_t pid = fork();
		if (!pid) {
			if (i % 2)
				child_work();
			_exit(0);
		}
		reap(pid, 0);
	}
	tell(count / 2, 0);
}

/* All alive at once: more than there are slots in a segment. */
static void crowd(int count)
{
	pid_t *pid = own[0];
	int gate[2];
	char byte;

	check(!pipe(gate), "pipe");
	pid = realloc(pid, (size_t)count * sizeof(*pid));
	for (int i = 0; i < count; i++) {
		pid[i] = fork();
		if (!pid[i]) {
			close(gate[1]);
			child_work();
			_exit(read(gate[0], &byte, 1) ? 99 : 10);
		}
	}
	close(gate[1]);
	for (int i = 0; i < count; i++)
		reap(pid[i], 10);
	own[0] = pid;
	say("truth malloc calls=%d", OWN);
	say("truth child calls=%d bytes=%d", count * 6, count * 15000);
}

static void *hammer(void *unused)
{
	while (!stop)
		free(malloc(200));
	return unused;
}

static void with_threads(int count)
{
	pthread_t id[THREADS];

	for (int i = 0; i < THREADS; i++)
		check(!pthread_create(&id[i], NULL, hammer, NULL), "pthread_create");
	for (int i = 0; i < count; i++) {
		pid_t pid = fork();
		if (!pid) {
			child_work();
			_exit(5);
		}
		reap(pid, 5);
	}
	stop = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	say("truth 96-111 count=%d", OWN);
	say("truth 4992-5007 count=0");
	say("truth child calls=%d bytes=%d", count * 6, count * 15000);
}

static void raw(int count)
{
	for (int i = 0; i < count; i++) {
		pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		if (!pid) {
			child_work();
			free(own[1]);
			syscall(SYS_exit_group, 6);
		}
		reap(pid, 6);
	}
	say("truth malloc calls=%d bytes=%d", OWN, OWN * 100);
	say("truth 4992-5007 count=0");
	say("truth child calls=%d bytes=%d peak=15000", count * 6, count * 15000);
}

static int shared_child(void *unused)
{
	child_work();
	(void)unused;
	return 7;
}

/* Children in our memory: what they allocate is ours. */
static void shared(int count)
{
	static _Alignas(16) char stack[65536];

	for (int i = 0; i < count; i++)
		reap(clone(shared_child, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD,
			   NULL), 7);
	say("truth malloc calls=%d bytes=%d", OWN + 3 * count, OWN * 100 + 15000 * count);
	say("truth free calls=%d", 3 * count);
	say("truth child lines=0");
}

/* The first event of a forked child is that of a process in its memory. */
static void shared_first(int count)
{
	static _Alignas(16) char stack[65536];

	for (int i = 0; i < count; i++) {
		pid_t pid = fork();
		if (!pid) {
			reap(clone(shared_child, stack + sizeof(stack),
				   CLONE_VM | CLONE_VFORK | SIGCHLD, NULL), 7);
			child_work();
			nested(1);
			_exit(5);
		}
		reap(pid, 5);
	}
	say("truth malloc calls=%d bytes=%d", OWN, OWN * 100);
	say("truth child lines=%d calls=%d bytes=%d", 2 * count, 18 * count, 45000 * count);
}

/* The same in the child of a raw clone(), where nothing tells which process is in whose memory: the
 * events of the first one are not recorded. */
static void shared_first_raw(int count)
{
	static _Alignas(16) char stack[65536];

	for (int i = 0; i < count; i++) {
		pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		if (!pid) {
			reap(clone(shared_child, stack + sizeof(stack),
				   CLONE_VM | CLONE_VFORK | SIGCHLD, NULL), 7);
			child_work();
			syscall(SYS_exit_group, 6);
		}
		reap(pid, 6);
	}
	say("truth malloc calls=%d bytes=%d", OWN, OWN * 100);
	say("truth child lines=%d calls=%d bytes=%d peak=15000", count, count * 6, count * 15000);
}

static void by_vfork(int count)
{
	for (int i = 0; i < count; i++) {
		pid_t pid = vfork();
		if (!pid) {
			child_work();
			_exit(8);
		}
		reap(pid, 8);
		pid = vfork();
		if (!pid) {
			free(malloc(300));
			execl(self_path, "forks", "leaf", (char *)NULL);
			_exit(99);
		}
		reap(pid, 9);
	}
	say("truth malloc calls=%d", OWN + 4 * count);
	say("truth 4992-5007 count=%d", 3 * count);
	say("truth 288-303 count=%d", count);
	say("truth child calls=%d bytes=%d peak=15000", 6 * count, 15000 * count);
}

static void spawn(int count)
{
	char *const argv[] = { (char *)"forks", (char *)"leaf", NULL };

	for (int i = 0; i < count; i++) {
		pid_t pid;
		check(!posix_spawn(&pid, self_path, NULL, NULL, argv, environ), "posix_spawn");
		reap(pid, 9);
	}
	say("truth malloc calls=%d", OWN);
	say("truth child calls=%d bytes=%d peak=15000", 6 * count, 15000 * count);
}

/* The shell between us and the leaf has events of its own. */
static void shells(int count)
{
	char command[4200], line[64] = "";

	snprintf(command, sizeof(command), "exec '%s' leaf", self_path);
	for (int i = 0; i < count; i++) {
		check(WEXITSTATUS(system(command)) == 9, "system");
		FILE *pipe = popen("echo hello", "r");
		check(pipe && fgets(line, sizeof(line), pipe), "popen");
		pclose(pipe);
	}
	say("the shell said %.5s", line);
	say("truth 96-111 count=%d", OWN);
	say("truth child bytes>=%d", 15000 * count);
}

static void fork_and_exec(int count)
{
	for (int i = 0; i < count; i++) {
		pid_t pid = fork();
		if (!pid) {
			execl(self_path, "forks", "leaf", (char *)NULL);
			_exit(99);
		}
		reap(pid, 9);
	}
	say("truth malloc calls=%d bytes=%d", OWN, OWN * 100);
	say("truth child lines=%d calls=%d bytes=%d peak=15000", count, count * 6, count * 15000);
}

/* One process, COUNT images before the last. */
static void exec_chain(int count)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", count - 1);
	if (count > 0)
		execl(self_path, "forks", "chain", number, (char *)NULL);
	say("truth malloc calls=%d bytes=%d", OWN, OWN * 100);
	say("truth child lines=3 calls=%d bytes=%d peak=%d", 3 * OWN, 3 * OWN * 100, OWN * 100);
}

/* An environment without us: the new image must not be disturbed by what we left. */
static void exec_bare(int count)
{
	char *const argv[] = { (char *)"forks", (char *)"leaf", NULL };

	(void)count;
	say("truth child lines=0");
	execve(self_path, argv, nothing);
}

static void daemonize(int count)
{
	int fd;

	(void)count;
	say("truth malloc calls=%d bytes=%d", OWN, OWN * 100);
	check(!daemon(1, 0), "daemon");
	child_work();
	usleep(100000);
	child_work();
	fd = open("daemon.tmp", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	check(fd >= 0 && write(fd, "done\n", 5) == 5, "write");
	rename("daemon.tmp", "daemon.done");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(int);
	} way[] = {
		{ "fork", by_fork }, { "storm", storm },   { "threads", with_threads },
		{ "nested", chain_of_forks }, { "crowd", crowd },
		{ "raw", raw },	     { "shared", shared }, { "vfork", by_vfork },
		{ "shared-first", shared_first }, { "shared-first-raw", shared_first_raw },
		{ "spawn", spawn },  { "shells", shells }, { "exec", fork_and_exec },
		{ "chain", exec_chain }, { "bare", exec_bare }, { "daemon", daemonize },
	};
	static char path[4096];
	int count = argc > 2 ? atoi(argv[2]) : 1;

	check(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0, "readlink");
	self_path = path;
	if (argc > 1 && !strcmp(argv[1], "leaf")) {
		child_work();
		return 9;
	}
	make_own(own, OWN);
	for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++)
		if (argc > 1 && !strcmp(argv[1], way[i].name))
			way[i].run(count);
	return 0;
}
