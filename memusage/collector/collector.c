/* collector.c -- The process that owns the recordings of a tree: its event loop.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/collector.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/message.h"
#include "memusage/collector/code.h"
#include "memusage/collector/control.h"
#include "memusage/collector/examination_answer.h"
#include "memusage/collector/names_ahead.h"
#include "memusage/collector/newcomers.h"
#include "memusage/collector/process_end.h"
#include "memusage/collector/registration.h"
#include "memusage/collector/tree.h"
#include "memusage/collector/tree_cgroup.h"
#include "memusage/collector/tree_idle.h"
#include "memusage/collector/tree_memory.h"
#include "memusage/collector/tree_running.h"
#include "memusage/collector/tree_snapshots.h"
#include "memusage/common/clock.h"
#include "memusage/common/file_events.h"
#include "memusage/common/files.h"
#include "memusage/common/wire.h"
#include "memusage/record/durable.h"
#include "memusage/report/ended_images.h"
#include "memusage/report/not_recorded.h"
#include "memusage/report/reports.h"
#include "profile/base/limits.h"

enum {
	EVENTS = 64,
	TICK_MS = 100, /* maximum lag of a data file */
	NEWCOMER_MS = 20,
	FLOW = 8192    /* events per millisecond from which on the logs are polled */
};

/* A process registers within this time, or never: the recorder itself waits as long for a reply. */
#define NEWCOMER_NS UINT64_C(5000000000)

struct collector {
	struct tree tree;
	struct registration registration;
	struct names_ahead names;
	struct rusage usage;
	bool has_usage;
	char last_name[17];	/* name of the program when it ended, "" unknown */
	bool is_reported;	/* the launcher has the report, or is gone */
	bool is_ended;		/* the program has ended */
	bool is_settled;	/* ... and all events before its end have been handled */
	uint64_t last_snapshot; /* the last snapshot that belongs into the report */
	bool launcher_is_gone;
	bool is_attached;	/* the program ran before us */
	bool is_left;		/* ... and it is not recorded any more */
	bool is_met;		/* the launcher knows that a condition of --snapshot-when is met */
	unsigned int images; /* images whose reports have been made */
	uint64_t drained_ns; /* CLOCK_MONOTONIC of the last drain of the logs */
	bool is_flowing;     /* events are so many that the logs are polled */
	bool is_armed;	     /* the arenas wake us */
	bool is_deserted;    /* has_no_process() was true */
	uint64_t awaits_ns;  /* CLOCK_MONOTONIC since which only newcomers are awaited, or 0 */
};

static volatile sig_atomic_t must_end;
static int wake_event;

static void on_terminate(int signal)
{
	const uint64_t one = 1;
	int saved = errno;

	must_end = 1;
	if (write(wake_event, &one, sizeof(one)) < 0)
		errno = saved;
	errno = saved;
}

/* In a session of its own, the collector gets neither the terminal's keys nor job control. It
 * ignores the signals that were meant for the program. */
