/* runs.c -- Runs a program several times, and judges all runs together.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/launcher/runs.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/color.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/xmalloc.h"
#include "memusage/common/child.h"
#include "memusage/common/private_dir.h"
#include "memusage/common/program.h"
#include "memusage/launcher/launcher.h"

enum { BROKEN = 100 }; /* of memusageprint */

/* The recordings: those of --record, or in a directory of their own. */
struct runs {
	const struct settings *settings;
	char *directory;	/* NULL: the user keeps them */
	unsigned int done;
};

/* %n of --record is the number of the run. */
static char *run_name(const struct runs *r, unsigned int number)
{
	unsigned int uses = number - 1;
	char why[128], *name;

	if (r->directory)
		return xasprintf("%s/run%u.mur", r->directory, number);
	name = output_expand_next(r->settings->record, getpid(), &uses, getenv, why);
	if (!name)
		die("%s: %s", r->settings->record, why);
	return name;
}

/* The name of --record is a pattern. */
static char *double_percent_signs(const char *name)
{
	char *pattern = xcalloc(2 * strlen(name) + 1, 1), *to = pattern;

	for (; *name; name++) {
		if (*name == '%')
			*to++ = '%';
		*to++ = *name;
	}
	return pattern;
}

static void make_directory(struct runs *r)
{
	if (r->settings->record)
		return;
	r->directory = xasprintf("%s/memusage.XXXXXX", private_dir_base());
	if (!mkdtemp(r->directory))
		die("cannot make a directory for the recordings: %s: %m", r->directory);
}

static void remove_directory(struct runs *r)
{
	for (unsigned int i = 1; r->directory && i <= r->settings->gate.runs; i++) {
		char *name = run_name(r, i);

		unlink(name);
		free(name);
	}
	if (r->directory)
		rmdir(r->directory);
	free(r->directory);
}

/* ---- one run ------------------------------------------------------------------------------ */

static volatile pid_t running;
static volatile sig_atomic_t stopped_by;

/* A signal from the terminal has reached the run, too. */
static void stop_runs(int signal, siginfo_t *info, void *context)
{
	stopped_by = signal;
	if (info->si_code <= 0 && running > 0)
		kill(running, signal);
}

static const int stopping[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

enum { STOPPING = sizeof(stopping) / sizeof(*stopping) };

static struct sigaction were[STOPPING];

/* From before there is a directory until it is gone. */
static void catch_signals(void)
{
	const struct sigaction stop = { .sa_sigaction = stop_runs, .sa_flags = SA_SIGINFO };

	for (int i = 0; i < STOPPING; i++)
		sigaction(stopping[i], &stop, &were[i]);
}

static void release_signals(void)
{
	for (int i = 0; i < STOPPING; i++)
		sigaction(stopping[i], &were[i], NULL);
}

/* Returns as fork(). The child handles signals as we did at first, and none is lost for it. */
static pid_t fork_run(void)
{
	sigset_t all, mask;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask);
	pid = fork();
	if (pid == 0)
		release_signals();
	running = pid;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return pid;
}

static void record_run(const struct runs *r, unsigned int number)
{
	struct settings settings = *r->settings;

	settings.gate.is_part = true;
	settings.quiet = true;
	settings.output = NULL;
	settings.record = double_percent_signs(run_name(r, number));
	exit(launcher_run(&settings));
}

/* Returns the status of wait(). */
static int await_run(const struct runs *r, unsigned int number)
{
	const pid_t pid = fork_run();
	int status;

	if (pid == 0)
		record_run(r, number);
	if (pid < 0) {
		warn("cannot create a process: %m");
		return W_EXITCODE(STATUS_FAILED, 0);
	}
	status = child_wait(pid);
	running = 0;
	return status;
}

/* A second core file would overwrite the program's. */
static int raise_again(int signal)
{
	const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
	raise(signal);
	return 128 + signal;
}

/* ---- all of them -------------------------------------------------------------------------- */

static void execute_print(const struct runs *r)
{
	const struct settings *s = r->settings;
	struct opt_list a = { .count = 0 };

	opt_list_append(&a, "memusageprint");
	opt_list_append(&a, "--gate-of-run");
	if (s->quiet)
		opt_list_append(&a, "--gate-quietly");
	else
		opt_list_append(&a, "--runs");
	gate_append(&a, &s->gate);
	if (s->output)
		opt_list_append(&a, xasprintf("--output=%s", s->output));
	else
		dup2(STDERR_FILENO, STDOUT_FILENO);
	if (s->width > 0)
		opt_list_append(&a, xasprintf("--width=%u", s->width));
	if (s->color != COLOR_AUTO)
		opt_list_append(&a, xasprintf("--color=%s", s->color == COLOR_ALWAYS ? "always" :
										     "never"));
	opt_list_append_all(&a, &s->massif.report);
	opt_list_append(&a, "--");
	for (unsigned int i = 1; i <= s->gate.runs; i++)
		opt_list_append(&a, run_name(r, i));
	child_execute(&a, "cannot judge the runs: ");
}

static int judge_all(const struct runs *r)
{
	const pid_t pid = fork_run();
	int status;

	if (pid == 0)
		execute_print(r);
	if (pid < 0) {
		warn("cannot run memusageprint: %m");
		return STATUS_FAILED;
	}
	status = child_wait(pid);
	running = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == BROKEN)
		return STATUS_BROKEN;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : STATUS_FAILED;
}

int runs_run(const struct settings *settings)
{
	struct runs r = { .settings = settings };
	int status = 0;

	catch_signals();
	make_directory(&r);
	while (r.done < settings->gate.runs && status == 0 && !stopped_by) {
		status = await_run(&r, ++r.done);
		if (status != 0 && r.done > 1)
			warn("run %u of %u failed: nothing is judged", r.done,
			     settings->gate.runs);
	}
	/* memusageprint without anything to do prints a full report on each run. */
	if (status == 0 && !stopped_by && (!settings->quiet || gate_wanted(&settings->gate)))
		status = W_EXITCODE(judge_all(&r), 0);
	remove_directory(&r);
	release_signals();
	if (WIFSIGNALED(status))
		return raise_again(WTERMSIG(status));
	return stopped_by && status == 0 ? raise_again(stopped_by) : WEXITSTATUS(status);
}
