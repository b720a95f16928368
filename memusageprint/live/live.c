/* live.c -- The live view: asks for looks, shows them, obeys keys.
 *
 * A look costs the program nothing but the memory bandwidth of a copy. Between two there is a
 * second, and at least four times as long as the last one took.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/live/live.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/color.h"
#include "cli/message.h"
#include "cli/xmalloc.h"
#include "memusageprint/live/keep.h"
#include "memusageprint/live/layout.h"
#include "memusageprint/live/link.h"
#include "memusageprint/live/screen.h"

enum { REST_TIMES = 4, OUTPUT_MS = 200 };
#define REST_NS UINT64_C(1000000000)

struct live_program {
	const struct settings *settings;
	const char *file;
	int socket;
	struct view view;
	bool is_asked;		/* an answer is on its way */
	uint32_t parts;		/* of the last question; enum live_part */
	bool sets_mark;		/* changes are to count from the next look on */
	bool awaits_mark;	/* the recorder has not set it yet */
	uint64_t asked_ns;
	uint64_t next_ns;	/* time of the next look */
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- looks -------------------------------------------------------------------------------- */

/* parts  that are wanted besides those of the view */
static void begin_look(struct live_program *p, uint32_t parts)
{
	const struct live_question q = { .ask = LIVE_ASK_LOOK,
					 .parts = view_parts(&p->view) | parts,
					 .pid = p->view.wanted_pid };

	p->parts = q.parts;
	p->asked_ns = now_ns();
	p->is_asked = link_ask(p->socket, &q);
	p->view.is_cut_off = !p->is_asked;
}

/* A mark of an earlier view, or of --pid=PID mark. */
static void take_mark(struct live_program *p)
{
	struct view *v = &p->view;

	if (!look_read_mark(&v->mark, p->file, &v->places))
		return;
	if (!v->has_mark)
		v->has_mark = v->is_mark_older = true;
	view_update_rows(v);
}

static void read_copy(struct live_program *p, const struct live_answer *answer)
{
	struct view *v = &p->view;
	struct mu_error err;
	struct look next;

	if (look_take(&next, p->file, &v->places, p->settings,
		      p->parts & LIVE_PART_HISTORY ? &v->curve : NULL, &err) == 0) {
		view_take(v, &next, answer);
		if (p->sets_mark)
			view_set_mark(v);
		if (p->parts & LIVE_PART_MARK)
			take_mark(p);
		if (p->awaits_mark && !answer->is_later) {
			p->awaits_mark = false;
			v->wants_mark = true;
		}
		return;
	}
	v->status = LIVE_FAILED;
	snprintf(v->trouble, sizeof(v->trouble), "%.120s", err.text);
	look_free(&next);
}

/* The process that was chosen cannot be shown: the one before stays. */
static void keep_process(struct view *v)
{
	snprintf(v->message, sizeof(v->message), "%s", v->trouble);
	v->wanted_pid = v->now.pid;
	v->status = LIVE_COPIED;
}

static void finish_look(struct live_program *p)
{
	struct view *v = &p->view;
	struct live_answer answer;
	uint64_t took;

	p->is_asked = false;
	if (!link_receive(p->socket, &answer)) {
		v->is_cut_off = true;
		return;
	}
	v->status = (enum live_status)answer.status;
	snprintf(v->trouble, sizeof(v->trouble), "%s", answer.text);
	if (answer.status == LIVE_COPIED)
		read_copy(p, &answer);
	else if (answer.status == LIVE_FAILED && v->now.pid && v->wanted_pid != v->now.pid)
		keep_process(v);
	took = now_ns() - p->asked_ns;
	v->rest_ns = took * REST_TIMES > REST_NS ? took * REST_TIMES : REST_NS;
	p->next_ns = now_ns() + v->rest_ns;
}

/* ---- other wishes ------------------------------------------------------------------------- */

/* Asks, and waits for the answer. Returns false if memusage does not answer any more. */
static bool ask_and_wait(struct live_program *p, enum live_ask ask, struct live_answer *answer)
{
	const struct live_question q = { .ask = ask };
	struct view *v = &p->view;

	/* Answers come in the order of the questions. */
	if (p->is_asked)
		finish_look(p);
	if (v->is_cut_off || !link_ask(p->socket, &q) || !link_receive(p->socket, answer))
		v->is_cut_off = true;
	return !v->is_cut_off;
}

static void keep_snapshot(struct live_program *p)
{
	struct live_answer answer;
	struct view *v = &p->view;

	if (!ask_and_wait(p, LIVE_ASK_RECORD, &answer))
		return;
	/* The file has the last look at a process that has ended. */
	if (answer.status == LIVE_FAILED)
		snprintf(v->message, sizeof(v->message), "no recording: %.120s", answer.text);
	else
		keep_recording(p->file, v->now.pid, v->message, sizeof(v->message));
}

/* The values are those of the recorder's snapshot, as for `--pid=PID growth mark`. A process that
 * is idle sets the mark with its next call; until then they are those of now. */
