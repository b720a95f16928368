/* main.c -- memusageserve: serves what memusage records of a program that runs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/message.h"
#include "memusage/common/clock.h"
#include "memusage/common/listener.h"
#include "memusageserve/http/jobs.h"
#include "memusageserve/http/server.h"
#include "memusageserve/loop/loop.h"
#include "memusageserve/options/settings.h"
#include "memusageserve/push/push.h"
#include "memusageserve/source/run.h"
#include "profile/base/limits.h"

enum {
	REOPEN_MS = 100, REOPENS = 20,	/* a killed collector is replaced at once, or never */
	LINGER_MS = 10000,		/* for clients that are reading their last answer */
	POLL_MS = 500			/* of a collector without a pidfd */
};

struct program {
	const struct settings *settings;
	struct loop loop;
	struct run run;
	struct listener listener;
	struct jobs jobs;
	struct server *server;		/* NULL: nothing is served */
	struct push_target target;
	struct push_settings push_settings;
	struct push *push;		/* NULL: nothing is pushed */
	struct loop_timer timer;
	unsigned int reopens;
	bool is_ending;		/* the run is over */
	bool is_released;	/* ... and nothing will be printed any more */
	bool is_over;		/* this program is to end */
};

/* ---- the end ------------------------------------------------------------------------------- */

static void on_lingered(void *data)
{
	struct program *p = data;

	p->is_over = true;
}

/* Whoever waits for the end of memusage's output must not wait for a slow client. */
static void release_standard_files(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = 0; fd >= 0 && i <= STDERR_FILENO; i++)
		dup2(fd, i);
	if (fd > STDERR_FILENO)
		close(fd);
}

static void end_program(struct program *p, const char *reason)
{
	if (p->is_ending)
		return;
	p->is_ending = true;
	if (p->listener.path)
		unlink(p->listener.path);
	if (p->server)
		server_end(p->server, reason);
	push_end(p->push);
	loop_at(&p->loop, &p->timer, loop_now() + LINGER_MS, on_lingered, p);
}

static void on_signal(void *data, int fd, unsigned int what)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) == sizeof(info))
		end_program(data, "memusageserve was ended by a signal\n");
}

/* ---- the collector ------------------------------------------------------------------------- */

static void watch_collector(struct program *p);

/* Another collector may go on with the recording. */
static void look_for_collector(void *data)
{
	struct program *p = data;

	if (p->is_ending)
		return;
	if (run_reopen(&p->run) == 0)
		watch_collector(p);
	else if (++p->reopens < REOPENS && kill((pid_t)p->settings->pid, 0) == 0)
		loop_at(&p->loop, &p->timer, loop_now() + REOPEN_MS, look_for_collector, p);
	else if (kill((pid_t)p->settings->pid, 0) == 0)
		end_program(p, "the process is not recorded any more: there are no figures\n");
	else
		end_program(p, "the program has ended: there are no figures any more\n");
}

static void on_collector_ended(void *data, int fd, unsigned int what)
{
	struct program *p = data;

	loop_forget(&p->loop, fd);
	look_for_collector(p);
}

static void poll_collector(void *data)
{
	struct program *p = data;

	if (kill(p->run.collector, 0) < 0)
		look_for_collector(p);
	else
		loop_at(&p->loop, &p->timer, loop_now() + POLL_MS, poll_collector, p);
}

static void watch_collector(struct program *p)
{
	p->reopens = 0;
	if (p->run.pidfd >= 0)
		loop_watch(&p->loop, p->run.pidfd, LOOP_READ, on_collector_ended, p);
	else
		loop_at(&p->loop, &p->timer, loop_now() + POLL_MS, poll_collector, p);
}

/* ---- the beginning ------------------------------------------------------------------------- */

static void open_listener(struct program *p)
{
	const struct settings *s = p->settings;
	char why[LISTENER_TEXT];

	if (s->listener) {
		if (listener_adopt(&p->listener, (int)s->listener, s->serve) < 0)
			die("--listener=%u: not a socket that listens at %s", s->listener,
			    s->serve);
	} else if (listener_open(&p->listener, s->serve, (pid_t)s->pid, why) < 0) {
		die("cannot serve at %s", why);
	}
	if (!s->quiet)
		warn("serving process %u at %s", s->pid, p->listener.text);
}

