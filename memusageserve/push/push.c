/* push.c -- Pushes profiles of the run to a server, again and again.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageserve/push/push.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "memusageserve/source/worker.h"

enum {
	RETRY_MS = 1000, RETRY_MAX_MS = 60000,	/* doubled each time */
	END_MAKE_MS = 30000,			/* after the end of the run, for the last message */
	END_MS = 5000, END_RETRY_MS = 500,	/* ... and then for sending */
	COMPLAIN_AFTER = 3			/* failures in a row */
};

/* A message that waits. */
struct push_item {
	int file;
	uint64_t size;
	uint64_t alloc_bytes;
};

struct push {
	struct loop *loop;
	const struct push_target *target;
	const struct push_settings *settings;
	struct push_order order;
	struct push_sender *sender;
	struct push_item item[PUSH_QUEUE + 1];	/* the oldest first; one more for the end */
	uint64_t queued_bytes;
	struct push_counts counts;
	struct worker worker;
	bool is_made, is_sent;			/* a worker makes one, the sender sends one */
	bool is_ending;
	bool wants_last;			/* a message is to be made of the end */
	struct loop_timer interval, retry, end;
	uint64_t due_ms;			/* of the next message */
	unsigned int failures;			/* in a row */
	char service[PUSH_SERVICE];
	char why[PUSH_WHY];			/* the last failure */
};

static void send_oldest(struct push *p);

/* ---- the queue ----------------------------------------------------------------------------- */

static void remove_oldest(struct push *p)
{
	close(p->item[0].file);
	p->queued_bytes -= p->item[0].size;
	p->counts.waiting--;
	memmove(p->item, p->item + 1, p->counts.waiting * sizeof(*p->item));
}

static void drop_oldest(struct push *p)
{
	p->counts.dropped++;
	p->counts.dropped_bytes += p->item[0].alloc_bytes;
	remove_oldest(p);
}

static bool is_queue_full(const struct push *p)
{
	return p->counts.waiting == PUSH_QUEUE || p->queued_bytes >= PUSH_QUEUE_BYTES;
}

/* Copies a message out of what a worker wrote. Returns 0, or -1 with errno. */
static int append_message(struct push *p, int output, const struct push_made *made)
{
	int file = memfd_create("push", MFD_CLOEXEC);
	off_t at = sizeof(*made);
	uint64_t left = made->message;

	while (file >= 0 && left > 0) {
		const ssize_t got = sendfile(file, output, &at, left);

		if (got <= 0)
			break;
		left -= (uint64_t)got;
	}
	if (file >= 0 && left > 0) {
		close(file);
		return -1;
	}
	if (file < 0)
		return -1;
	p->item[p->counts.waiting++] = (struct push_item){ .file = file, .size = made->message,
							   .alloc_bytes = made->alloc_bytes };
	p->queued_bytes += made->message;
	return 0;
}

/* ---- sending ------------------------------------------------------------------------------- */

static void on_retry(void *data)
{
	send_oldest(data);
}

/* A quarter more or less, so that many programs do not ask a server at the same moment that comes
 * back. */
static uint64_t retry_delay(const struct push *p, unsigned int after)
{
	const unsigned int doublings = p->failures < 7 ? p->failures - 1 : 6;
	uint64_t ms = (uint64_t)RETRY_MS << doublings;
	uint16_t random = 0;

	if (p->is_ending)
		return END_RETRY_MS;
	ms = ms < RETRY_MAX_MS ? ms : RETRY_MAX_MS;
	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = 0;
	ms = ms * 3 / 4 + ms * random / (2 * UINT16_MAX);
	return ms > 1000 * (uint64_t)after ? ms : 1000 * (uint64_t)after;
}

static void note_failure(struct push *p, const char *why)
{
	snprintf(p->why, sizeof(p->why), "%s", why);
	p->failures++;
	if (p->failures == COMPLAIN_AFTER && !p->is_ending)
		warn("cannot push to %s: %s; trying again", p->target->shown, p->why);
}

static void on_answer(void *data, enum push_answer answer, const char *why, unsigned int after)
{
	struct push *p = data;

	p->is_sent = false;
	if (answer == PUSH_RETRY) {
		note_failure(p, why);
		p->counts.retries++;
		loop_at(p->loop, &p->retry, loop_now() + retry_delay(p, after), on_retry, p);
		return;
	}
	if (answer == PUSH_REFUSED) {
		if (strcmp(p->why, why) != 0)
			warn("%s refuses a profile: %s", p->target->shown, why);
		snprintf(p->why, sizeof(p->why), "%s", why);
		drop_oldest(p);
	} else {
		if (p->failures >= COMPLAIN_AFTER)
			warn("%s is there again", p->target->shown);
		p->failures = 0;
		p->counts.sent++;
		remove_oldest(p);
	}
	send_oldest(p);
}

static void send_oldest(struct push *p)
{
	if (p->is_sent || p->counts.waiting == 0)
		return;
	loop_clear(p->loop, &p->retry);
	p->is_sent = true;
	push_sender_send(p->sender, p->item[0].file, p->item[0].size);
}

/* ---- making -------------------------------------------------------------------------------- */

static void on_interval(void *data);

/* Intervals that have passed meanwhile are one. */
static void set_interval(struct push *p)
{
	const uint64_t now = loop_now();

	p->due_ms += p->settings->interval_ms;
	if (p->due_ms <= now)
		p->due_ms = now + 1;
	loop_at(p->loop, &p->interval, p->due_ms, on_interval, p);
}

