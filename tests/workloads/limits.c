/* limits.c -- a program that restricts itself or was restricted: `limits HOW [NUMBER]`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/lib/workload.h"

enum { BLOCKS = 3000, SIZE = 3000, BIG = 5000 };

static void *block[BLOCKS];

/* Enough for the recorder to grow its tables. */
static void work(void)
{
	for (int i = 0; i < BLOCKS; i++)
		check((block[i] = malloc(SIZE)) != NULL, "malloc");
	for (int i = 0; i < BLOCKS; i++)
		free(block[i]);
	say("truth 2992-3007 count=%d", BLOCKS);
	say("truth heap peak>=%d", BLOCKS * SIZE);
}

static void work_in_child(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		free(malloc(BIG));
		work();
		_exit(3);
	}
	check(pid > 0 && waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 3, "child");
	say("truth child lines=1 calls=%d", 2 * BLOCKS + 2);
}

/* The descriptors that are open, and which one is next. */
static void descriptors(long unused)
{
	char line[400] = "open:";
	struct stat status;

	(void)unused;
	for (int fd = 0; fd < 2000; fd++)
		if (!fstat(fd, &status) && strlen(line) < 380)
			snprintf(line + strlen(line), 12, " %d", fd);
	say("%s, next %d", line, dup(0));
	work();
}

/* glibc 2.34 has them. */
void closefrom(int first) __attribute__((weak));
int close_range(unsigned int first, unsigned int last, int flags) __attribute__((weak));

/* All descriptors are closed, then files of our own take their numbers. */
static void close_all(long how)
{
	char text[40] = "";
	int fd;

	if (how == 1 && closefrom)
		closefrom(3);
	else if (how == 2 && close_range && (!close_range(3, ~0U, 0) || errno != ENOSYS))
		say("close_range"); /* Linux 5.9 has it */
	else
		for (fd = 3; fd < 5000; fd++)
			close(fd);
	fd = open("own", O_RDWR | O_CREAT | O_TRUNC, 0600);
	say("our file is %d", fd);
	for (int i = 4; i < 20; i++)
		dup2(fd, i);
	check(write(fd, "our own words\n", 14) == 14, "write");
	work();
	check(pread(fd, text, sizeof(text), 0) == 14 && !strcmp(text, "our own words\n"),
	      "nobody else wrote to it");
	work_in_child();
	check(pread(fd, text, sizeof(text), 0) == 14, "nor later");
}

static void jail(long unused)
{
	(void)unused;
	mkdir("jail", 0755);
	check(!chroot("jail") && !chdir("/"), "chroot");
	work();
	work_in_child();
}

static void drop_user(long unused)
{
	(void)unused;
	check(!setgroups(0, NULL) && !setresgid(65534, 65534, 65534) &&
	      !setresuid(65534, 65534, 65534), "setresuid");
	work();
	work_in_child();
}

static long status_kb(const char *field)
{
	static char text[8192];
	int fd = open("/proc/self/status", O_RDONLY);
	ssize_t length = read(fd, text, sizeof(text) - 1);
	const char *at;

	close(fd);
	text[length > 0 ? length : 0] = '\0';
	at = strstr(text, field);
	return at ? atol(at + strlen(field)) : -1;
}

static void lock(long flags)
{
	check(!mlockall((int)flags), "mlockall");
	check(status_kb("VmLck:") < 100000, "not too much is locked");
	work();
	check(status_kb("VmRSS:") < 200000, "memory did not explode");
	if (flags & MCL_FUTURE)
		check(mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0) != MAP_FAILED, "mmap");
	work_in_child();
	check(status_kb("VmRSS:") < 200000, "nor with a child");
}

/* As a user without rights, who may lock NUMBER megabytes. */
static void lock_little(long megabytes)
{
	struct rlimit limit = { (rlim_t)megabytes << 20, (rlim_t)megabytes << 20 };

	check(!setrlimit(RLIMIT_MEMLOCK, &limit), "setrlimit");
	check(!setresuid(65534, 65534, 65534), "setresuid");
	say("mlockall %d", mlockall(MCL_CURRENT));
	free(malloc(100));
}

/* How much memory is to be had: NUMBER megabytes must be. */
static void take_only(long megabytes)
{
	char *p = malloc((size_t)megabytes << 20);

	check(p != NULL, "malloc");
	memset(p, 1, (size_t)megabytes << 20);
	free(p);
}

static void take(long megabytes)
{
	take_only(megabytes);
	work();
}

/* Takes the limit upon itself, as servers and shells do. */
static void limit_itself(long megabytes)
{
	struct rlimit limit = { (rlim_t)megabytes << 20, RLIM_INFINITY };

	check(!setrlimit(RLIMIT_AS, &limit), "setrlimit");
	take_only(megabytes / 2);
	limit.rlim_cur += 1 << 20;
	check(!prlimit(0, RLIMIT_AS, &limit, NULL), "prlimit");
	take(megabytes / 2);
	work_in_child();
	check(!malloc((size_t)megabytes << 20), "the limit is there");
}

