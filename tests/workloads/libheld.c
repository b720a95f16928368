/* libheld.c -- a library that holds a pipe from its load on, as libunwind does, and says so on standard
 * error if that is not there any more when the process ends.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <fcntl.h>
#include <unistd.h>

static int ends[2];

__attribute__((constructor)) static void open_pipe(void)
{
	if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) < 0)
		_exit(99);
}

__attribute__((destructor)) static void use_pipe(void)
{
	static const char lost[] = "libheld: the pipe is lost\n";
	char byte = 'x';

	if ((write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1 || byte != 'x') &&
	    write(2, lost, sizeof(lost) - 1) < 0)
		_exit(99);
}
