/* collector_file_events.c -- a file that was closed is never taken for another with its number.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/file_events.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/tap.h"

enum { MOST = 8 };

/* Returns whether FD is among those that can be read. */
static bool is_reported(int fd)
{
	int ready[MOST], count = file_events_wait(ready, MOST, 0);

	for (int i = 0; i < count; i++) {
		if (ready[i] == fd && file_events_is_ready(fd))
			return true;
	}
	return false;
}

static void make_readable_pipe(int end[2])
{
	if (pipe2(end, O_CLOEXEC) < 0 || write(end[1], "x", 1) != 1)
		exit(1);
}

static void test_events(void)
{
	int end[2], other[2];

	make_readable_pipe(end);
	make_readable_pipe(other);
	OK(file_events_add(end[0]) && file_events_add(other[0]), "two files");
	OK(is_reported(end[0]) && is_reported(other[0]), "both can be read");
	file_events_remove(other[0]);
	OK(is_reported(end[0]) && !is_reported(other[0]), "one was removed");
	OK(read(other[0], &(char){ 0 }, 1) == 1, "... and is open");
	file_events_close(end[0]);
	file_events_close(-1);
	OK(!is_reported(end[0]) && fcntl(end[0], F_GETFD) < 0, "the other one was closed");
	close(end[1]);
	close(other[0]);
	close(other[1]);
}

/* copy  is what a child has until it executes a program. */
static void test_reuse(void)
{
	int end[2], next[2], copy;

	make_readable_pipe(end);
	file_events_add(end[0]);
	copy = dup(end[0]);
	file_events_close(end[0]);
	OK(!is_reported(end[0]), "a copy of a file that was closed is not waited for");
	if (pipe2(next, O_CLOEXEC) < 0)
		exit(1);
	OK(next[0] == end[0], "another file has its number");
	OK(file_events_add(next[0]), "... and can be waited for");
	OK(!is_reported(next[0]), "... with events of its own only");
	/* As before this module: closed without being removed. */
	close(copy);
	make_readable_pipe(end);
	file_events_add(end[0]);
	copy = dup(end[0]);
	close(end[0]);
	OK(dup2(next[0], end[0]) == end[0], "a number is reused that was not removed");
	OK(!is_reported(end[0]), "... and its event is not believed");
	close(copy);
}

static void test_process(void)
{
	pid_t child = fork();
	int fd, ready[MOST], status;

	if (child == 0) {
		pause();
		_exit(0);
	}
	fd = file_events_add_process(child);
	if (fd < 0) {
		skip("no pidfd here");
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		return;
	}
	OK(!is_reported(fd), "a process that runs");
	kill(child, SIGKILL);
	OK(file_events_wait(ready, MOST, 10000) > 0, "its end is an event");
	OK(is_reported(fd), "... of its own");
	waitpid(child, &status, 0);
	file_events_close(fd);
}

int main(void)
{
	if (!file_events_begin())
		return 1;
	test_events();
	test_reuse();
	test_process();
	file_events_end();
	return done_testing();
}
