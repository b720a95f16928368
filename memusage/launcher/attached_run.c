/* attached_run.c -- Recording a process that runs already.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/launcher/attached_run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "memusage/attach/adopt.h"
#include "memusage/collector/left_checks.h"
#include "memusage/common/clock.h"
#include "memusage/common/escape.h"
#include "memusage/common/process.h"
#include "memusage/common/program.h"
#include "memusage/common/wire.h"

enum { LOOK_MS = 50, SAMPLE_MS = 500, PATH_BYTES = 4096 };

char *attached_run_program(unsigned int pid)
{
	char link[32], path[PATH_BYTES];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/%u/exe", pid);
	length = readlink(link, path, sizeof(path) - 1);
	return length > 0 ? xstrndup(path, (size_t)length) : xasprintf("process %u", pid);
}

static void tell_before(const struct attachment *a, bool is_verbose)
{
	const struct attachment_before *b = &a->before;
	char bytes[UNITS_LENGTH], blocks[UNITS_LENGTH], time[UNITS_LENGTH];

	if (b->kind == MU_BEFORE_UNKNOWN)
		fprintf(stderr, "memusage: process %d: its blocks from before are not known: %s\n",
			(int)a->pid, b->why);
	else if (b->kind == MU_BEFORE_AT_MOST)
		fprintf(stderr, "memusage: process %d: its blocks from before are %s at most: %s, "
				"and to count them would stop it for too long (memusage --pid=%d "
				"census does)\n", (int)a->pid, units_bytes(bytes, b->bytes), b->why,
			(int)a->pid);
	else if (is_verbose)
		fprintf(stderr, "memusage: process %d: it has %s blocks of %s from before; to "
				"count them took %s of that\n", (int)a->pid,
			units_grouped(blocks, b->blocks), units_bytes(bytes, b->bytes),
			units_time(time, b->ns));
}

/* The pause is the process's: users of a server want to know it. */
static void tell_begun(const struct attachment *a, const struct settings *settings)
{
	char name[17], safe[4 * sizeof(name)], pause[UNITS_LENGTH];

	if (settings->quiet)
		return;
	/* The process chooses it, and may be another user's. */
	process_name(a->pid, name);
	escape_text(safe, sizeof(safe), name);
	fprintf(stderr, "memusage: process %d (%s) is recorded from now on%s\n", (int)a->pid, safe,
		settings->duration_ns ? "" : "; Ctrl-C ends that");
	if (settings->verbose)
		fprintf(stderr, "memusage: process %d: its %u thread%s stood for %s\n",
			(int)a->pid, a->threads, a->threads == 1 ? "" : "s",
			units_time(pause, a->pause_ns));
	tell_before(a, settings->verbose);
}

/* Returns false with ERR if it cannot be taken away. */
static bool remove_earlier(const struct settings *settings, int pid, struct mu_error *err)
{
	const bool is_ordered = settings->detach != 0;
	const enum adopt_result result = adopt_and_remove(pid, is_ordered, err);

	if (settings->quiet)
		return result != ADOPT_FAILED;
	if (result == ADOPT_GONE)
		fprintf(stderr,
			"memusage: process %d: the recorder of an earlier attacher is taken away\n",
			pid);
	else if (result == ADOPT_NONE && is_ordered)
		fprintf(stderr, "memusage: process %d: there is no recorder of an attacher\n", pid);
	return result != ADOPT_FAILED;
}

int attached_run_detach(const struct settings *settings)
{
	const int pid = (int)settings->detach;
	struct mu_error err = { .code = MU_ERROR_NONE };

	if (kill(pid, 0) < 0 && errno == ESRCH) {
		warn("there is no process %d", pid);
		return STATUS_FAILED;
	}
	if (remove_earlier(settings, pid, &err))
		return 0;
	warn("process %d: the recorder cannot be taken away: %s", pid, err.text);
	return STATUS_FAILED;
}

void attached_run_begin(struct attached_run *r, struct session *s, const struct mu_config *config)
{
	const struct settings *settings = s->settings;
	const int pid = (int)settings->attach;
	struct mu_error err = { .code = MU_ERROR_NONE };

	r->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (!remove_earlier(settings, pid, &err))
		die("cannot attach to process %d: %s", pid, err.text);
	r->attachment = attach_begin_recording(pid, s->library.path, config,
					       settings->triggers.watch, &s->arena, &err);
	if (!r->attachment)
		die("cannot attach to process %d: %s", pid, err.text);
	r->memory = attach_open_memory(r->attachment);
	if (settings->duration_ns)
		r->end_ns = clock_now(CLOCK_MONOTONIC) + settings->duration_ns;
	tell_begun(r->attachment, settings);
}

