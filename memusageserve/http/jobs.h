/* jobs.h -- The answers that are being made.
 *
 * Few are made at a time, so that many clients take no more of the machine than few. A request that
 * is the same as one that still waits gets the same answer. Figures for Prometheus, at most twice a
 * second, wait for no other answer: it gives up after its interval.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "memusageserve/http/request.h"
#include "memusageserve/loop/loop.h"
#include "memusageserve/source/run.h"
#include "memusageserve/source/worker.h"

/* Takes an answer: FILE is borrowed, of enum worker_result RESULT. */
typedef void job_taker_fn(void *data, enum worker_result result, int file);

struct job;

struct jobs {
	struct loop *loop;
	const struct run *run;
	const struct push_counts *pushes;	/* for metrics; NULL: nothing is pushed */
	bool no_names_cache;
	struct job *first;	/* in the order of their requests */
	unsigned int workers;
	/* private */
	struct loop_timer starter;
	uint64_t prompt_ms;	/* when the last prompt job began */
};

/* jobs_order -- Has an answer made.
 *
 * call  is called once, from the loop, unless jobs_cancel() comes before; also if the job cannot be
 *       started.
 */
void jobs_order(struct jobs *j, const struct request *r, job_taker_fn *call, void *data);

/* jobs_cancel -- DATA does not want its answer any more, which is not made if no other wants it.
 * Fine if it has ordered none. */
void jobs_cancel(struct jobs *j, const void *data);

/* jobs_end -- Answers all that wait for a time, or for a worker, with REASON: the run is over.
 * Those that are being made are finished. */
void jobs_end(struct jobs *j, const char *reason);

/* jobs_stop -- Does the same to all, and ends the workers. */
void jobs_stop(struct jobs *j, const char *reason);