/* Its values are in the next message. */
static void note_unmade(struct push *p, int output)
{
	char why[PUSH_WHY] = "";

	if (output >= 0 && pread(output, why, sizeof(why) - 1, 0) < 0)
		why[0] = '\0';
	why[strcspn(why, "\n")] = '\0';
	if (p->counts.failed++ == 0)
		warn("cannot make a profile: %s; trying again", why);
}

/* Takes what a worker wrote: the next one begins where it ended. */
static void take_made(struct push *p, int output)
{
	struct push_made made;

	if (pread(output, &made, sizeof(made), 0) != sizeof(made) ||
	    append_message(p, output, &made) < 0) {
		note_unmade(p, -1);
		close(output);
		return;
	}
	made.service[PUSH_SERVICE - 1] = '\0';
	if (!p->order.service) {
		memcpy(p->service, made.service, sizeof(p->service));
		p->order.service = p->service;
	}
	if (p->order.earlier >= 0)
		close(p->order.earlier);
	p->order.earlier = output;
	send_oldest(p);
}

/* That no process runs yet, or none any more, is no failure. */
static void note_result(struct push *p, enum worker_result result)
{
	if (result != WORKER_NOT_FOUND && !p->is_ending)
		note_unmade(p, p->worker.output);
	close(p->worker.output);
}

static void make_last(struct push *p);
static void on_end(void *data);

static void on_worker_ended(void *data, int fd, unsigned int what)
{
	struct push *p = data;
	enum worker_result result;

	loop_forget(p->loop, fd);
	result = worker_finish(&p->worker);
	p->is_made = false;
	if (result == WORKER_DONE)
		take_made(p, p->worker.output);
	else
		note_result(p, result);
	if (p->wants_last)
		make_last(p);
	else if (p->is_ending)
		loop_at(p->loop, &p->end, loop_now() + END_MS, on_end, p);
}

static void start_making(struct push *p)
{
	const int kept[WORKER_KEPT] = { p->order.earlier, p->order.recording };

	if (worker_start(&p->worker, WORKER_PATIENT, push_make, &p->order, kept) < 0) {
		note_unmade(p, -1);
		return;
	}
	p->is_made = true;
	loop_watch(p->loop, p->worker.pidfd, LOOP_READ, on_worker_ended, p);
}

/* The run is over: what its processes allocated since the last message is in the recording. */
static void make_last(struct push *p)
{
	p->wants_last = false;
	p->order.is_last = true;
	start_making(p);
}

static void make_message(struct push *p)
{
	if (p->is_made)
		return;
	if (is_queue_full(p)) {
		p->counts.merged++;
		return;
	}
	start_making(p);
}

static void on_interval(void *data)
{
	struct push *p = data;

	make_message(p);
	set_interval(p);
}

/* ---- all ----------------------------------------------------------------------------------- */

struct push *push_open(struct loop *loop, const struct run *run, const struct push_target *target,
		       const struct push_settings *settings)
{
	struct push *p = xcalloc(1, sizeof(*p));

	p->loop = loop;
	p->target = target;
	p->settings = settings;
	p->order = (struct push_order){ .run = run, .is_otlp = target->is_otlp,
					.no_names_cache = settings->no_names_cache,
					.service = settings->service, .label = settings->label,
					.labels = settings->labels, .earlier = -1,
					.since_ns = settings->since_ns };
	p->order.recording = settings->recording;
	p->worker = (struct worker){ .pidfd = -1, .output = -1 };
	p->sender = push_sender_open(loop, target, on_answer, p);
	if (!p->sender)
		xno_memory();
	p->due_ms = loop_now();
	set_interval(p);
	return p;
}

static void on_end(void *data)
{
	struct push *p = data;

	if (p->is_made) {
		loop_forget(p->loop, p->worker.pidfd);
		worker_stop(&p->worker);
		p->is_made = false;
	}
	p->wants_last = false;
	push_sender_close(p->sender);
	p->sender = NULL;
	p->is_sent = false;
	while (p->counts.waiting > 0)
		drop_oldest(p);
}

void push_end(struct push *p)
{
	if (!p || p->is_ending)
		return;
	p->is_ending = true;
	loop_clear(p->loop, &p->interval);
	loop_at(p->loop, &p->end, loop_now() + (p->order.recording >= 0 ? END_MAKE_MS : END_MS),
		on_end, p);
	send_oldest(p);
	p->wants_last = p->order.recording >= 0;
	if (p->wants_last && !p->is_made)
		make_last(p);
}

bool push_is_idle(const struct push *p)
{
	return !p || (!p->is_made && !p->wants_last && p->counts.waiting == 0);
}

const struct push_counts *push_counts(const struct push *p)
{
	return &p->counts;
}

static void report_end(const struct push *p)
{
	char bytes[UNITS_LENGTH];

	if (p->counts.dropped > 0)
		warn("%" PRIu64 " of %" PRIu64 " profiles could not be pushed to %s: %s in them "
		     "were allocated and are missing there: %s", p->counts.dropped,
		     p->counts.dropped + p->counts.sent, p->target->shown,
		     units_bytes(bytes, p->counts.dropped_bytes), p->why);
	else if (!p->settings->quiet && p->counts.sent > 0)
		warn("%" PRIu64 " profile%s pushed to %s", p->counts.sent,
		     p->counts.sent == 1 ? " was" : "s were", p->target->shown);
}

void push_close(struct push *p)
{
	if (!p)
		return;
	on_end(p);
	loop_clear(p->loop, &p->interval);
	loop_clear(p->loop, &p->retry);
	loop_clear(p->loop, &p->end);
	report_end(p);
	if (p->order.earlier >= 0)
		close(p->order.earlier);
	free(p);
}
