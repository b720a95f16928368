/* live_view.c -- The live view of a program that memusage starts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/launcher/live_view.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/temporary.h"
#include "memusage/remote/remote.h"
#include "profile/base/file.h"

enum { STANDARD_FILES = 3 };

void live_view_prepare(struct live_view *v, const struct settings *settings)
{
	int terminal;

	*v = (struct live_view){ .is_wanted = settings->live, .kept = -1,
				 .saved = { -1, -1, -1 }, .terminal = -1 };
	if (!v->is_wanted)
		return;
	terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (terminal < 0)
		die("--live shows a view in the terminal, and there is none: start the program "
		    "with --record, and use memusage --pid=PID live --once");
	close(terminal);
}

/* A program whose output is a pipe or a file keeps that. */
static bool needs_replacement(int fd)
{
	return isatty(fd);
}

/* Appends, as the program's processes share the file. */
static int open_kept_output(void)
{
	int fd = temporary_open();

	if (fd < 0)
		die("cannot create a temporary file for the program's output: %m; set TMPDIR to a "
		    "writable directory");
	fcntl(fd, F_SETFL, O_RDWR | O_APPEND);
	return fd;
}

void live_view_redirect(struct live_view *v)
{
	if (!v->is_wanted)
		return;
	for (int fd = 0; fd < STANDARD_FILES; fd++) {
		int other;

		if (!needs_replacement(fd))
			continue;
		if (fd != STDIN_FILENO && v->kept < 0)
			v->kept = open_kept_output();
		other = fd == STDIN_FILENO ? open("/dev/null", O_RDONLY | O_CLOEXEC) :
					     fcntl(v->kept, F_DUPFD_CLOEXEC, STANDARD_FILES);
		v->saved[fd] = fcntl(fd, F_DUPFD_CLOEXEC, STANDARD_FILES);
		if (other < 0 || v->saved[fd] < 0 || dup2(other, fd) < 0)
			die("cannot redirect the program's files: %m");
		close(other);
	}
}

void live_view_restore(struct live_view *v)
{
	for (int fd = 0; v->is_wanted && fd < STANDARD_FILES; fd++) {
		if (v->saved[fd] < 0)
			continue;
		dup2(v->saved[fd], fd);
		close(v->saved[fd]);
		v->saved[fd] = -1;
		if (fd != STDIN_FILENO && v->terminal < 0)
			v->terminal = fcntl(fd, F_DUPFD_CLOEXEC, STANDARD_FILES);
	}
}

void live_view_start(struct live_view *v, const struct settings *settings, pid_t program,
		     const sigset_t *mask, int private)
{
	if (!v->is_wanted)
		return;
	v->program = program;
	fflush(NULL);
	v->pid = fork();
	if (v->pid < 0) {
		warn("cannot show the live view: %m");
		v->pid = 0;
		v->is_followed = true;
	} else if (v->pid == 0) {
		close(private);
		sigprocmask(SIG_SETMASK, mask, NULL);
		_exit(remote_watch(settings, program, v->kept) < 0 ? EXIT_FAILURE : EXIT_SUCCESS);
	}
}

/* The file's own position is where the program appends; ours is kept apart by pread(). */
bool live_view_follow(struct live_view *v)
{
	static off_t shown;
	char data[1 << 14];
	ssize_t n;

	if (!v->is_followed || v->kept < 0 || v->terminal < 0)
		return false;
	while ((n = pread(v->kept, data, sizeof(data), shown)) > 0) {
		shown += n;
		if (!file_write(v->terminal, data, (size_t)n))
			break;
	}
	return true;
}

void live_view_ended(struct live_view *v, const struct settings *settings, pid_t pid)
{
	if (v->pid == 0 || pid != v->pid)
		return;
	v->pid = 0;
	v->is_followed = true;
	/* Last, where it can be read. */
	live_view_follow(v);
	if (!settings->quiet && kill(v->program, 0) == 0)
		warn("process %d runs on; memusage --pid=%d live comes back to it", (int)v->program,
		     (int)v->program);
}

void live_view_finish(struct live_view *v)
{
	int status;

	if (!v->is_wanted)
		return;
	while (v->pid > 0 && waitpid(v->pid, &status, 0) < 0 && errno == EINTR)
		;
	v->pid = 0;
	v->is_followed = true;
	live_view_follow(v);
}
