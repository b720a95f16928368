/* page.c -- Have memusagestat write the HTML page.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/report/page.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/xmalloc.h"
#include "memusage/common/files.h"
#include "memusage/common/library.h"
#include "memusage/report/reports.h"

/* OUTPUT is NULL if the option names the file. */
static void execute_memusagestat(const struct session *s, pid_t main, char *option, char *output)
{
	char *tool = library_sibling("memusagestat"), *file = s->record.name;
	char *argv[7];
	int count = 0;

	if (!tool)
		die("cannot find memusagestat: /proc/self/exe is not readable");
	if (!file) {
		fcntl(s->record.fd, F_SETFD, 0);
		file = xasprintf("/proc/self/fd/%d", s->record.fd);
	}
	argv[count++] = xstrdup("memusagestat");
	argv[count++] = option;
	if (main > 0)
		argv[count++] = xasprintf("--pid=%d", (int)main);
	argv[count++] = xstrdup("--");
	argv[count++] = file;
	argv[count++] = output;
	argv[count] = NULL;
	reports_reset_signals();
	execv(tool, argv);
	warn("cannot run %s: %m", tool);
	_exit(127);
}

/* NAME is the name of the output, for messages. */
static void run_memusagestat(const struct session *s, pid_t main, const char *name, char *option,
			     char *output)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		execute_memusagestat(s, main, option, output);
	if (pid < 0) {
		warn("cannot make %s: %m", name);
		return;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		warn("cannot make %s: memusagestat was killed by signal "
		     "%d",
		     name, WTERMSIG(status));
	else if (status != 0)
		warn("%s was not made", name);
}

void page_make(const struct session *s, pid_t main)
{
	char *option = xasprintf("--html=%s", files_expand(s->settings->html, main));

	run_memusagestat(s, main, s->settings->html, option, NULL);
	free(option);
}

void page_make_bands(const struct session *s, pid_t main)
{
	char *name = xasprintf("massif.%d.ps", (int)main);

	run_memusagestat(s, main, name, xstrdup("--bands"), name);
	free(name);
}