static void set_up_process(void)
{
	static const int ignored[] = { SIGINT, SIGQUIT, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2,
				       SIGTSTP, SIGTTIN, SIGTTOU, SIGXFSZ, SIGALRM };
	struct sigaction action = { .sa_handler = SIG_IGN };
	sigset_t none;

	setsid();
	prctl(PR_SET_NAME, "memusage-collec");
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		sigaction(ignored[i], &action, NULL);
	action.sa_handler = on_terminate;
	sigaction(SIGTERM, &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Allows a pidfd for every process of the tree. */
	limits_set(RLIMIT_NOFILE, RLIM_INFINITY);
	limits_raise_stack();
}

static void watch_descriptor(int fd)
{
	if (fd >= 0)
		file_events_add(fd);
}

/* ---- the launcher ------------------------------------------------------------------------ */

/* The launcher has given it the name of the recording, which depends on the process ID. */
static void learn_arena_name(struct tree *t)
{
	struct arena *first = &t->arena[0]->arena;

	if (!first->name || !t->s->record.name)
		return;
	free(first->name);
	first->name = durable_name(t->s->record.name, 0);
}

static void handle_message(struct collector *c, const struct wire *message)
{
	struct tree *t = &c->tree;

	if (message->kind == WIRE_STARTED || message->kind == WIRE_ATTACHED) {
		t->root = message->pid;
		c->is_attached = message->kind == WIRE_ATTACHED;
		if (c->is_attached)
			tree_attach(t, t->root);
		else
			tree_watch(t, t->root);
		recordfile_begin(&t->s->record, t->root, &t->s->arena.view.head,
				 t->s->killed != 0);
		learn_arena_name(t);
		if (t->s->killed && !t->s->settings->progname)
			t->owner = t->root;
	} else if (message->kind == WIRE_ENDED) {
		snprintf(c->last_name, sizeof(c->last_name), "%.16s", message->data);
		c->is_ended = c->has_usage = true;
		c->usage = message->usage;
		tree_note_root_status(t, message->status);
	} else if (message->kind == WIRE_SAMPLE) {
		tree_memory_sample_last(t, message);
	} else if (message->kind == WIRE_LEFT) {
		struct process *root = processes_find(&t->processes, t->root);

		c->is_ended = c->is_left = t->is_root_status_lost = true;
		if (root && message->status == WIRE_LEFT_IT_EXECUTED)
			tree_end_image(t, root, TREE_EXEC);
		/* A process that has no image any more was left, or is dead. */
		t->is_detached = true;
	}
}

static void receive_from_launcher(struct collector *c, bool may_wait)
{
	struct wire message;
	struct pollfd wait = { .fd = c->tree.s->wire, .events = POLLIN };
	int result;

	if (c->launcher_is_gone)
		return;
	if (may_wait)
		poll(&wait, 1, 2000);
	while ((result = wire_receive(c->tree.s->wire, &message)) > 0)
		handle_message(c, &message);
	if (result < 0) {
		c->launcher_is_gone = true;
		c->tree.is_root_status_lost = true;
		/* Another attacher may take the recorder away. */
		c->tree.is_detached |= c->is_attached;
		file_events_remove(c->tree.s->wire);
	}
}

/* A program may register before the launcher has reported its start. */
static void learn_root(void *data)
{
	struct collector *c = data;

	if (c->tree.root == 0)
		receive_from_launcher(c, true);
}

/* ---- the report -------------------------------------------------------------------------- */

/* A reader of our standard output must see its end when the program has ended. */
static void replace_standard_files(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd < 3; fd++) {
		if (null >= 0)
			dup2(null, fd);
		else
			close(fd);
	}
	if (null > 2)
		close(null);
}

/* Processes that outlive the program are reported only to a file of --output. */
static void detach_from_launcher(struct collector *c)
{
	struct report *r = &c->tree.report;

	if ((!r->settings->output || r->settings->quiet) && r->fd >= 0) {
		close(r->fd);
		r->fd = -1;
	}
	if (c->tree.s->text >= 0)
		close(c->tree.s->text);
	c->tree.s->text = -1;
	replace_standard_files();
	/* The launcher, its only reader, is gone. */
	if (c->tree.s->ended_images >= 0)
		close(c->tree.s->ended_images);
	c->tree.s->ended_images = -1;
}

/* Has memusageprint report the images that have been added since the last call. */
static void make_reports(struct collector *c)
{
	struct session *s = c->tree.s;
	struct report *r = &c->tree.report;

	if (!settings_has_reports(s->settings) || s->record.images == c->images)
		return;
	if (c->images == 0 && gate_wanted(&s->settings->gate))
		tree_running_add(&c->tree);
	if (c->images == 0 || settings_has_files(s->settings))
		reports_make(s, r, c->images, r->main ? r->main_pid : 0);
	c->images = s->record.images;
}

/* Reports which data the killed collector took with it. The processes themselves are not
 * affected. */