/* The same by system calls of its own. */
static void limit_by_call(long megabytes)
{
	struct rlimit limit = { (rlim_t)megabytes << 20, RLIM_INFINITY };

	errno = 0;
	check(syscall(SYS_prlimit64, 0, RLIMIT_AS, 8L, NULL) < 0 && errno == EFAULT, "EFAULT");
	check(!syscall(SYS_prlimit64, 0, RLIMIT_AS, &limit, NULL), "prlimit64");
	take_only(megabytes / 2);
#ifdef SYS_setrlimit
	limit.rlim_cur += 1 << 20;
	check(!syscall(SYS_setrlimit, RLIMIT_AS, &limit), "setrlimit");
#endif
	take(megabytes / 2);
	work_in_child();
	check(!malloc((size_t)megabytes << 20), "the limit is there");
}

static void lock_by_call(long flags)
{
	check(!syscall(SYS_mlockall, (int)flags), "mlockall");
	check(status_kb("VmLck:") < 100000, "not too much is locked");
	work();
	check(status_kb("VmRSS:") < 200000, "memory did not explode");
}

/* Locks all memory in a child that libc does not know of, before anything else. */
static void lock_cloned(long unused)
{
	struct rusage used;
	int status;
	pid_t pid;

	(void)unused;
	free(malloc(BIG));
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!pid) {
		check(!mlockall(MCL_CURRENT) && !munlockall(), "mlockall");
		work();
		_exit(3);
	}
	check(pid > 0 && wait4(pid, &status, 0, &used) == pid, "child");
	check(used.ru_maxrss < 200 << 10, "locked memory");
	say("child: %#x", status);
}

/* Locks all memory in a child that is not recorded: the directory of recordings is gone. */
static void lock_unrecorded(long unused)
{
	const char *folder = getenv("MEMUSAGE_DIR");
	int status;
	pid_t pid;

	(void)unused;
	free(malloc(BIG));
	check(!folder || !rename(folder, "gone"), "rename");
	pid = fork();
	if (!pid) {
		check(status_kb("VmSize:") < 1 << 20, "nothing of the parent's recording is mapped");
		check(!mlockall(MCL_CURRENT) && !munlockall(), "mlockall");
		signal(SIGPWR, SIG_IGN);
		work();
		_exit(3);
	}
	check(pid > 0 && waitpid(pid, &status, 0) == pid, "child");
	say("child: %#x", status);
}

static pthread_barrier_t all_live;

static void *live_with_others(void *unused)
{
	void *small = malloc(SIZE);

	pthread_barrier_wait(&all_live);
	free(small);
	return unused;
}

/* Leaves the recorder a few KiB for a while, then has COUNT threads at once, and forks. */
static void narrow(long count)
{
	struct rlimit before, page = { 4096, RLIM_INFINITY };
	pthread_t thread[1000];
	int status;
	pid_t pid;

	free(malloc(BIG));
	check(!getrlimit(RLIMIT_AS, &before), "getrlimit");
	check(!setrlimit(RLIMIT_AS, &page), "setrlimit");
	check(!setrlimit(RLIMIT_AS, &before), "setrlimit");
	check(!pthread_barrier_init(&all_live, NULL, (unsigned int)count + 1), "barrier");
	for (long i = 0; i < count; i++)
		check(!pthread_create(&thread[i], NULL, live_with_others, NULL), "thread");
	pid = fork();
	if (!pid) {
		work();
		_exit(3);
	}
	check(pid > 0 && waitpid(pid, &status, 0) == pid, "child");
	pthread_barrier_wait(&all_live);
	for (long i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
	say("child: %#x", status);
}

/* COUNT forks that fail, then one that does not. */
static void no_forks(long count)
{
	struct rlimit none = { 0, RLIM_INFINITY };
	struct rlimit before;

	check(!getrlimit(RLIMIT_NPROC, &before), "getrlimit");
	none.rlim_max = before.rlim_max;
	check(!setrlimit(RLIMIT_NPROC, &none), "setrlimit");
	check(!setresuid(65534, 65534, 65534), "setresuid");
	free(malloc(BIG));
	for (long i = 0; i < count; i++)
		check(fork() == -1 && errno == EAGAIN, "fork fails");
	check(!setrlimit(RLIMIT_NPROC, &before), "setrlimit");
	work();
	work_in_child();
}

static void plain(long unused)
{
	(void)unused;
	work();
	work_in_child();
}

/* Dumps core with little in it. */
static void dump(long unused)
{
	(void)unused;
	work();
	abort();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(long);
	} way[] = {
		{ "descriptors", descriptors }, { "close", close_all },	 { "chroot", jail },
		{ "setuid", drop_user },	{ "lock", lock },	 { "take", take },
		{ "lock-little", lock_little }, { "itself", limit_itself },
		{ "call", limit_by_call }, { "lock-call", lock_by_call },
		{ "no-forks", no_forks },	{ "plain", plain },
		{ "dump", dump },		{ "narrow", narrow },
		{ "lock-cloned", lock_cloned }, { "lock-unrecorded", lock_unrecorded },
	};

	for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++)
		if (argc > 1 && !strcmp(argv[1], way[i].name))
			way[i].run(argc > 2 ? atol(argv[2]) : 0);
	return 0;
}
