/* remote_live.c -- `memusage --pid=PID live`: copy the recording for a view of it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/remote_live.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/live_wire.h"
#include "cli/message.h"
#include "cli/temporary.h"
#include "cli/xmalloc.h"
#include "memusage/common/child.h"
#include "memusage/common/clock.h"
#include "memusage/common/process.h"
#include "memusage/common/procmem.h"
#include "memusage/record/live_copy.h"
#include "memusage/remote/remote_request.h"
#include "memusage/remote/remote_samples.h"
#include "memusage/remote/view_terminal.h"

enum { PROCESSES_MAX = 256 };	/* other processes that are copied, so that a look stays short */

struct live_server {
	struct remote *r;
	int socket;
	int file;	/* of the copies */
	uint32_t pid;	/* of the shown process, as it sees itself */
};

/* ---- a copy ------------------------------------------------------------------------------- */

/* A process that executes another program goes on in another slot. */
static bool select_process(struct live *l, uint32_t pid)
{
	struct mu_slot slot;

	for (uint32_t k = 0; segment_slot(&l->view, k, &slot); k++) {
		if (slot.state == MU_SLOT_LIVE && slot.pid == pid)
			return live_select(l, k, slot.generation, NULL) == 0;
	}
	return false;
}

/* State of appending the other processes. */
struct others {
	struct save *keep;
	uint32_t pid;		/* of the shown process, which is there already */
	uint32_t generation;	/* of its slot */
	unsigned int added;
	uint32_t left_out;
};

/* Appends the header and the threads of a process, without its places. */
static bool add_process(struct others *o, const struct segment *view, uint32_t k,
			const struct mu_slot *slot)
{
	struct mu_error err;
	struct image im;

	if (segment_image(view, k, &im, &err) < 0)
		return false;
	im.head.features &= MU_FEATURE(MU_SEC_PROCESS) | MU_FEATURE(MU_SEC_COUNTERS) |
			    MU_FEATURE(MU_SEC_THREADS) | MU_FEATURE(MU_SEC_DROPS);
	im.head.lifetimes = 0;
	im.head.end = MU_END_RUNNING;
	return save_add(o->keep, &im, slot, &err) == 0;
}

static void add_processes(struct others *o, const struct segment *view)
{
	struct mu_slot slot;

	for (uint32_t k = 0; segment_slot(view, k, &slot); k++) {
		if (slot.state != MU_SLOT_LIVE ||
		    (slot.pid == o->pid && slot.generation == o->generation))
			continue;
		if (o->added < PROCESSES_MAX)
			o->added += add_process(o, view, k, &slot);
		else
			o->left_out++;
	}
}

/* Processes of other users are in other arenas of the collector, which hands out all of them to
 * the user of the run. */
static void add_other_processes(struct others *o, const struct live_server *s)
{
	const struct contact *own = &s->r->contact;
	struct contact c = CONTACT_CLOSED;
	const pid_t collector = own->answer.collector;

	if (collector == 0 || contact_open(&c, collector, CONTROL_RUN) != CONTACT_OK ||
	    c.answer.collector != collector) {
		add_processes(o, &own->live.view);
	} else {
		do
			add_processes(o, &c.live.view);
		while (contact_open_next(&c, collector, CONTROL_RUN) == CONTACT_OK);
	}
	contact_close(&c);
}

/* The file stays as it was if the process has ended. */
static int save_copy(struct live_server *s, struct live_copy *c, const struct live_question *q,
		     struct live_answer *a, struct mu_error *err)
{
	struct live *l = &s->r->contact.live;
	struct save keep;
	struct others others = { .keep = &keep, .pid = s->pid, .generation = l->generation };
	int result;

