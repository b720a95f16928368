/* answer.c -- Makes the answer to a request, in a worker.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageserve/http/answer.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "cli/xmalloc.h"
#include "formats/pprof/pprof.h"
#include "formats/pprof/pprof_text.h"
#include "memusage/common/clock.h"
#include "memusageserve/http/metrics.h"
#include "memusageserve/http/page_of_now.h"
#include "memusageserve/source/look.h"
#include "profile/base/limits.h"

/* An answer is in memory. As text it has a name with each stack, and names may have 100 KB. */
#define ANSWER_BYTES_MAX (UINT64_C(512) << 20)

static enum worker_result explain(FILE *out, const struct mu_error *err)
{
	fprintf(out, "%s\n", err->text);
	return err->code == MU_ERROR_NONE ? WORKER_NOT_FOUND : WORKER_FAILED;
}

enum worker_result answer_keep(FILE *out, void *data)
{
	const struct answer_order *o = data;
	struct mu_error err = { .text = "" };

	return run_copy(o->run, o->earlier, RUN_PLACES, &err) < 0 ? explain(out, &err) :
								    WORKER_DONE;
}

/* ---- profiles ------------------------------------------------------------------------------ */

static const struct look_process *find_process(const struct look *l, const struct look_process *p)
{
	for (size_t i = 0; i < l->count; i++) {
		if (l->process[i]->pid == p->pid && l->process[i]->slot == p->slot &&
		    l->process[i]->generation == p->generation)
			return l->process[i];
	}
	return NULL;
}

/* Sites keep their numbers, and later ones follow. */
static void subtract_sites(struct sites *now, const struct sites *earlier)
{
	for (uint32_t i = 0; i < now->count && i < earlier->count; i++) {
		struct site *s = &now->site[i];
		const struct site *e = &earlier->site[i];

		s->total_blocks -= e->total_blocks;
		s->total_bytes -= e->total_bytes;
		s->live_blocks -= e->live_blocks;
		s->live_bytes -= e->live_bytes;
	}
}

/* The sites are those of now still. */
static void note_errors_of_change(struct look_process *now, const struct look_process *earlier)
{
	struct site_errors sum, before;

	if (!site_errors_sum(&sum, &now->profile.sites, &now->image))
		return;
	site_errors_sum(&before, &earlier->profile.sites, &earlier->image);
	now->change = site_errors_change(&sum, &before,
					 sampled_mean_distance(&now->image) !=
						 sampled_mean_distance(&earlier->image));
	now->export.change = &now->change;
}

/* A process that has begun since then had nothing; one that has ended is not there. */
static int subtract_earlier(struct look *l, const struct answer_order *o, struct mu_error *err)
{
	const struct look_options options = { .parts = RUN_PLACES };
	struct look earlier;
	int result = look_open(&earlier, o->earlier, &options, err);

	for (size_t i = 0; result == 0 && i < l->count; i++) {
		const struct look_process *e = find_process(&earlier, l->process[i]);

		if (!e)
			continue;
		note_errors_of_change(l->process[i], e);
		subtract_sites(&l->process[i]->profile.sites, &e->profile.sites);
	}
	look_close(&earlier);
	return result;
}

static int write_profile(FILE *out, struct look *l, const struct answer_order *o,
			 struct mu_error *err)
{
	const struct export **process = xcalloc(l->count, sizeof(*process));
	const struct pprof_now now = {
		.process = process,
		.count = l->count,
		.default_type = o->request->is_allocs ? "alloc_space" : "inuse_space",
		.time_ns = clock_now(CLOCK_REALTIME),
		.duration_ns = o->elapsed_ns,
		.is_change = o->earlier >= 0,
	};
	int result = o->earlier >= 0 ? subtract_earlier(l, o, err) : 0;

	for (size_t i = 0; i < l->count; i++)
		process[i] = &l->process[i]->export;
	if (result == 0 && o->request->is_text)
		pprof_text_write(out, &now);
	else if (result == 0)
		pprof_write_now(out, &now);
	free(process);
	return result;
}

/* ---- all ----------------------------------------------------------------------------------- */

static int write_look(FILE *out, struct look *l, const struct answer_order *o, struct mu_error *err)
{
	switch (o->request->kind) {
	case REQUEST_METRICS:
		metrics_write(out, l, o->pushes, o->request->is_openmetrics);
		return 0;
	case REQUEST_PAGE:
		return page_of_now_write(out, l, err);
	default:
		return write_profile(out, l, o, err);
	}
}

enum worker_result answer_write(FILE *out, void *data)
{
	const struct answer_order *o = data;
	const enum request_kind kind = o->request->kind;
	const struct look_options options = {
		.parts = kind == REQUEST_PAGE ? RUN_ALL : RUN_PLACES,
		.pid = o->request->pid,
		.has_names = kind != REQUEST_METRICS,
		.no_names_cache = o->no_names_cache,
	};
	struct mu_error err = { .text = "" };
	struct look l;
	int result = look_take(&l, o->run, &options, &err);

	/* The copies that were looked at may be larger. Beyond the limit the process is killed. */
	limits_lower(RLIMIT_FSIZE, ANSWER_BYTES_MAX);
	if (result == 0)
		result = write_look(out, &l, o, &err);
	/* The process ends: nothing need be released. */
	return result == 0 ? WORKER_DONE : explain(out, &err);
}

const char *answer_type(const struct request *r)
{
	switch (r->kind) {
	case REQUEST_METRICS:
		return r->is_openmetrics ?
			       "application/openmetrics-text; version=1.0.0; charset=utf-8" :
			       "text/plain; version=0.0.4; charset=utf-8";
	case REQUEST_PAGE:
		return "text/html; charset=utf-8";
	case REQUEST_PROFILE:
		return r->is_text ? "text/plain; charset=utf-8" : "application/octet-stream";
	default:
		return "text/plain; charset=utf-8";
	}
}
