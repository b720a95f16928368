/* merge.c -- Several processes as one: sums by place, and what each one has.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/merge/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"
#include "profile/base/number.h"
#include "profile/merge/merge_sites.h"
#include "profile/read/lifetimes.h"
#include "profile/read/modules.h"
#include "profile/read/result.h"
#include "profile/read/timeline.h"
#include "profile/save/save.h"

/* ---- processes ----------------------------------------------------------------------------- */

static uint32_t add_text(struct merge *m, const char *text)
{
	return strings_add(&m->texts, text, strlen(text));
}

static uint64_t real_time(const struct segment *s, uint64_t mono_ns)
{
	return s->head.start_real_ns + (mono_ns - s->head.start_mono_ns);
}

/* A program may have written a time before its start. */
static uint64_t end_of_image(const struct segment *s, const struct mu_process *p, uint64_t start,
			     enum mu_end end)
{
	const uint64_t ns = real_time(s, p->exit_mono_ns);

	if (end == MU_END_RUNNING)
		return UINT64_MAX;
	return p->exit_mono_ns && ns > start ? ns : start;
}

static void add_process(struct merge *m, const struct merge_process *p)
{
	array_reserve(&m->process, &m->process_room, (size_t)m->processes + 1,
		      sizeof(*m->process));
	m->process[m->processes++] = *p;
	m->uncounted_forks += p->is_forked && !p->has_fork_cells;
}

static struct merge_process describe_process(struct merge *m, const struct segment *s,
					     const struct image *im, const struct result *r)
{
	const struct mu_process *p = &r->process;
	const bool is_own = im->head.fork_cells != 0;
	const uint64_t begin = p->fork_mono_ns ? p->fork_mono_ns : p->start_mono_ns;
	char host[sizeof(s->head.host) + 1] = "";

	memcpy(host, s->head.host, sizeof(s->head.host));
	return (struct merge_process){
		.pid = (pid_t)p->pid,
		.rank = s->head.rank ? (int32_t)(s->head.rank - 1) : MERGE_RANK_NONE,
		.host = add_text(m, host), .name = add_text(m, r->name),
		.is_forked = p->fork_mono_ns != 0, .has_fork_cells = is_own,
		.is_exec = im->head.end == MU_END_EXEC,
		.end = r->end,
		.start_ns = real_time(s, begin),
		.end_ns = end_of_image(s, p, real_time(s, begin), im->head.end),
		.peak = (int64_t)(is_own ? r->own_peak : r->heap_peak),
		.live = (int64_t)(is_own ? r->own_now : r->heap_now),
		.calls = r->own_calls,
	};
}

static void note_first_recording(struct merge *m, const struct segment *s, const struct result *r)
{
	if (m->processes > 1)
		return;
	m->config = s->head.config;
	m->exe = xstrdup(r->exe);
}

static void subtract_parent(struct counters *c, const struct mu_image *head)
{
	for (int fn = 0; fn < MU_FN_COUNT; fn++) {
		c->calls[fn] -= head->fork_calls[fn];
		c->bytes[fn] -= head->fork_bytes[fn];
	}
}

static void add_sampling(struct merge *m, const struct mu_sampling *s)
{
	if (s->log2 > m->sample_log2)
		m->sample_log2 = s->log2;
	m->sampling.samples += s->samples;
	m->sampling.thinned += s->thinned;
	m->sampling.slow_ns += s->slow_ns;
	m->sampling.losses += s->losses;
}

static void add_image_heads(struct merge *m, const struct segment *s, uint32_t source,
			    struct result *r)
{
	for (uint32_t k = 0; k < s->head.slot_count; k++) {
		struct merge_process p;
		struct mu_slot slot;
		struct image im;

		if (!segment_slot(s, k, &slot) || segment_image(s, k, &im, NULL) < 0)
			continue;
		result_take_figures(r, &im);
		p = describe_process(m, s, &im, r);
		p.source = source;
		p.slot = k;
		p.pid = slot.pid ? (pid_t)slot.pid : p.pid;
		merge_curve_add(&m->curve, &p, m->processes, s, &im);
		add_process(m, &p);
		note_first_recording(m, s, r);
		counters_add(&m->counters, &im);
		subtract_parent(&m->counters, &im.head);
		m->notes |= im.head.notes & ~(uint32_t)MU_NOTE_HISTORY;
		add_sampling(m, &im.head.sampling);
	}
}