/* The terminal's keys are for the program; its end ends us. */
static void watch_signals(struct program *p)
{
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	loop_watch(&p->loop, signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK), LOOP_READ, on_signal,
		   p);
}

static void begin_serving(struct program *p)
{
	open_listener(p);
	p->jobs = (struct jobs){ .loop = &p->loop, .run = &p->run,
				 .pushes = p->push ? push_counts(p->push) : NULL,
				 .no_names_cache = p->settings->no_names_cache };
	p->server = server_open(&p->loop, &p->listener, &p->jobs);
	if (!p->server)
		exit(EXIT_FAILURE);
}

static void parse_push_target(struct program *p)
{
	const struct push_options *o = &p->settings->push;
	struct mu_error err;

	if (push_target_parse(&p->target, o->url, &err) < 0)
		die("--push=%s: %s", o->url, err.text);
	if (push_target_read_headers(&p->target, o->headers, getenv("MEMUSAGE_PUSH_TOKEN"), &err) <
	    0)
		die("--push-headers: %s", err.text);
	if (push_target_set_authority(&p->target, o->authority, &err) < 0)
		die("--push-ca: %s", err.text);
	unsetenv("MEMUSAGE_PUSH_TOKEN");
}

/* Memory that a process allocated before we began belongs to no interval; a process
 * that memusage has just started with us is pushed from its beginning on. */
static void begin_pushing(struct program *p)
{
	const struct push_options *o = &p->settings->push;

	p->push_settings = (struct push_settings){
		.interval_ms = o->interval_ms ? o->interval_ms : PUSH_INTERVAL_MS,
		.service = o->service, .label = o->label, .labels = o->labels,
		.since_ns = p->settings->collector ? 0 : clock_now(CLOCK_MONOTONIC),
		.recording = p->settings->recording ? (int)p->settings->recording : -1,
		.no_names_cache = p->settings->no_names_cache, .quiet = p->settings->quiet,
	};
	if (p->push_settings.recording >= 0)
		fcntl(p->push_settings.recording, F_SETFD, FD_CLOEXEC);
	p->push = push_open(&p->loop, &p->run, &p->target, &p->push_settings);
	if (!p->settings->quiet)
		warn("pushing process %u to %s", p->settings->pid, p->target.shown);
}

static bool is_done(struct program *p)
{
	if (!p->is_ending || !push_is_idle(p->push))
		return p->is_over && push_is_idle(p->push);
	/* Until then the end of pushing may have to be reported. */
	if (p->push) {
		p->jobs.pushes = NULL;
		push_close(p->push);
		p->push = NULL;
	}
	if (!p->is_released)
		release_standard_files();
	p->is_released = true;
	return p->is_over || !p->server || server_is_idle(p->server);
}

int main(int argc, char **argv)
{
	static struct program p;
	struct mu_error err;

	p.listener = LISTENER_CLOSED;
	message_init("memusageserve", EXIT_FAILURE);
	limits_raise_stack();
	p.settings = settings_parse(argc, argv);
	if (p.settings->push.url)
		parse_push_target(&p);
	if (p.settings->is_check)
		return EXIT_SUCCESS;
	if (run_open(&p.run, (pid_t)p.settings->pid, (pid_t)p.settings->collector, &err) < 0)
		die("%s", err.text);
	loop_init(&p.loop);
	watch_signals(&p);
	if (p.settings->push.url)
		begin_pushing(&p);
	if (p.settings->serve)
		begin_serving(&p);
	watch_collector(&p);
	while (!is_done(&p)) {
		if (loop_step(&p.loop) < 0)
			die("cannot wait for events: %m");
	}
	push_close(p.push);
	push_target_free(&p.target);
	server_close(p.server);
	listener_close(&p.listener);
	run_close(&p.run);
	loop_fini(&p.loop);
	return EXIT_SUCCESS;
}
