/* picture.c -- Have memusagestat draw the run.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/report/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/xmalloc.h"
#include "memusage/common/library.h"

char *picture_name(const char *file)
{
	size_t length = strlen(file);
	bool has_suffix = length >= 4 && strcmp(file + length - 4, ".png") == 0;

	return xasprintf("%s%s", file, has_suffix ? "" : ".png");
}

/* Options come first and "--" ends them, since a file name may begin with a dash. */
static void fill_arguments(char *argv[16], const struct settings *s, char *data)
{
	int count = 0;

	argv[count++] = xstrdup("memusagestat");
	if (s->time_based)
		argv[count++] = xstrdup("-t");
	if (s->total)
		argv[count++] = xstrdup("-T");
	if (s->title)
		argv[count++] = xasprintf("--string=%s", s->title);
	if (s->x_size)
		argv[count++] = xasprintf("--x-size=%u", s->x_size);
	if (s->y_size)
		argv[count++] = xasprintf("--y-size=%u", s->y_size);
	argv[count++] = xstrdup("--");
	argv[count++] = data;
	argv[count++] = picture_name(s->png);
	argv[count] = NULL;
}

static void execute_memusagestat(const struct settings *s, char *data, int fd)
{
	char *tool = library_sibling("memusagestat");
	char *argv[16];
	sigset_t none;

	if (!tool)
		die("cannot find memusagestat: /proc/self/exe is not readable");
	if (*data == '\0') {
		fcntl(fd, F_SETFD, 0);
		data = xasprintf("/proc/self/fd/%d", fd);
	}
	fill_arguments(argv, s, data);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execv(tool, argv);
	warn("cannot draw %s: cannot run %s: %m", s->png, tool);
	_exit(1);
}

void picture_draw(const struct settings *settings, const char *data, int fd)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		execute_memusagestat(settings, xstrdup(data), fd);
	if (pid < 0) {
		warn("cannot draw %s: %m", settings->png);
		return;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		warn("cannot draw %s: memusagestat was killed by signal %d", settings->png,
		     WTERMSIG(status));
	else if (status != 0)
		warn("%s was not drawn", settings->png);
}