static void read_heads(struct merge *m)
{
	const struct merge_source *from = m->source;
	struct result *r = xmalloc(sizeof(*r));

	for (uint32_t i = 0; i < from->count; i++) {
		struct segment s;

		if (from->open(from->data, i, &s) < 0) {
			m->failed++;
			continue;
		}
		add_image_heads(m, &s, i, r);
		from->close(from->data, &s);
	}
	free(r);
}

/* ---- resident memory ----------------------------------------------------------------------- */

static uint64_t time_of_sample(const struct merge *m, uint32_t i)
{
	const double whole = (double)(m->curve.end_ns - m->curve.start_ns);

	return m->curve.start_ns + (uint64_t)(whole * i / (MERGE_SAMPLES - 1));
}

static void add_sample(struct mu_sample *to, const struct mu_sample *from)
{
	to->heap = wrapping_sum(to->heap, from->heap);
	to->stack = wrapping_sum(to->stack, from->stack);
	to->rss_anon += from->rss_anon;
	to->rss_file += from->rss_file;
	to->rss_shmem += from->rss_shmem;
	to->swap += from->swap;
	to->recorder += from->recorder;
	to->events += from->events;
	to->recorder_anon += from->recorder_anon;
	to->mapped += from->mapped;
}

/* Each sample counts until the next one, the last until the end of the process. */
static void add_timeline(struct merge *m, const struct merge_process *p, const struct segment *s,
			 const struct image *im)
{
	struct timeline t;
	uint32_t next = 0;

	if (timeline_load(&t, im, NULL) < 0)
		return;
	for (uint32_t i = 0; i < MERGE_SAMPLES && t.count > 0; i++) {
		const uint64_t ns = time_of_sample(m, i);

		while (next < t.count && real_time(s, t.sample[next].mono_ns) <= ns)
			next++;
		if (next > 0 && ns >= p->start_ns && ns <= p->end_ns)
			add_sample(&m->sample[i], &t.sample[next - 1]);
	}
	timeline_free(&t);
}

static void finish_samples(struct merge *m)
{
	for (uint32_t i = 0; i < MERGE_SAMPLES; i++) {
		m->sample[i].mono_ns = time_of_sample(m, i);
		if (timeline_resident(&m->sample[i]) > m->rss_peak)
			m->rss_peak = timeline_resident(&m->sample[i]);
	}
}

/* ---- places -------------------------------------------------------------------------------- */

static void add_lifetimes(struct merge *m, const struct image *im)
{
	struct mu_lifetimes lives;

	if (!lifetimes_of(im, &lives))
		return;
	for (unsigned int i = 0; i < MU_LIFETIME_CLASSES; i++)
		m->lifetimes[i] += lives.blocks[i];
}

static void add_image(struct merge *m, uint32_t process, const struct segment *s,
		      struct image *im)
{
	struct merge_process *p = &m->process[process];
	struct merge_sites sites = { .im = im, .is_own = p->has_fork_cells, .is_exec = p->is_exec,
				     .moment = m->curve.at_peak[process], .process = process };
	struct modules modules;

	p->was_there = sites.moment != MERGE_GONE;
	modules_load(&modules, im);
	sites.number = merge_places_add(&m->places, im, &modules, &sites.count);
	modules_free(&modules);
	if (m->sample_log2 > 0)
		merge_sites_make_errors(&m->error, &m->error_room, m->places.sites);
	merge_course_reserve(&m->course, m->places.sites);
	merge_sites_add(&sites, &m->places, m->error, &m->course, &m->spool);
	p->at_peak = sites.at_peak;
	m->peak += sites.at_peak;
	m->live += sites.live;
	add_timeline(m, p, s, im);
	add_lifetimes(m, im);
	free(sites.number);
}