static void set_mark(struct live_program *p)
{
	struct live_answer answer;
	struct view *v = &p->view;

	if (!ask_and_wait(p, LIVE_ASK_MARK, &answer))
		return;
	p->sets_mark = true;
	begin_look(p, answer.status == LIVE_COPIED && !answer.is_later ? LIVE_PART_MARK : 0);
	if (!v->is_cut_off)
		finish_look(p);
	p->sets_mark = false;
	p->awaits_mark = answer.status == LIVE_COPIED && answer.is_later;
	if (v->status != LIVE_COPIED)
		snprintf(v->message, sizeof(v->message), "not marked: the process has ended");
	else if (answer.status == LIVE_COPIED)
		snprintf(v->message, sizeof(v->message), "marked: changes count from now on, as in "
			 "memusage --pid=%u growth " MARK_NAME, v->now.pid);
	else
		snprintf(v->message, sizeof(v->message), "marked in this view alone: %.100s",
			 answer.text);
}

/* Returns whether the view goes on. */
static bool fulfil_wish(struct live_program *p, enum live_wish wish)
{
	const struct live_question interrupt = { .ask = LIVE_ASK_INTERRUPT };

	switch (wish) {
	case LIVE_WISH_QUIT:
		return false;
	case LIVE_WISH_INTERRUPT:
		link_ask(p->socket, &interrupt);
		return false;
	case LIVE_WISH_LOOK:
	case LIVE_WISH_PROCESS:
		p->next_ns = 0;
		return true;
	case LIVE_WISH_MARK:
		set_mark(p);
		return true;
	case LIVE_WISH_RECORD:
		keep_snapshot(p);
		return true;
	default:
		return true;
	}
}

/* ---- the terminal ------------------------------------------------------------------------- */

static void show_view(struct live_program *p)
{
	const struct live_size size = screen_size();
	char **line = xcalloc(size.height + 1, sizeof(*line));

	if (p->view.has_output && !p->view.is_paused)
		view_read_output(&p->view);

	layout_lines(&p->view, &size, line);
	screen_show(line, &size);
	for (unsigned int i = 0; i < size.height; i++)
		free(line[i]);
	free(line);
}

static int milliseconds_to_look(const struct live_program *p)
{
	const uint64_t now = now_ns();

	if (p->is_asked || p->view.is_cut_off || p->view.is_paused)
		return -1;
	return p->next_ns > now ? (int)((p->next_ns - now) / 1000000 + 1) : 0;
}

/* Output is shown sooner than figures. */
static int milliseconds_to_wait(const struct live_program *p)
{
	const int look = milliseconds_to_look(p);
	const bool has_output = p->view.has_output && !p->view.is_paused;

	return has_output && (look < 0 || look > OUTPUT_MS) ? OUTPUT_MS : look;
}

/* A view without figures is none. */
static bool has_ended_unseen(const struct live_program *p)
{
	return p->view.status == LIVE_ENDED && !p->view.now.pid;
}

/* Waits for a key, an answer or the time of the next look. Returns whether the view goes on. */
static bool obey_events(struct live_program *p)
{
	struct pollfd wait[2] = { { .fd = screen_fd(), .events = POLLIN },
				  { .fd = p->is_asked ? p->socket : -1, .events = POLLIN } };
	int key;

	/* A signal, such as that of a new size, ends it too. */
	poll(wait, 2, milliseconds_to_wait(p));
	if (wait[1].revents && p->is_asked)
		finish_look(p);
	while ((key = screen_key()) != LIVE_KEY_NONE) {
		if (!fulfil_wish(p, view_press(&p->view, key)))
			return false;
	}
	return !(wait[0].revents & (POLLHUP | POLLERR | POLLNVAL));
}

static int run_screen(struct live_program *p)
{
	if (screen_open(color_wanted_on_terminal((enum color_when)p->settings->color)) < 0)
		return EXIT_FAILURE;
	do {
		if (milliseconds_to_look(p) == 0)
			begin_look(p, 0);
		show_view(p);
	} while (obey_events(p) && !has_ended_unseen(p));
	screen_close();
	if (has_ended_unseen(p))
		warn("the process has ended before its first figures could be shown");
	return EXIT_SUCCESS;
}

/* ---- text --------------------------------------------------------------------------------- */

static bool look_now(struct live_program *p)
{
	begin_look(p, 0);
	if (!p->view.is_cut_off)
		finish_look(p);
	return !p->view.is_cut_off && p->view.status == LIVE_COPIED;
}

/* Changes need two looks. A process that ends meanwhile leaves the first. */
static int print_once(struct live_program *p)
{
	const struct timespec second = { .tv_sec = 1 };

	if (!look_now(p)) {
		warn("the process cannot be shown: %s", p->view.status == LIVE_ENDED ?
		     "it has ended" : p->view.trouble);
		return EXIT_FAILURE;
	}
	nanosleep(&second, NULL);
	look_now(p);
	layout_print(stdout, &p->view);
	return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int live_run(const struct settings *settings)
{
	static struct live_program p;
	int result;

	p = (struct live_program){ .settings = settings, .file = settings->files[0],
				   .socket = (int)settings->live_socket };
	view_init(&p.view, (enum top_kind)settings->group, settings->grep ? settings->grep : "");
	p.view.output.fd = settings->live_output ? (int)settings->live_output : -1;
	result = settings->once ? print_once(&p) : run_screen(&p);
	view_free(&p.view);
	return result;
}
