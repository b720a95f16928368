/* serving.c -- memusageserve beside a program that memusage starts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/launcher/serving.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/sibling.h"
#include "cli/xmalloc.h"
#include "memusage/common/child.h"

/* What die() has to clean up, until memusageserve does that. */
static struct serving *unfinished;
static pid_t owner;

static void close_unfinished(void)
{
	if (unfinished && getpid() == owner)
		listener_close(&unfinished->listener);
}

static void check_program(void)
{
	char *tool = sibling_path("memusage", "memusageserve");

	if (!tool || access(tool, X_OK) < 0)
		die("cannot serve: memusageserve is not installed; building it needs "
		    "libmicrohttpd and libcurl");
	free(tool);
}

void serving_prepare(struct serving *v, const struct settings *settings)
{
	char why[LISTENER_TEXT];

	*v = (struct serving){ .is_wanted = settings->serve, .listener = LISTENER_CLOSED };
	if (!v->is_wanted)
		return;
	check_program();
	if (listener_open(&v->listener, settings->serve, getpid(), why) < 0)
		die("cannot serve at %s", why);
	unfinished = v;
	owner = getpid();
	atexit(close_unfinished);
}

void serving_forget(struct serving *v)
{
	if (v->is_wanted)
		listener_forget(&v->listener);
}

/* A key that ends the program is none of its business, nor is what the program reads and writes. */
static void leave_terminal(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	if (null < 0)
		return;
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	if (null > STDERR_FILENO)
		close(null);
}

static void execute_server(const struct serving *v, const struct settings *settings, pid_t program,
			   pid_t collector)
{
	struct opt_list a = { .count = 0 };

	opt_list_append(&a, "memusageserve");
	opt_list_append(&a, xasprintf("--pid=%d", (int)program));
	opt_list_append(&a, xasprintf("--collector=%d", (int)collector));
	opt_list_append(&a, xasprintf("--serve=%s", v->listener.text));
	opt_list_append(&a, xasprintf("--listener=%d", v->listener.fd));
	if (settings->quiet)
		opt_list_append(&a, "--quiet");
	if (settings->no_names_cache)
		opt_list_append(&a, "--no-names-cache");
	fcntl(v->listener.fd, F_SETFD, 0);
	leave_terminal();
	child_execute(&a, "");
}

void serving_start(struct serving *v, const struct settings *settings, pid_t program,
		   pid_t collector, const sigset_t *mask, int private)
{
	if (!v->is_wanted)
		return;
	v->pid = child_fork("memusageserve");
	if (v->pid == 0) {
		close(private);
		child_reset_signals();
		sigprocmask(SIG_SETMASK, mask, NULL);
		execute_server(v, settings, program, collector);
	}
	if (v->pid < 0) {
		v->pid = 0;
		listener_close(&v->listener);
	}
	listener_forget(&v->listener);
}

void serving_ended(struct serving *v, pid_t pid, int status)
{
	if (v->pid == 0 || pid != v->pid)
		return;
	v->pid = 0;
	if (WIFSIGNALED(status))
		warn("memusageserve was killed by signal %d: the program is not served any more; "
		     "memusageserve --pid=PID begins again", WTERMSIG(status));
}