static void note_replaced(struct tree *t)
{
	const struct session *s = t->s;
	const struct settings *settings = s->settings;
	const char *missing[] = {
		s->ended_images < 0 ? "processes that had ended earlier are missing" : NULL,
		settings->data || settings->png ? "the data file is incomplete" : NULL,
		settings_has_timeline(settings) ? "resident memory is known only from then on" :
						  NULL,
		triggers_wanted(&settings->triggers) ? "earlier snapshots are not listed" : NULL,
	};
	char text[256] = "";

	for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++) {
		size_t used = strlen(text);

		if (missing[i])
			snprintf(text + used, sizeof(text) - used, "%s%s", used ? "; " : ": ",
				 missing[i]);
	}
	report_note(&t->report,
		    "the collector (process %d) was killed by signal %d, and replaced%s",
		    (int)s->killed, s->killed_by, text);
}

static const char *first_image_name(const struct result *r)
{
	for (uint32_t i = 0; i < r->thread_count; i++)
		if (r->thread[i].tid == r->process.pid)
			return r->thread[i].name;
	return "";
}

/* The kernel names a process after its program. A program may have renamed itself, too, but an
 * image whose exit handlers ran was the last one. */
static void note_successor(struct collector *c)
{
	struct report *r = &c->tree.report;
	const char *first;

	if (!r->main || r->main_pid != c->tree.root || r->main->process.exit == MU_EXIT_NORMAL)
		return;
	first = first_image_name(r->main);
	if (*first && *c->last_name && strcmp(first, c->last_name) != 0)
		report_line(r,
			    "'%s' was recorded, and the process was '%s' at its end: if it "
			    "executed that program, that was not recorded (it is static or "
			    "setuid, lost the environment of memusage, had a seccomp filter "
			    "before, or fewer than two free file descriptors)",
			    first, c->last_name);
}

/* People find out what a recording is for; a file or a pipe gets the report alone. */
static void hint_at_recording(struct report *r, const struct recordfile *record)
{
	if (!record->pattern || !record->name || record->images == 0 || !isatty(r->fd))
		return;
	if (settings_has_answer(r->settings))
		report_line(r, "recording kept in %s", record->name);
	else
		report_line(r, "memusageprint --top %s shows what held most memory", record->name);
}

/* "kept.mur: No space left on device: 2 processes are missing in it; what it has can be read" */
static void note_lost_images(struct tree *t)
{
	const struct recordfile *r = &t->s->record;

	if (r->lost > 0)
		report_note(&t->report, "%s: %s: %llu process%s missing in it%s",
			    r->name ? r->name : "the recording", r->error.text,
			    (unsigned long long)r->lost, r->lost == 1 ? " is" : "es are",
			    r->images > 0 ? "; the others can be read" : "");
}

/* Tells whether no process is recorded any more, and none that could still be is about to
 * register. */
static bool has_no_process(struct collector *c)
{
	uint64_t now = clock_now(CLOCK_MONOTONIC);

	if (!tree_is_empty(&c->tree)) {
		c->is_deserted = false;
		c->awaits_ns = 0;
		return false;
	}
	if (c->is_deserted || !newcomers_exist(&c->tree))
		return c->is_deserted = true;
	if (c->awaits_ns == 0)
		c->awaits_ns = now;
	return now - c->awaits_ns >= NEWCOMER_NS;
}

/* The next run may begin when this one is reported, but this process ends later. Processes that go
 * on add to the recording. */
static void release_outputs(struct collector *c)
{
	struct tree *t = &c->tree;

	files_unlock(t->s->report);
	files_unlock(t->s->files.fd);
	if (t->s->record.fd >= 0 && has_no_process(c)) {
		recordfile_complete(&t->s->record);
		tree_remove_arena_files(t);
		files_unlock(t->s->record.fd);
	}
	datafiles_end_main(&t->s->files);
}

/* Tells whether nothing is left to record or to write. */
static bool has_nothing_left(struct collector *c)
{
	return c->is_reported && !tree_snapshots_pending(UINT64_MAX) && has_no_process(c);
}

