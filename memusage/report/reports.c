/* reports.c -- Have memusageprint make the reports that need function names.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/report/reports.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/color.h"
#include "cli/message.h"
#include "cli/xmalloc.h"
#include "formats/xtree.h"
#include "memusage/common/child.h"
#include "memusage/common/files.h"
#include "memusage/report/pictures.h"

enum { LEAK_ERRORS_STATUS = 99, BROKEN_STATUS = 100 }; /* of memusageprint */

/* Appends "--NAME", or "--NAME=PLACES". */
static void append_list_report(struct opt_list *a, const char *name, const struct settings *s)
{
	opt_list_append(a, s->places > 0 ? xasprintf("--%s=%u", name, s->places) :
					   xasprintf("--%s", name));
}

static void append_text_reports(struct opt_list *a, const struct settings *s)
{
	if (s->mode == RUN_MODE_AD_HOC) {
		opt_list_append(a, s->top > 0 ? xasprintf("--ad-hoc=%u", s->top) :
						"--ad-hoc");
		return;
	}
	if (s->top > 0)
		opt_list_append(a, xasprintf("--top=%u", s->top));
	if (s->tree)
		opt_list_append(a, "--tree");
	if (s->leaks)
		append_list_report(a, "leaks", s);
	if (s->fragmentation)
		append_list_report(a, "fragmentation", s);
	if (s->holders)
		append_list_report(a, "holders", s);
	if (s->growth)
		opt_list_append(a, *s->growth ? xasprintf("--growth=%s", s->growth) :
						"--growth");
	if (s->temporary)
		append_list_report(a, "temporary", s);
	if (s->spacetime)
		opt_list_append(a, "--spacetime-summary");
	if (leaks_wanted(&s->leak_check)) {
		leaks_append_report(a, &s->leak_check);
		opt_list_append(a, xasprintf("--error-exitcode=%d", LEAK_ERRORS_STATUS));
	}
}

/* The rest memusageprint finds out: the report's descriptor is its standard output. */
static void append_looks(struct opt_list *a, const struct settings *s)
{
	if (s->width > 0)
		opt_list_append(a, xasprintf("--width=%u", s->width));
	if (s->color != COLOR_AUTO)
		opt_list_append(a, xasprintf("--color=%s", s->color == COLOR_ALWAYS ? "always" :
										     "never"));
}

/* Ends the list with those that decide which names a place has, and where modules are found. "--"
 * ends the options, since a file name may begin with a dash. */
static void append_names_arguments(struct opt_list *a, const struct session *session, char *file)
{
	const struct chroots *roots = &session->chroots;

	for (size_t i = 0; i < roots->count; i++)
		opt_list_append(a, xasprintf("--root=%s", roots->path[i]));
	opt_list_append_all(a, &session->settings->massif.report);
	opt_list_append(a, "--");
	opt_list_append(a, file);
}

static void fill_arguments(struct opt_list *a, const struct session *session, unsigned int first,
			   pid_t main, char *file)
{
	const struct settings *s = session->settings;
	const struct massif_settings *m = &s->massif;

	opt_list_append(a, "memusageprint");
	if (s->children == CHILDREN_MERGE)
		opt_list_append(a, "--merge");
	else if (main > 0)
		opt_list_append(a, xasprintf("--started=%d", (int)main));
	if (first == 0)
		append_text_reports(a, s);
	leaks_append_tree(a, &s->leak_check);
	append_looks(a, s);
	settings_append_place_options(a, s);
	if (m->is_wanted) {
		opt_list_append(a, xasprintf("--massif-out-file=%s", m->file));
		opt_list_append(a, xasprintf("--massif-desc=%s", m->desc ? m->desc : " (none)"));
		if (m->is_talkative)
			opt_list_append(a, "--massif-journal");
		if (m->is_verbose)
			opt_list_append(a, "--massif-stats");
	}
	if (s->dhat.is_wanted) {
		opt_list_append(a, xasprintf("--dhat-out-file=%s", s->dhat.file));
		opt_list_append(a, xasprintf("--time-unit=%s", dhat_unit_word(&s->dhat)));
		if (first == 0 && !s->quiet)
			opt_list_append(a, "--dhat-summary");
	}
	if (s->spacetime)
		opt_list_append(a, xasprintf("--spacetime-files=%s",
					     s->spacetime_form ? "html" : "text"));
	if (settings_has_files(s))
		opt_list_append(a, xasprintf("--first-image=%u", first));
	if (s->debuginfod)
		opt_list_append(a, "--debuginfod");
	if (s->no_names_cache)
		opt_list_append(a, "--no-names-cache");
	append_names_arguments(a, session, file);
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
	struct opt_list a = { .count = 0 };

	fill_arguments(&a, s, first, main,
		       s->record.name ? s->record.name : child_pass_file(s->record.fd));
	redirect_output(s->text);
	child_reset_signals();
	child_execute(&a, "cannot report call stacks: ");
}

