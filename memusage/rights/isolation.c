/* isolation.c -- Leave behind what a process of ours got from the user who started memusage.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/rights/isolation.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/xmalloc.h"

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC 4u
#endif

static void close_on_exec(void)
{
	DIR *all;
	const struct dirent *entry;

	if (syscall(__NR_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC) == 0)
		return;
	all = opendir("/proc/self/fd");
	while (all && (entry = readdir(all)) != NULL) {
		int fd = (int)strtol(entry->d_name, NULL, 10);

		if (fd > STDERR_FILENO)
			fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
	if (!all)
		die("cannot list the open file descriptors: %m");
	closedir(all);
}

/* The locale is not secret. */
static void clear_environment(void)
{
	static const char *const kept[] = { "LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES",
					    "LC_NUMERIC", "LC_TIME", "TZ" };
	enum { KEPT = sizeof(kept) / sizeof(*kept) };
	char *value[KEPT];

	for (size_t i = 0; i < KEPT; i++)
		value[i] = getenv(kept[i]) ? xstrdup(getenv(kept[i])) : NULL;
	clearenv();
	setenv("PATH", "/usr/bin:/bin", 1);
	for (size_t i = 0; i < KEPT; i++) {
		if (value[i])
			setenv(kept[i], value[i], 1);
		free(value[i]);
	}
}

/* A session of its own, since a process can insert input into its controlling terminal. */
void isolation_begin(int out, int err)
{
	const struct rlimit file = { ISOLATION_FILE_MAX, ISOLATION_FILE_MAX }, core = { 0, 0 };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || setsid() < 0 || chdir("/") < 0)
		die("cannot isolate the process that acts for the owner: %m");
	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	close_on_exec();
	clear_environment();
	setrlimit(RLIMIT_FSIZE, &file);
	setrlimit(RLIMIT_CORE, &core);
	umask(077);
}
