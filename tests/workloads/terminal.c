/* terminal.c -- runs a command on a terminal of its own and types at it.
 *
 *	terminal WORD KEYS [WORD KEYS]... -- COMMAND [ARG]...
 *
 * When WORD has appeared in the output, KEYS are typed (^C is the control character), then the
 * next WORD is waited for. The output goes to standard output, without carriage returns. The
 * status is the command's; after a signal 128 plus its number, after two minutes 99.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char seen[1 << 16];
static size_t used;

static void type(int fd, const char *keys)
{
	for (; *keys; keys++) {
		char key = *keys;

		if (key == '^' && keys[1])
			key = *++keys & 0x1f;
		if (write(fd, &key, 1) != 1)
			return;
	}
}

static int open_terminal(char *name, size_t size)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || grantpt(fd) < 0 || unlockpt(fd) < 0 || ptsname_r(fd, name, size) != 0)
		exit(99);
	return fd;
}

static void be_command(const char *name, char **argv)
{
	int fd;

	setsid();
	fd = open(name, O_RDWR);
	if (fd < 0 || ioctl(fd, TIOCSCTTY, 0) < 0)
		_exit(98);
	dup2(fd, 0);
	dup2(fd, 1);
	dup2(fd, 2);
	if (fd > 2)
		close(fd);
	execvp(argv[0], argv);
	_exit(127);
}

/* Returns whether there may be more. What has been matched once does not match again. */
static int take_output(int fd)
{
	char part[4096];
	ssize_t n = read(fd, part, sizeof(part));

	if (n <= 0)
		return 0;
	for (ssize_t i = 0; i < n; i++) {
		if (part[i] == '\r')
			continue;
		putchar(part[i]);
		if (used < sizeof(seen) - 1)
			seen[used++] = part[i];
	}
	fflush(stdout);
	return 1;
}

static void converse(int fd, char **word)
{
	time_t end = time(NULL) + 120;
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	while (time(NULL) < end) {
		char *found;

		if (poll(&wait, 1, 200) == 1 && !take_output(fd))
			return;
		seen[used] = '\0';
		found = strcmp(*word, "--") != 0 ? strstr(seen, *word) : NULL;
		if (!found)
			continue;
		used -= (size_t)(found + strlen(*word) - seen);
		memmove(seen, found + strlen(*word), used);
		/* The program may still be on its way to where it waits. */
		usleep(100000);
		type(fd, word[1]);
		word += 2;
	}
	exit(99);
}

int main(int argc, char **argv)
{
	char name[64];
	int fd, status, command = 1;
	pid_t pid;

	while (command < argc && strcmp(argv[command], "--") != 0)
		command++;
	if (command + 1 >= argc || command % 2 == 0)
		return 99;
	fd = open_terminal(name, sizeof(name));
	pid = fork();
	if (pid == 0)
		be_command(name, argv + command + 1);
	converse(fd, argv + 1);
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
