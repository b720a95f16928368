/* jobs.c -- The answers that are being made.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageserve/http/jobs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/temporary.h"
#include "cli/xmalloc.h"
#include "memusageserve/http/answer.h"

enum { WORKERS = 2, PROMPT_MS = 500 };

enum job_phase {
	JOB_WAITS,	/* for a worker */
	JOB_KEEPS,	/* a worker keeps the state of now, for a change */
	JOB_RESTS,	/* until the time of a change is over */
	JOB_IS_DUE,	/* waits for a worker again */
	JOB_WRITES	/* a worker writes the answer */
};

struct job_taker {
	job_taker_fn *call;
	void *data;
	struct job_taker *next;
};

struct job {
	struct jobs *jobs;
	struct job *next;
	struct request request;
	struct answer_order order;
	enum job_phase phase;
	struct worker worker;
	struct loop_timer timer;
	uint64_t kept_ms;	/* when the state was kept */
	struct job_taker *takers;
};

static void start_workers(struct jobs *j);

/* ---- ends ---------------------------------------------------------------------------------- */

static void unlink_job(struct jobs *j, const struct job *job)
{
	for (struct job **at = &j->first; *at; at = &(*at)->next) {
		if (*at == job) {
			*at = job->next;
			return;
		}
	}
}

static void finish_job(struct job *job, enum worker_result result, int file)
{
	struct job_taker *next;

	unlink_job(job->jobs, job);
	loop_clear(job->jobs->loop, &job->timer);
	for (struct job_taker *t = job->takers; t; t = next) {
		next = t->next;
		t->call(t->data, result, file);
		free(t);
	}
	if (job->order.earlier >= 0)
		close(job->order.earlier);
	free(job);
}

static void refuse_job(struct job *job, const char *reason)
{
	int file = memfd_create("answer", MFD_CLOEXEC);

	if (file >= 0 && write(file, reason, strlen(reason)) < 0)
		errno = 0;
	finish_job(job, WORKER_FAILED, file);
	if (file >= 0)
		close(file);
}

/* Ends its worker, if it has one now. */
static void stop_work(struct job *job)
{
	if (job->phase != JOB_KEEPS && job->phase != JOB_WRITES)
		return;
	loop_forget(job->jobs->loop, job->worker.pidfd);
	worker_stop(&job->worker);
	job->jobs->workers--;
}

/* ---- phases -------------------------------------------------------------------------------- */

static void on_rested(void *data)
{
	struct job *job = data;

	job->order.elapsed_ns = (loop_now() - job->kept_ms) * 1000000;
	job->phase = JOB_IS_DUE;
	start_workers(job->jobs);
}

static void on_worker_ended(void *data, int fd, unsigned int what)
{
	struct job *job = data;
	struct jobs *j = job->jobs;
	enum worker_result result;
	int file;

	loop_forget(j->loop, fd);
	result = worker_finish(&job->worker);
	file = job->worker.output;
	j->workers--;
	if (job->phase == JOB_KEEPS && result == WORKER_DONE) {
		job->phase = JOB_RESTS;
		job->kept_ms = loop_now();
		loop_at(j->loop, &job->timer, job->kept_ms + UINT64_C(1000) * job->request.seconds,
			on_rested, job);
	} else {
		finish_job(job, result, file);
	}
	close(file);
	start_workers(j);
}

/* Metrics take 12 ms of a CPU, a page or a profile seconds if its names are new. A scraper gives up
 * after a second or so: on a full CPU, a process of lower priority takes longer. */
static bool is_prompt(const struct job *job)
{
	const struct jobs *j = job->jobs;

	return job->request.kind == REQUEST_METRICS &&
	       (j->prompt_ms == 0 || loop_now() - j->prompt_ms >= PROMPT_MS);
}

