/* running.c -- Read the recording of a run that is not over.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/running.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/sibling.h"
#include "cli/temporary.h"
#include "cli/user.h"
#include "cli/xmalloc.h"

static bool is_own_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && user_is_self(st.st_uid);
}

/* From the start on: a header is written after everything to which it leads. */
static bool copy_file(int from, int to)
{
	char data[16 << 10];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(from, data, at == 0 ? 4096 : sizeof(data), at)) > 0) {
		if (pwrite(to, data, (size_t)n, at) != n)
			return false;
		at += n;
	}
	return n == 0;
}

static void execute_memusage(const char *own, int copy, pid_t writer)
{
	char *tool = sibling_path(own, "memusage");
	char *argv[] = { xstrdup("memusage"), xasprintf("--pid=%d", (int)writer),
			 xstrdup("add-running"), xasprintf("/proc/self/fd/%d", copy), NULL };

	fcntl(copy, F_SETFD, 0);
	if (tool)
		execv(tool, argv);
	_exit(127);
}

static bool add_running_processes(const char *own, int copy, pid_t writer)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		execute_memusage(own, copy, writer);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status == 0;
}

/* That of a run with --durable is next to the recording. */
static bool has_arena(const char *name)
{
	char *arena = xasprintf("%s.arena", name);
	bool is_there = access(arena, R_OK) == 0;

	free(arena);
	return is_there;
}

int running_copy(const char *own, int fd, const char *name, pid_t writer,
		 running_is_over *is_over)
{
	int copy;

	message_wait();
	/* The collector itself has its reports made. */
	if (writer == getppid())
		return -1;
	if (!is_own_file(fd)) {
		warn("%s: the run of another user is not over, or was killed: only processes that "
		     "had ended by now are in it", name);
		return -1;
	}
	copy = temporary_open();
	if (copy >= 0 && copy_file(fd, copy) && add_running_processes(own, copy, writer)) {
		warn("%s: the run is not over (its collector is process %d): this is its state of "
		     "now", name, (int)writer);
		return copy;
	}
	if (copy >= 0)
		close(copy);
	if (is_over(fd))
		return fcntl(fd, F_DUPFD_CLOEXEC, 3);
	warn("%s: the run was not completed, and its collector, process %d, is gone or does not "
	     "answer: processes that had not ended by then are missing%s%s", name, (int)writer,
	     has_arena(name) ? "; they are added by memusage --finish " : "",
	     has_arena(name) ? name : "");
	return -1;
}
