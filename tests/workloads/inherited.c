/* inherited.c -- says what it inherited: descriptors, signals, limits, environment.
 *
 *	inherited FILE
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

extern char **environ;

static void descriptors(FILE *out)
{
	char path[64], target[512];

	for (int fd = 0; fd < 1100; fd++) {
		int flags = fcntl(fd, F_GETFD);
		ssize_t length;

		if (flags < 0 || fd == fileno(out))
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		length = readlink(path, target, sizeof(target) - 1);
		target[length > 0 ? length : 0] = '\0';
		fprintf(out, "descriptor %d flags %d %s\n", fd, flags, target);
	}
}

static void signals(FILE *out)
{
	sigset_t mask;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int number = 1; number < 65; number++) {
		struct sigaction action;

		if (sigaction(number, NULL, &action) < 0)
			continue;
		fprintf(out, "signal %d %s%s\n", number,
			action.sa_handler == SIG_IGN ? "ignored" :
			action.sa_handler == SIG_DFL ? "default" : "handled",
			sigismember(&mask, number) == 1 ? " blocked" : "");
	}
}

int main(int argc, char **argv)
{
	FILE *out = fopen(argc > 1 ? argv[1] : "/dev/stdout", "w");

	if (!out)
		return 1;
	descriptors(out);
	signals(out);
	for (int resource = 0; resource < 16; resource++) {
		struct rlimit limit;

		getrlimit(resource, &limit);
		fprintf(out, "limit %d %lu %lu\n", resource, (unsigned long)limit.rlim_cur,
			(unsigned long)limit.rlim_max);
	}
	fprintf(out, "group %d session %d\n", getpgrp() == getpid(), getsid(0) == getpid());
	for (char **entry = environ; *entry; entry++) {
		if (strncmp(*entry, "LD_PRELOAD=", 11) != 0 &&
		    strncmp(*entry, "MEMUSAGE_COLLECTOR=", 19) != 0)
			fprintf(out, "environment %s\n", *entry);
	}
	return fclose(out) != 0;
}
