/* serving.c -- memusageserve for a program that memusage starts.
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
#include "memusage/common/program.h"

/* Data that die() has to clean up, until memusageserve does that. */
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

static void append_push_options(struct opt_list *a, const struct settings *settings)
{
	if (!settings->push.url)
		return;
	opt_list_append(a, xasprintf("--push=%s", settings->push.url));
	if (settings->push.interval)
		opt_list_append(a, xasprintf("--push-interval=%s", settings->push.interval));
	if (settings->push.headers)
		opt_list_append(a, xasprintf("--push-headers=%s", settings->push.headers));
	if (settings->push.authority)
		opt_list_append(a, xasprintf("--push-ca=%s", settings->push.authority));
	for (size_t i = 0; i < settings->push.label.count; i++)
		opt_list_append(a, xasprintf("--label=%s", settings->push.label.item[i]));
}

/* memusageserve says what is wrong with them. */
static void check_push_options(const struct settings *settings)
{
	struct opt_list a = { .count = 0 };
	pid_t pid = child_fork("memusageserve");
	int status;

	if (pid == 0) {
		opt_list_append(&a, "memusageserve");
		append_push_options(&a, settings);
		opt_list_append(&a, xasprintf("--pid=%d", (int)getpid()));
		opt_list_append(&a, "--check");
		child_execute(&a, "");
	}
	status = pid > 0 ? child_wait(pid) : 0;
	if (status != 0)
		exit(STATUS_FAILED);
}

void serving_prepare(struct serving *v, const struct settings *settings, int recording)
{
	char why[LISTENER_TEXT];

	*v = (struct serving){ .is_wanted = settings->serve || settings->push.url,
			       .listener = LISTENER_CLOSED, .recording = recording };
	if (!v->is_wanted)
		return;
	check_program();
	if (settings->push.url)
		check_push_options(settings);
	if (!settings->serve)
		return;
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
	append_push_options(&a, settings);
	if (settings->push.url && v->recording >= 0) {
		opt_list_append(&a, xasprintf("--recording=%d", v->recording));
		fcntl(v->recording, F_SETFD, 0);
	}
	if (settings->serve) {
		opt_list_append(&a, xasprintf("--serve=%s", v->listener.text));
		opt_list_append(&a, xasprintf("--listener=%d", v->listener.fd));
		fcntl(v->listener.fd, F_SETFD, 0);
	}
	if (settings->quiet)
		opt_list_append(&a, "--quiet");
	if (settings->no_names_cache)
		opt_list_append(&a, "--no-names-cache");
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