bool attached_run_take_signal(const sigset_t *taken)
{
	const struct timespec now = { 0, 0 };
	siginfo_t info;

	while (sigtimedwait(taken, &info, &now) > 0) {
		if (info.si_signo == SIGINT || info.si_signo == SIGTERM ||
		    info.si_signo == SIGHUP || info.si_signo == SIGQUIT)
			return true;
	}
	return false;
}

/* A collector that was killed is replaced. */
static bool is_condition_met(int wire)
{
	struct wire message;

	return wire_receive(wire, &message) == 1 && message.kind == WIRE_MET;
}

bool attached_run_is_over(struct attached_run *r, int wire)
{
	struct pollfd wait[] = { { .fd = r->pidfd, .events = POLLIN },
				 { .fd = wire, .events = POLLIN } };

	return !attach_is_there(r->attachment, r->memory) ||
	       (poll(wait, 2, LOOK_MS) > 0 &&
		(wait[0].revents || (wait[1].revents & POLLIN && is_condition_met(wire)))) ||
	       (r->end_ns && clock_now(CLOCK_MONOTONIC) >= r->end_ns);
}

static bool has_ended(const struct attached_run *r)
{
	struct pollfd wait = { .fd = r->pidfd, .events = POLLIN };

	return !attach_is_there(r->attachment, r->memory) || poll(&wait, 1, 0) > 0;
}

/* Returns whether another program is in its place. The memory of a process that ends is gone before
 * the process is. */
static bool has_executed(const struct attached_run *r)
{
	struct pollfd wait = { .fd = r->pidfd, .events = POLLIN };
	const pid_t pid = r->attachment->pid;

	return !attach_is_there(r->attachment, r->memory) &&
	       !process_is_ending(process_view(pid)) && kill(pid, 0) == 0 &&
	       poll(&wait, 1, 0) == 0;
}

/* The process is recorded until then. One that ends asks for it itself. */
static void examine_before(const struct attached_run *r, const struct session *s)
{
	struct live l;

	live_from_view(&l, &s->arena.view, 0, 0);
	left_checks_make(s, &l, r->attachment->pid);
}

/* While the recorder is there, whose own memory is not the program's. A collector that has much to
 * do is not waited for. */
static void sample_memory(int wire)
{
	const struct wire order = { .kind = WIRE_SAMPLE };
	struct wire answer = { .kind = 0 };
	struct pollfd wait = { .fd = wire, .events = POLLIN };

	if (wire_send(wire, &order) < 0)
		return;
	do {
		if (poll(&wait, 1, SAMPLE_MS) <= 0 || wire_receive(wire, &answer) < 0)
			return;
	} while (answer.kind != WIRE_SAMPLE);
}

/* Where the recorder stays, calls may still lead through it. It then costs little, and fills no
 * memory in vain. */
static void stop_recording(const struct segment *view)
{
	for (uint32_t k = 0; k < view->head.slot_count; k++) {
		struct mu_slot slot;
		struct live l;

		if (!segment_slot(view, k, &slot) || slot.state != MU_SLOT_LIVE)
			continue;
		live_from_view(&l, view, k, slot.generation);
		live_request(&l, MU_REQUEST_STOP);
	}
}

static enum wire_left what_became(const struct attached_run *r)
{
	if (!has_ended(r))
		return WIRE_LEFT_IT_RUNS;
	return has_executed(r) ? WIRE_LEFT_IT_EXECUTED : WIRE_LEFT_IT_ENDED;
}

static void tell_left(const struct attached_run *r, const struct settings *settings,
		      enum wire_left left)
{
	const struct attachment *a = r->attachment;
	char pause[UNITS_LENGTH];

	if (settings->quiet)
		return;
	if (left == WIRE_LEFT_IT_RUNS)
		fprintf(stderr, "memusage: process %d runs on without the recorder%s%s\n",
			(int)a->pid, settings->verbose ? "; it stood for " : "",
			settings->verbose ? units_time(pause, a->pause_ns) : "");
	else if (left == WIRE_LEFT_IT_EXECUTED)
		fprintf(stderr, "memusage: process %d executes another program now, which is not "
			"recorded\n", (int)a->pid);
}

enum wire_left attached_run_leave(struct attached_run *r, const struct session *s)
{
	struct attachment *a = r->attachment;
	const enum wire_left left = what_became(r);

	if (left == WIRE_LEFT_IT_RUNS) {
		sample_memory(s->wire);
		examine_before(r, s);
	}
	/* Forked children may live longer. */
	if (!attach_end_recording(a)) {
		stop_recording(&s->arena.view);
		warn("process %d%s: the recorder cannot be taken away: %s; it stays there, but "
		     "records nothing more; memusage --detach=%d tries again", (int)a->left,
		     a->left == a->pid ? "" : ", a forked child", a->err.text, (int)a->left);
	} else {
		tell_left(r, s->settings, left);
	}
	return left;
}
