/* demangle_list.c -- The source names of many symbols, made in a process of its own.
 *
 * The demangler is libiberty's, and has been broken by names before.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/demangle_list.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "profile/base/limits.h"
#include "profile/base/seal.h"
#include "profile/symbols/demangle.h"

enum { SECONDS = 10, TEXT_MOST = 64 << 20, TEXT_STEP = 64 << 10 };

static bool is_mangled(const char *name)
{
	return strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0;
}

/* ---- child ------------------------------------------------------------------------------ */

/* Not by exit(), since exit handlers and buffers are the parent's. */
__attribute__((noreturn)) static void leave_child(void)
{
	for (;;)
		syscall(SYS_exit_group, 0);
}

static void write_all(int fd, const char *from, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, from, size);

		if (n < 0 && errno != EINTR)
			leave_child();
		from += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
}

static void give_up_rights(int fd)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0);
	limits_set(RLIMIT_CORE, 0);
	limits_set(RLIMIT_CPU, SECONDS);
	limits_memory(UINT64_C(1) << 30);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXCPU, SIG_DFL);
	signal(SIGSEGV, SIG_DFL);
	if (!LIMITS_HAS_SHADOW)
		seal_process(fd);
}

/* A line for each name; an empty one leaves it as it is. */
__attribute__((noreturn)) static void run_child(int fd, char *const *name, size_t count)
{
	xmalloc_on_failure(leave_child);
	give_up_rights(fd);
	for (size_t i = 0; i < count; i++) {
		char *text = is_mangled(name[i]) ? demangle(name[i]) : NULL;

		if (text && !strchr(text, '\n'))
			write_all(fd, text, strlen(text));
		write_all(fd, "\n", 1);
		free(text);
	}
	leave_child();
}

/* ---- parent ----------------------------------------------------------------------------- */

/* Returns what the child has written, without a last line that is cut. */
static char *read_all(int fd)
{
	char *text = xcalloc(1, TEXT_STEP + 1);
	size_t room = TEXT_STEP, used = 0;
	ssize_t n;

	while (used < TEXT_MOST) {
		if (used == room) {
			room *= 2;
			text = xreallocarray(text, room + 1, 1);
		}
		n = read(fd, text + used, room - used);
		if (n == 0 || (n < 0 && errno != EINTR))
			break;
		used += n > 0 ? (size_t)n : 0;
	}
	while (used > 0 && text[used - 1] != '\n')
		used--;
	text[used] = '\0';
	return text;
}

static void take_lines(char **name, size_t count, char *text)
{
	for (size_t i = 0; i < count && *text; i++) {
		char *end = strchr(text, '\n');

		*end = '\0';
		if (*text) {
			free(name[i]);
			name[i] = xstrdup(text);
		}
		text = end + 1;
	}
}

void demangle_list(char **name, size_t count)
{
	bool has_any = false;
	char *text;
	int ends[2];
	pid_t pid;

	for (size_t i = 0; i < count; i++)
		has_any |= is_mangled(name[i]);
	if (!has_any || pipe(ends) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		run_child(ends[1], name, count);
	}
	close(ends[1]);
	if (pid > 0) {
		text = read_all(ends[0]);
		take_lines(name, count, text);
		free(text);
	}
	close(ends[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}