	if (ftruncate(s->file, 0) < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	if (save_begin(&keep, s->file, &l->view.head, err) < 0)
		return -1;
	/* A process that ends now has been copied already. */
	result = live_copy_save(c, l, (pid_t)s->pid, &keep, err);
	if (result < 0 && !live_is_current(l) && keep.head.slot_count > 0)
		result = 0;
	if (result == 0 && q->parts & LIVE_PART_PROCESSES)
		add_other_processes(&others, s);
	a->left_out = others.left_out;
	save_end(&keep);
	return result;
}

/* The process as our own /proc names it; slots have the ID in its own PID namespace. */
static pid_t visible_pid(const struct live_server *s)
{
	return process_own_pid(s->r->pid) == (pid_t)s->pid ? s->r->pid : (pid_t)s->pid;
}

/* The collector's timeline until now, or NULL. */
static const struct samples *read_samples(struct live_server *s, struct samples *samples)
{
	const int fd = contact_ask_samples(visible_pid(s));
	const struct samples *result;

	result = remote_samples_read(samples, fd, &s->r->contact.live);
	if (fd >= 0)
		close(fd);
	return result;
}

static int copy_process(struct live_server *s, const struct live_question *q,
			struct live_answer *a, struct mu_error *err)
{
	const bool is_whole = q->ask == LIVE_ASK_RECORD || q->parts & LIVE_PART_MARK;
	struct live *l = &s->r->contact.live;
	struct samples samples = { .item = NULL };
	const struct samples *known = NULL;
	struct live_copy c;
	int result;

	if (is_whole || q->parts & LIVE_PART_HISTORY)
		known = read_samples(s, &samples);
	result = is_whole ? live_copy_take(&c, l, known, err) :
			    live_copy_look(&c, l, q->parts & LIVE_PART_HISTORY, known, err);
	a->mono_ns = c.image.head.process.exit_mono_ns;
	a->moved = c.moved;
	if (result == 0)
		result = save_copy(s, &c, q, a, err);
	live_copy_free(&c);
	samples_free(&samples);
	return result;
}

/* ---- what the kernel knows ---------------------------------------------------------------- */

static void read_kernel_figures(const struct live_server *s, struct live_answer *a)
{
	struct procmem m = { .rss_anon = 0 };
	pid_t pid = visible_pid(s);
	char state = 'R';
	int status, fd = procmem_open(pid);

	if (fd < 0)
		return;
	if (procmem_read(fd, &m)) {
		a->rss = m.rss_anon + m.rss_file + m.rss_shmem;
		a->threads = (uint32_t)m.threads;
	}
	close(fd);
	process_exit_code(pid, &state, &status);
	a->is_stopped = state == 'T' || state == 't';
}

/* ---- questions ---------------------------------------------------------------------------- */

/* Only one client at a time may have a request, so the mark has a contact of its own. */
static void set_mark(struct live_server *s, struct live_answer *a)
{
	struct contact c = CONTACT_CLOSED;
	struct mu_error err = { .text = "" };
	bool is_later = false;
	int result = -1;

	switch (contact_open(&c, visible_pid(s), CONTROL_EXCLUSIVE)) {
	case CONTACT_OK:
		result = remote_request_send(&c.live, MU_REQUEST_MARK, MARK_NAME, &is_later, &err);
		break;
	case CONTACT_BUSY:
		mu_error_set(&err, MU_ERROR_SYSTEM, 0, "it is in use by another memusage");
		break;
	default:
		mu_error_set(&err, MU_ERROR_SYSTEM, 0, "its collector does not answer");
	}
	contact_close(&c);
	a->is_later = is_later;
	a->status = result == 0 ? LIVE_COPIED : LIVE_FAILED;
	snprintf(a->text, sizeof(a->text), "%.120s", err.text);
}

static bool is_there(uint32_t pid)
{
	return kill((pid_t)pid, 0) == 0 || errno == EPERM;
}

/* Selects the process that is asked for. Returns false, with an answer, if there is none. */
static bool choose_process(struct live_server *s, uint32_t pid, struct live_answer *a)
{
	struct live *l = &s->r->contact.live;
	const uint32_t last = s->pid;

	s->pid = a->pid = pid ? pid : last;
	if (select_process(l, s->pid))
		return true;
	a->status = LIVE_ENDED;
	if (s->pid == last || !is_there(s->pid))
		return false;
	a->status = LIVE_FAILED;
	snprintf(a->text, sizeof(a->text), "process %u belongs to another user, who can ask: "
		 "memusage --pid=%u live", s->pid, s->pid);
	s->pid = last;
	return false;
}

static void answer_question(struct live_server *s, const struct live_question *q,
			    struct live_answer *a)
{
	struct live *l = &s->r->contact.live;
	const uint64_t start = clock_now(CLOCK_MONOTONIC);
	struct mu_error err = { .text = "" };

