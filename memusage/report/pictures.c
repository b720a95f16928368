/* pictures.c -- Have memusagestat draw the run and write the HTML page.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/report/pictures.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/xmalloc.h"
#include "memusage/common/child.h"
#include "memusage/common/files.h"
#include "memusage/report/output_watch.h"

/* Waits for memusagestat, which is to MAKE the file NAME. Returns 0, or -1 after a warning. */
static int await_memusagestat(pid_t pid, const char *name, const char *make, const char *made)
{
	int status;

	if (pid < 0) {
		warn("cannot %s %s: %m", make, name);
		return -1;
	}
	status = child_wait(pid);
	if (WIFSIGNALED(status))
		warn("cannot %s %s: memusagestat was killed by signal %d", make, name,
		     WTERMSIG(status));
	else if (status != 0)
		warn("%s was not %s", name, made);
	return status == 0 ? 0 : -1;
}

/* ---- the picture of a data file ------------------------------------------------------------ */

char *pictures_name(const char *file)
{
	size_t length = strlen(file);
	bool has_suffix = length >= 4 && strcmp(file + length - 4, ".png") == 0;

	return xasprintf("%s%s", file, has_suffix ? "" : ".png");
}

/* Options come first and "--" ends them, since a file name may begin with a dash. */
static void execute_drawing(const struct settings *s, const char *data)
{
	struct opt_list a = { .count = 0 };
	sigset_t none;

	opt_list_append(&a, "memusagestat");
	if (s->time_based)
		opt_list_append(&a, "-t");
	if (s->total)
		opt_list_append(&a, "-T");
	if (s->title)
		opt_list_append(&a, xasprintf("--string=%s", s->title));
	if (s->x_size)
		opt_list_append(&a, xasprintf("--x-size=%u", s->x_size));
	if (s->y_size)
		opt_list_append(&a, xasprintf("--y-size=%u", s->y_size));
	opt_list_append(&a, "--");
	opt_list_append(&a, data);
	opt_list_append(&a, pictures_name(s->png));
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	child_execute(&a, xasprintf("cannot draw %s: ", s->png));
}

void pictures_draw(const struct settings *settings, const char *data, int fd)
{
	char *name = pictures_name(settings->png);
	pid_t pid;

	output_watch_warn(name);
	free(name);
	pid = fork();
	if (pid == 0)
		execute_drawing(settings, *data ? data : child_pass_file(fd));
	await_memusagestat(pid, settings->png, "draw", "drawn");
}

/* ---- what is made of a recording ----------------------------------------------------------- */

/* OUTPUT is NULL if the option names the file. */
static void execute_report(const struct session *s, pid_t main, const char *option,
			   const char *output)
{
	struct opt_list a = { .count = 0 };

	opt_list_append(&a, "memusagestat");
	opt_list_append(&a, option);
	if (main > 0)
		opt_list_append(&a, xasprintf("--pid=%d", (int)main));
	if (s->settings->no_names_cache)
		opt_list_append(&a, "--no-names-cache");
	if (s->settings->children == CHILDREN_MERGE)
		opt_list_append(&a, "--merge");
	opt_list_append(&a, "--");
	opt_list_append(&a, s->record.name ? s->record.name : child_pass_file(s->record.fd));
	if (output)
		opt_list_append(&a, output);
	child_reset_signals();
	child_execute(&a, "");
}

/* The page is about the process that held most. */
void pictures_page(const struct session *s, struct report *r, pid_t main)
{
	char *name = files_expand(s->settings->html, main);
	char *option = xasprintf("--html=%s", name);
	pid_t pid;

	output_watch_warn(name);
	pid = fork();
	if (pid == 0)
		execute_report(s, 0, option, NULL);
	if (await_memusagestat(pid, s->settings->html, "make", "made") == 0 &&
	    strcmp(name, "-") != 0)
		report_line(r, "page written to %s (open it in a browser)", name);
	free(option);
	free(name);
}

void pictures_bands(const struct session *s, pid_t main)
{
	char *name = xasprintf("massif.%d.ps", (int)main);
	pid_t pid = fork();

	if (pid == 0)
		execute_report(s, main, "--bands", name);
	await_memusagestat(pid, name, "make", "made");
	free(name);
}