/* The first pass counted an image that is damaged, so that its heap counts; its places do not. */
static void read_places(struct merge *m)
{
	const struct merge_source *from = m->source;
	uint32_t next = 0;

	while (next < m->processes) {
		const uint32_t source = m->process[next].source;
		struct segment s;
		const bool is_open = from->open(from->data, source, &s) == 0;

		for (; next < m->processes && m->process[next].source == source; next++) {
			struct image im;

			if (is_open && segment_image(&s, m->process[next].slot, &im, NULL) == 0 &&
			    save_verify(&s, &im, NULL) == 0)
				add_image(m, next, &s, &im);
			else
				m->failed++;
		}
		if (is_open)
			from->close(from->data, &s);
	}
}

/* Not the sum of what images say: a forked child's number has the live samples of its parent. */
static void count_live_samples(struct merge *m)
{
	double live = 0;

	for (uint32_t i = 0; m->error && i < m->places.sites; i++)
		live += m->error[i].live.samples;
	m->sampling.live = (uint64_t)live;
}

int merge_run(struct merge *m, const struct merge_source *source, int spool_fd,
	      struct mu_error *err)
{
	*m = (struct merge){ .source = source };
	if (merge_spool_open(&m->spool, spool_fd) < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	read_heads(m);
	if (m->processes == 0)
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "no process can be read");
	merge_curve_finish(&m->curve, m->processes);
	merge_course_begin(&m->course, m->processes);
	merge_curve_at(&m->curve, m->processes, m->course.ns, m->course.which, MERGE_MOMENTS);
	read_places(m);
	finish_samples(m);
	count_live_samples(m);
	if (merge_spool_rewind(&m->spool) < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot write a temporary file: %m");
	return 0;
}

/* ---- spread -------------------------------------------------------------------------------- */

bool merge_is_compared(const struct merge_process *p)
{
	return !p->is_exec;
}

uint32_t *merge_groups(const struct merge *m)
{
	uint32_t *group = xcalloc((size_t)m->processes + 1, sizeof(*group));

	for (uint32_t i = 0; i < m->processes; i++)
		group[i] = merge_is_compared(&m->process[i]) ? m->process[i].name :
							       MERGE_SPREAD_NONE;
	return group;
}

/* Adds up what is in the file: by place, then by process. */
static int sum_up_spool(struct merge *m, enum merge_figure figure, const uint32_t *place,
			int64_t *sum, uint32_t count, struct mu_error *err)
{
	uint32_t process, values;
	struct merge_value v;

	if (merge_spool_rewind(&m->spool) < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	while (merge_spool_next(&m->spool, &process, &values)) {
		for (uint32_t i = 0; i < values && merge_spool_get(&m->spool, &v); i++) {
			if (v.site >= m->places.sites || process >= m->processes ||
			    place[v.site] >= count)
				continue;
			sum[(size_t)place[v.site] * m->processes + process] += v.figure[figure];
		}
	}
	return 0;
}

int merge_spreads(struct merge *m, enum merge_figure figure, const uint32_t *place,
		  struct merge_spread *spread, uint32_t count, struct mu_error *err)
{
	int64_t *sum = xcalloc((size_t)count * m->processes + 1, sizeof(*sum));
	uint32_t *group = merge_groups(m);
	const int result = sum_up_spool(m, figure, place, sum, count, err);

	for (uint32_t i = 0; i < count; i++)
		merge_spread_compute(&spread[i], sum + (size_t)i * m->processes, group,
				     m->processes);
	free(sum);
	free(group);
	return result;
}

const char *merge_text(const struct merge *m, uint32_t number)
{
	return strings_get(&m->texts, number);
}

const char *merge_process_name(char text[MERGE_NAME_LENGTH], const struct merge *m,
			       uint32_t process)
{
	const struct merge_process *p = &m->process[process];
	const char *host = merge_text(m, p->host);

	if (p->rank != MERGE_RANK_NONE)
		snprintf(text, MERGE_NAME_LENGTH, "rank %d%s%s", (int)p->rank,
			 *host ? " on " : "", host);
	else
		snprintf(text, MERGE_NAME_LENGTH, "%d %.200s", (int)p->pid,
			 merge_text(m, p->name));
	return text;
}

void merge_free(struct merge *m)
{
	free(m->process);
	free(m->error);
	free(m->exe);
	strings_free(&m->texts);
	merge_curve_free(&m->curve);
	merge_places_free(&m->places);
	merge_course_free(&m->course);
	merge_spool_close(&m->spool);
	*m = (struct merge){ .processes = 0 };
}