/* This process ends later than memusage. By then the user may want to unmount the file system. */
static void close_outputs(struct session *s, struct report *r)
{
	recordfile_close(&s->record);
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
}

/* Without any recording there is nothing to judge. */
static int found_by_reports(const struct tree *t)
{
	const struct report *r = &t->report;

	return (r->has_leak_errors ? WIRE_LEAK_ERRORS : 0) |
	       (r->gate == GATE_BROKEN ? WIRE_BROKEN : 0) |
	       (gate_wanted(&t->s->settings->gate) && r->gate == GATE_NOT_JUDGED ?
			WIRE_NOT_JUDGED : 0);
}

static void make_report(struct collector *c)
{
	struct tree *t = &c->tree;
	struct wire done = { .kind = WIRE_DONE };
	const struct not_recorded nothing = {
		.program = t->s->program,
		.filter = t->s->settings->progname,
		.ignored = t->ignored,
		.refused = t->refused,
	};
	char why[NOT_RECORDED_TEXT] = "";

	if (!t->report.main)
		not_recorded_reason(&nothing, why);
	if (t->s->killed) {
		note_replaced(t);
		recordfile_resume(&t->s->record, t->root, &t->s->arena.view.head);
		t->s->files.is_used = true;
	}
	t->is_over = c->is_left;
	tree_end_unmapped(t);
	tree_report_running(t);
	note_successor(c);
	note_lost_images(t);
	tree_snapshots_report(t);
	tree_cgroup_report(t);
	hint_at_recording(&t->report, &t->s->record);
	/* The places that were asked for come before all notes. */
	if (settings_has_answer(t->s->settings))
		make_reports(c);
	report_finish(&t->report, why, c->has_usage ? &c->usage : NULL);
	/* Only now: the image of a process that runs on has just ended. */
	done.has_data = t->owner_data;
	if (t->s->files.name)
		strncpy(done.data, t->s->files.name, sizeof(done.data) - 1);
	make_reports(c);
	done.status = found_by_reports(t);
	c->is_reported = true;
	release_outputs(c);
	if (has_nothing_left(c))
		close_outputs(t->s, &t->report);
	detach_from_launcher(c);
	if (!c->launcher_is_gone)
		wire_send(t->s->wire, &done);
}

/* ---- the loop ---------------------------------------------------------------------------- */

static void handle_event(struct collector *c, int fd)
{
	struct tree *t = &c->tree;
	uint64_t count;

	if (fd == t->s->wire)
		receive_from_launcher(c, false);
	else if (fd == t->s->endpoint.abstract_fd || fd == t->s->endpoint.path_fd)
		registration_accept(&c->registration, fd);
	else if (fd == t->event && read(fd, &count, sizeof(count)) < 0)
		return;
	else if (!tree_process_ended(t, fd) && !control_closed(t, fd))
		registration_read(&c->registration, fd);
}

/* From some hundred wakes a second on, waking costs the program and the collector more than polling
 * every millisecond. */
static void drain_logs(struct collector *c)
{
	uint64_t events = tree_drain(&c->tree), now;

	if (events == 0 && !c->is_flowing)
		return;
	now = clock_now(CLOCK_MONOTONIC);
	c->is_flowing = c->tree.s->settings->buffer >= 4 * FLOW &&
			events >= (now - c->drained_ns) / 1000000 * FLOW && events >= FLOW;
	c->drained_ns = now;
}

/* The first one ends the recording of a process that runs on without us. */
static void tell_condition(struct collector *c)
{
	const struct wire message = { .kind = WIRE_MET };

	if (c->is_met || !c->is_attached || c->launcher_is_gone || tree_snapshots_last() == 0)
		return;
	c->is_met = true;
	wire_send(c->tree.s->wire, &message);
}

/* Handles all changes since the last call; cheap enough to be called after every wake. */
static void process_changes(struct collector *c)
{
	struct tree *t = &c->tree;

	c->is_armed = !c->is_flowing;
	if (c->is_armed)
		tree_arm(t);
	tree_scan(t);
	tree_check_ends(t);
	tree_snapshots_advance(t);
	tell_condition(c);
	drain_logs(c);
}

