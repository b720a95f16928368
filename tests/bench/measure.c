/* measure.c -- what a command costs, with all the processes it leaves behind.
 *
 *	measure [-o FILE] COMMAND [ARGUMENT]...
 *
 * Prints `CPU_US WALL_US RSS_KB STATUS`, at the end of FILE with -o: user and system time of the command and of every
 * descendant, also of one that outlives it in the background (a collector); the time until the
 * command itself returned; the largest resident set among them. Its output is thrown away.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static uint64_t us_of(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

static void run_command(char **argv)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0)
		_exit(127);
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	execvp(argv[0], argv);
	_exit(127);
}

int main(int argc, char **argv)
{
	uint64_t start, wall = 0;
	struct rusage usage;
	int status, result = 0;
	pid_t child, pid;

	if (argc > 3 && strcmp(argv[1], "-o") == 0) {
		if (!freopen(argv[2], "a", stdout))
			return 2;
		argv += 2;
		argc -= 2;
	}
	/* Orphans become our children, so that they can be waited for. */
	if (argc < 2 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
		return 2;
	start = now_us();
	child = fork();
	if (child < 0)
		return 1;
	if (child == 0)
		run_command(argv + 1);
	while ((pid = wait(&status)) > 0 || errno == EINTR) {
		if (pid != child)
			continue;
		wall = now_us() - start;
		result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	getrusage(RUSAGE_CHILDREN, &usage);
	printf("%llu %llu %ld %d\n",
	       (unsigned long long)(us_of(usage.ru_utime) + us_of(usage.ru_stime)),
	       (unsigned long long)wall, usage.ru_maxrss, result);
	return 0;
}