	if (!choose_process(s, q->pid, a))
		return;
	if (q->ask == LIVE_ASK_MARK) {
		set_mark(s, a);
		return;
	}
	if (copy_process(s, q, a, &err) < 0) {
		a->status = live_is_current(l) ? LIVE_FAILED : LIVE_ENDED;
		snprintf(a->text, sizeof(a->text), "%.120s", err.text);
	}
	read_kernel_figures(s, a);
	a->is_later = mu_request_is_mark(__atomic_load_n(&l->shared->request, __ATOMIC_RELAXED));
	a->took_ns = clock_now(CLOCK_MONOTONIC) - start;
}

static void serve_view(struct live_server *s)
{
	struct live_question q;
	ssize_t length;

	while ((length = recv(s->socket, &q, sizeof(q), 0)) != 0) {
		struct live_answer a = { .status = LIVE_COPIED };

		if (length < 0 && errno == EINTR)
			continue;
		if (length != sizeof(q))
			break;
		if (q.ask == LIVE_ASK_INTERRUPT) {
			if (s->r->settings->live)
				kill(s->r->pid, SIGINT);
			continue;
		}
		answer_question(s, &q, &a);
		if (send(s->socket, &a, sizeof(a), MSG_NOSIGNAL) < 0)
			break;
	}
}

/* ---- the view ----------------------------------------------------------------------------- */

static void execute_view(const struct live_server *s, int socket)
{
	static const char *const when[] = { "auto", "always", "never" };
	static const char *const groups[] = { "line", "function", "file", "object" };
	const struct settings *settings = s->r->settings;
	struct opt_list a = { .count = 0 };

	opt_list_append(&a, "memusageprint");
	remote_append_options(&a, s->r);
	if (settings->debuginfod)
		opt_list_append(&a, "--debuginfod");
	if (settings->no_names_cache)
		opt_list_append(&a, "--no-names-cache");
	opt_list_append(&a, xasprintf("--group=%s", groups[settings->group]));
	if (settings->grep)
		opt_list_append(&a, xasprintf("--grep=%s", settings->grep));
	if (settings->runtime_frames == RUNTIME_SHOW)
		opt_list_append(&a, "--runtime-frames=show");
	opt_list_append(&a, xasprintf("--color=%s", when[settings->color]));
	opt_list_append(&a, xasprintf("--live-view=%d", socket));
	fcntl(socket, F_SETFD, 0);
	if (s->r->program_output >= 0) {
		opt_list_append(&a, xasprintf("--live-output=%d", s->r->program_output));
		fcntl(s->r->program_output, F_SETFD, 0);
	}
	if (s->r->once)
		opt_list_append(&a, "--once");
	opt_list_append(&a, child_pass_file(s->file));
	child_execute(&a, "");
}

static int await_view(pid_t pid, struct view_terminal *terminal)
{
	const int status = child_wait(pid);

	view_terminal_end(terminal, WIFSIGNALED(status));
	if (WIFSIGNALED(status))
		warn("the view has ended: memusageprint was killed by signal %d (%s)",
		     WTERMSIG(status), strsignal(WTERMSIG(status)));
	return status == 0 ? 0 : -1;
}

static int run_view(struct live_server *s, int peer)
{
	struct view_terminal terminal;
	pid_t pid;

	view_terminal_keep(&terminal);
	pid = child_fork("memusageprint");

	if (pid == 0)
		execute_view(s, peer);
	close(peer);
	if (pid < 0) {
		view_terminal_end(&terminal, false);
		return -1;
	}
	serve_view(s);
	/* The view ends when it sees the end of its socket. */
	shutdown(s->socket, SHUT_RDWR);
	return await_view(pid, &terminal);
}

static bool find_own_pid(struct live_server *s)
{
	struct live *l = &s->r->contact.live;
	struct mu_slot slot;

	if (!segment_slot(&l->view, l->slot, &slot))
		return false;
	s->pid = slot.pid;
	return true;
}

int remote_live_run(struct remote *r)
{
	struct live_server s = { .r = r, .file = temporary_open() };
	int pair[2], result = -1;

	if (r->owner && !r->once) {
		warn("process %d belongs to another user, so the view would have no terminal: add "
		     "--once, or run this as that user", (int)r->pid);
	} else if (s.file < 0) {
		warn("cannot create a temporary file: %m; set TMPDIR to a writable directory");
	} else if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
		warn("cannot create a socket: %m");
	} else {
		s.socket = pair[0];
		if (find_own_pid(&s))
			result = run_view(&s, pair[1]);
		close(s.socket);
	}
	if (s.file >= 0)
		close(s.file);
	return result;
}
