/* reports.c -- Have memusageprint make the reports that need function names.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/report/reports.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/xmalloc.h"
#include "memusage/common/library.h"
#include "memusage/report/page.h"

enum { ARGUMENTS = 24 }; /* besides those that are passed on */

struct arguments {
	char **item;
	size_t count;
};

static void append_argument(struct arguments *a, char *text)
{
	a->item[a->count++] = text;
	a->item[a->count] = NULL;
}

static void append_text_reports(struct arguments *a, const struct settings *s)
{
	if (s->mode == RUN_MODE_AD_HOC) {
		append_argument(a, s->top > 0 ? xasprintf("--ad-hoc=%u", s->top) :
						xstrdup("--ad-hoc"));
		return;
	}
	if (s->top > 0)
		append_argument(a, xasprintf("--top=%u", s->top));
	if (s->tree)
		append_argument(a, xstrdup("--tree"));
	if (s->leaks)
		append_argument(a, xstrdup("--leaks"));
	if (s->temporary)
		append_argument(a, xstrdup("--temporary"));
	if (s->spacetime)
		append_argument(a, xstrdup("--spacetime-summary"));
}

/* "--" ends the options, since a file name may begin with a dash. */
static void fill_arguments(struct arguments *a, const struct session *session, unsigned int first,
			   pid_t main, char *file)
{
	const struct settings *s = session->settings;
	const struct massif_settings *m = &s->massif;
	const struct chroots *roots = &session->chroots;

	a->item = xcalloc(m->report.count + CHROOTS_MAX + ARGUMENTS, sizeof(*a->item));
	append_argument(a, xstrdup("memusageprint"));
	if (main > 0)
		append_argument(a, xasprintf("--pid=%d", (int)main));
	if (first == 0)
		append_text_reports(a, s);
	if (m->is_wanted) {
		append_argument(a, xasprintf("--massif-out-file=%s", m->file));
		append_argument(a, xasprintf("--massif-desc=%s", m->desc ? m->desc : " (none)"));
		if (m->is_talkative)
			append_argument(a, xstrdup("--massif-journal"));
		if (m->is_verbose)
			append_argument(a, xstrdup("--massif-stats"));
	}
	if (s->dhat.is_wanted) {
		append_argument(a, xasprintf("--dhat-out-file=%s", s->dhat.file));
		append_argument(a, xasprintf("--time-unit=%s", dhat_unit_word(&s->dhat)));
		if (first == 0 && !s->quiet)
			append_argument(a, xstrdup("--dhat-summary"));
	}
	if (s->spacetime)
		append_argument(a, xasprintf("--spacetime-files=%s",
					     s->spacetime_form ? "html" : "text"));
	if (settings_has_files(s))
		append_argument(a, xasprintf("--first-image=%u", first));
	if (s->debuginfod)
		append_argument(a, xstrdup("--debuginfod"));
	for (size_t i = 0; i < roots->count; i++)
		append_argument(a, xasprintf("--root=%s", roots->path[i]));
	for (size_t i = 0; i < m->report.count; i++)
		append_argument(a, xstrdup(m->report.item[i]));
	append_argument(a, xstrdup("--"));
	append_argument(a, file);
}

/* A child would ignore the signals that the collector ignores. */
void reports_reset_signals(void)
{
	struct sigaction normal = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int signal = 1; signal < NSIG; signal++)
		sigaction(signal, &normal, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void redirect_output(int fd)
{
	if (fd < 0)
		fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (fd >= 0)
		dup2(fd, STDOUT_FILENO);
}

static void execute_memusageprint(const struct session *s, unsigned int first, pid_t main)
{
	char *tool = library_sibling("memusageprint");
	struct arguments a = { .count = 0 };
	char *file = s->record.name;

	if (!tool)
		die("cannot find memusageprint: /proc/self/exe is not readable");
	if (!file) {
		fcntl(s->record.fd, F_SETFD, 0);
		file = xasprintf("/proc/self/fd/%d", s->record.fd);
	}
	fill_arguments(&a, s, first, main, file);
	redirect_output(s->text);
	reports_reset_signals();
	execv(tool, a.item);
	warn("cannot report call stacks: cannot run %s: %m", tool);
	_exit(127);
}

/* Waits until the process or the launcher has ended; polls if there is no pidfd. */
static void wait_while_launcher_lives(const struct session *s, pid_t pid)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p[2] = { { .fd = pidfd, .events = POLLIN }, { .fd = s->wire } };

	while (poll(p, 2, pidfd < 0 ? 10 : -1) <= 0) {
		siginfo_t info = { .si_pid = 0 };

		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
		    info.si_pid == pid)
			break;
	}
	if (pidfd >= 0)
		close(pidfd);
	if (p[1].revents & (POLLHUP | POLLERR))
		kill(pid, SIGTERM);
}

/* Returns the status of wait(), or 0 if the process was stopped by SIGTERM. */
static int wait_for_child(const struct session *s, pid_t pid)
{
	int status = 0;

	if (!settings_has_files(s->settings))
		wait_while_launcher_lives(s, pid);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? 0 : status;
}

static void print_reports(const struct session *s, unsigned int first, pid_t main)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		execute_memusageprint(s, first, main);
	if (pid < 0) {
		warn("cannot run memusageprint: %m");
		return;
	}
	status = wait_for_child(s, pid);
	if (WIFSIGNALED(status))
		warn("memusageprint was killed by signal %d: its reports are missing",
		     WTERMSIG(status));
}

void reports_make(const struct session *s, unsigned int first, pid_t main)
{
	if (settings_has_text(s->settings) || settings_has_files(s->settings))
		print_reports(s, first, main);
	if (s->settings->html && first == 0)
		page_make(s, main);
	if (s->settings->spacetime && first == 0)
		page_make_bands(s, main);
}