/* Returns 0, or -1 with errno. */
static int start_worker(struct job *job)
{
	const bool does_not_wait = is_prompt(job);
	const bool keeps = job->phase == JOB_WAITS && job->request.seconds > 0;

	if (keeps)
		job->order.earlier = temporary_open();
	if (keeps && job->order.earlier < 0)
		return -1;
	const int kept[WORKER_KEPT] = { job->order.earlier, -1 };
	if (worker_start(&job->worker, does_not_wait ? WORKER_PROMPT : WORKER_PATIENT,
			 keeps ? answer_keep : answer_write, &job->order, kept) < 0)
		return -1;
	if (does_not_wait)
		job->jobs->prompt_ms = loop_now();
	job->phase = keeps ? JOB_KEEPS : JOB_WRITES;
	job->jobs->workers++;
	loop_watch(job->jobs->loop, job->worker.pidfd, LOOP_READ, on_worker_ended, job);
	return 0;
}

/* Returns the next job that can be started, or NULL. One more than WORKERS may be prompt. */
static struct job *find_waiting_job(const struct jobs *j)
{
	for (struct job *job = j->first; job; job = job->next) {
		if (job->phase != JOB_WAITS && job->phase != JOB_IS_DUE)
			continue;
		if (j->workers < WORKERS || (j->workers == WORKERS && is_prompt(job)))
			return job;
	}
	return NULL;
}

static void start_workers(struct jobs *j)
{
	struct job *job;

	while ((job = find_waiting_job(j))) {
		if (start_worker(job) < 0)
			refuse_job(job, "there are too few resources for an answer; try again "
					"later\n");
	}
}

/* ---- orders -------------------------------------------------------------------------------- */

static struct job *find_same_job(const struct jobs *j, const struct request *r)
{
	for (struct job *job = j->first; job; job = job->next) {
		if (job->phase == JOB_WAITS && request_is_same(&job->request, r))
			return job;
	}
	return NULL;
}

static struct job *add_job(struct jobs *j, const struct request *r)
{
	struct job *job = xcalloc(1, sizeof(*job)), **last = &j->first;

	*job = (struct job){ .jobs = j, .request = *r, .phase = JOB_WAITS };
	job->order = (struct answer_order){ .run = j->run, .request = &job->request, .earlier = -1,
					    .pushes = j->pushes,
					    .no_names_cache = j->no_names_cache };
	while (*last)
		last = &(*last)->next;
	*last = job;
	return job;
}

static void on_order(void *data)
{
	start_workers(data);
}

/* Not at once: a job that cannot start has its answer then, for which a caller may not be ready. */
static void start_workers_soon(struct jobs *j)
{
	loop_at(j->loop, &j->starter, loop_now(), on_order, j);
}

void jobs_order(struct jobs *j, const struct request *r, job_taker_fn *call, void *data)
{
	struct job *job = find_same_job(j, r);
	struct job_taker *taker = xcalloc(1, sizeof(*taker));

	if (!job)
		job = add_job(j, r);
	*taker = (struct job_taker){ .call = call, .data = data, .next = job->takers };
	job->takers = taker;
	start_workers_soon(j);
}

/* Returns whether DATA was one of them. */
static bool remove_taker(struct job *job, const void *data)
{
	for (struct job_taker **at = &job->takers; *at; at = &(*at)->next) {
		struct job_taker *taker = *at;

		if (taker->data != data)
			continue;
		*at = taker->next;
		free(taker);
		return true;
	}
	return false;
}

void jobs_cancel(struct jobs *j, const void *data)
{
	for (struct job *job = j->first; job; job = job->next) {
		if (!remove_taker(job, data))
			continue;
		if (!job->takers) {
			stop_work(job);
			finish_job(job, WORKER_FAILED, -1);
			start_workers_soon(j);
		}
		return;
	}
}

void jobs_end(struct jobs *j, const char *reason)
{
	struct job *next;

	for (struct job *job = j->first; job; job = next) {
		next = job->next;
		if (job->phase == JOB_WAITS || job->phase == JOB_RESTS || job->phase == JOB_IS_DUE)
			refuse_job(job, reason);
	}
}

void jobs_stop(struct jobs *j, const char *reason)
{
	loop_clear(j->loop, &j->starter);
	while (j->first) {
		struct job *job = j->first;

		stop_work(job);
		refuse_job(job, reason);
	}
}