/* The lock of a durable arena belongs to the collector's open file: this child, which gets no CPU
 * on a busy machine, would hold it after the collector's end. */
static int reopen_file(int fd)
{
	char *path = xasprintf("/proc/self/fd/%d", fd);
	int own = open(path, O_RDONLY | O_CLOEXEC);

	free(path);
	return own >= 0 ? own : fd;
}

/* The child ends with its parent, the collector, however that ends. */
static void execute_look_ahead(const struct session *s, int fd, pid_t parent)
{
	struct opt_list a = { .count = 0 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	opt_list_append(&a, "memusageprint");
	opt_list_append(&a, "--names-ahead");
	append_names_arguments(&a, s, child_pass_file(reopen_file(fd)));
	redirect_output(-1);
	dup2(STDOUT_FILENO, STDERR_FILENO);
	child_reset_signals();
	child_execute(&a, "");
}

pid_t reports_look_ahead(const struct session *s, int fd)
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0)
		execute_look_ahead(s, fd, parent);
	return pid;
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
	int status;

	if (!settings_has_files(s->settings))
		wait_while_launcher_lives(s, pid);
	status = child_wait(pid);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? 0 : status;
}

/* A name with %p is not known to the user. */
static void name_file(struct report *r, const char *what, const char *pattern, pid_t main)
{
	char *name = pattern && files_has_pid(pattern) ? files_expand(pattern, main) : NULL;

	if (name && access(name, F_OK) == 0)
		report_line(r, "%s written to %s", what, name);
	free(name);
}

/* On a terminal: the tools that memusage stands for print no such line. */
static void name_files(const struct session *s, struct report *r, pid_t main)
{
	const struct settings *settings = s->settings;
	const char *xtree = settings->massif.xtree_file;

	if (!isatty(STDERR_FILENO))
		return;
	if (settings->massif.is_wanted)
		name_file(r, "Massif profile", settings->massif.file, main);
	if (settings->dhat.is_wanted)
		name_file(r, "DHAT profile", settings->dhat.file, main);
	if (settings->massif.xtree != XTREE_NONE)
		name_file(r, "tree", xtree ? xtree : "xtmemory.kcg.%p", main);
	if (settings->spacetime)
		name_file(r, "heap profile", "massif.%p.hp", main);
}

static void print_reports(const struct session *s, struct report *r, unsigned int first, pid_t main)
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
	r->has_leak_errors |= WIFEXITED(status) && WEXITSTATUS(status) == LEAK_ERRORS_STATUS;
	if (WIFSIGNALED(status))
		warn("memusageprint was killed by signal %d: its reports are missing",
		     WTERMSIG(status));
}

static void execute_gate(const struct session *s)
{
	struct opt_list a = { .count = 0 };

	opt_list_append(&a, "memusageprint");
	opt_list_append(&a, "--gate-of-run");
	if (s->settings->quiet)
		opt_list_append(&a, "--gate-quietly");
	gate_append(&a, &s->settings->gate);
	append_looks(&a, s->settings);
	if (s->settings->no_names_cache)
		opt_list_append(&a, "--no-names-cache");
	append_names_arguments(&a, s, s->judged >= 0	 ? child_pass_file(s->judged) :
				      s->record.name ? s->record.name :
						       child_pass_file(s->record.fd));
	redirect_output(s->text);
	child_reset_signals();
	child_execute(&a, "cannot judge the run: ");
}

/* Has the conditions judged, and says first what is wrong. */
static void judge_run(const struct session *s, struct report *r)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		execute_gate(s);
	if (pid < 0) {
		warn("cannot run memusageprint: %m");
		return;
	}
	wait_while_launcher_lives(s, pid);
	status = child_wait(pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == BROKEN_STATUS)
		r->gate = GATE_BROKEN;
	else if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !r->lacks_running)
		r->gate = GATE_HOLDS;
}

void reports_make(const struct session *s, struct report *r, unsigned int first, pid_t main)
{
	if (gate_wanted(&s->settings->gate) && first == 0)
		judge_run(s, r);
	if (settings_has_places(s->settings) || settings_has_files(s->settings))
		print_reports(s, r, first, main);
	if (settings_has_files(s->settings) && first == 0)
		name_files(s, r, main);
	if (s->settings->html && first == 0)
		pictures_page(s, r, main);
	if (s->settings->spacetime && first == 0)
		pictures_bands(s, main);
}