/* Milliseconds; -1 is never. */
static int sooner_timeout(int a, int b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

static int next_timeout(struct collector *c)
{
	struct tree *t = &c->tree;
	bool must_look = tree_must_poll(t) || tree_snapshots_must_poll();
	int memory = tree_memory_sample_due(t), idle = tree_idle_check(t);
	int limit = tree_cgroup_check(t);
	int names = c->is_settled ? -1 : names_ahead_advance(&c->names, t);

	/* After a burst of events one more poll is needed, since its last events wake nothing. */
	if (c->is_flowing || !c->is_armed)
		return 1;
	if (c->awaits_ns != 0)
		idle = sooner_timeout(idle, NEWCOMER_MS);
	if (must_look && (idle < 0 || idle > TICK_MS))
		idle = TICK_MS;
	return sooner_timeout(limit, sooner_timeout(names, sooner_timeout(idle, memory)));
}

/* Returns whether anything happened within TIMEOUT milliseconds. */
static bool handle_events(struct collector *c, int timeout)
{
	int fd[EVENTS];
	int count = file_events_wait(fd, EVENTS, timeout);

	for (int i = 0; i < count; i++)
		if (file_events_is_ready(fd[i]))
			handle_event(c, fd[i]);
	return count > 0;
}

/* Handles everything that has happened so far; each pass can reveal more. The number of passes is
 * bounded, since other processes may go on forever. */
static void settle_events(struct collector *c)
{
	for (int turns = 0; turns < 64; turns++) {
		process_changes(c);
		if (!handle_events(c, 0))
			return;
	}
}

/* Returns whether the recorder was taken away from a process whose attacher was killed. */
static bool was_left(const struct collector *c)
{
	const struct process *p = processes_find(&c->tree.processes, c->tree.root);

	return c->is_attached && p && p->slot < 0;
}

/* The report includes every process that had ended when the program's end was reported. */
static bool is_finished(struct collector *c)
{
	struct tree *t = &c->tree;

	if (c->launcher_is_gone &&
	    (t->root == 0 || was_left(c) || !processes_find(&t->processes, t->root)))
		c->is_ended = true;
	if (c->is_ended && !c->is_settled) {
		names_ahead_stop(&c->names);
		settle_events(c);
		c->is_settled = true;
		c->last_snapshot = tree_snapshots_last();
	}
	if (c->is_settled && !c->is_reported && !tree_snapshots_pending(c->last_snapshot))
		make_report(c);
	return must_end || has_nothing_left(c);
}

static void run_loop(struct collector *c)
{
	while (!is_finished(c)) {
		handle_events(c, next_timeout(c));
		process_changes(c);
	}
}

void collector_run(struct session *s)
{
	static struct collector c;

	set_up_process();
	if (tree_init(&c.tree, s) < 0 ||
	    registration_init(&c.registration, &c.tree, learn_root, &c) < 0)
		die("cannot start the collector: %m");
	wake_event = c.tree.event;
	if (s->killed)
		ended_images_replay(s->ended_images, &c.tree.report, &c.tree.last_reported);
	fcntl(s->wire, F_SETFL, O_NONBLOCK);
	watch_descriptor(s->wire);
	watch_descriptor(s->endpoint.abstract_fd);
	watch_descriptor(s->endpoint.path_fd);
	watch_descriptor(c.tree.event);
	run_loop(&c);
	names_ahead_stop(&c.names);
	tree_shutdown(&c.tree);
	tree_snapshots_finish(&c.tree);
	if (!c.is_reported)
		make_report(&c);
	make_reports(&c);
	report_close(&c.tree.report);
	code_free();
	examination_answer_free();
	tree_fini(&c.tree);
	recordfile_close(&s->record);
	tree_remove_arena_files(&c.tree);
	endpoint_close(&s->endpoint);
	library_remove(&s->library);
}
