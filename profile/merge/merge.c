/* merge.c -- Several processes as one: sums by place, and what each one has.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/merge/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"
#include "profile/base/crc32.h"
#include "profile/base/number.h"
#include "profile/merge/image_places.h"
#include "profile/merge/merge_readers.h"
#include "profile/merge/merge_sites.h"
#include "profile/read/lifetimes.h"
#include "profile/read/result.h"
#include "profile/read/timeline.h"
#include "profile/save/save.h"

/* Bytes of the recordings that are read at a time. */
#define READ_TOGETHER (UINT64_C(128) << 20)

enum { DESCRIPTORS = 16 };	/* that a reader may need, and some more */

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
		.peak = (int64_t)(is_own ? r->own_peak : r->fork_peak),
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

static void add_sampling(struct merge *m, const struct mu_sampling *s, uint32_t log2)
{
	if (log2 > m->sample_log2)
		m->sample_log2 = log2;
	m->sampling.samples += s->samples;
	m->sampling.thinned += s->thinned;
	m->sampling.slow_ns += s->slow_ns;
	m->sampling.losses += s->losses;
}

static void add_image_heads(struct merge *m, const struct segment *s, uint32_t source)
{
	struct result *r = xmalloc(sizeof(*r));

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
		add_sampling(m, &im.head.sampling, im.head.sampling.log2);
	}
	free(r);
}

/* ---- readers ------------------------------------------------------------------------------- */

static void wait_for_turn(void *turn)
{
	merge_turn_wait(turn);
}

static void hold_messages(const struct merge *m, struct merge_turn *turn)
{
	if (m->source->hold)
		m->source->hold(wait_for_turn, turn);
}

static void release_messages(const struct merge *m)
{
	if (m->source->hold)
		m->source->hold(NULL, NULL);
}

/* ---- the first pass ------------------------------------------------------------------------ */

/* Adds the processes of one recording, which know no others. */
static void join_heads(struct merge *m, const struct merge *of)
{
	for (uint32_t i = 0; i < of->processes; i++) {
		struct merge_process p = of->process[i];

		p.host = add_text(m, merge_text(of, p.host));
		p.name = add_text(m, merge_text(of, p.name));
		add_process(m, &p);
	}
	merge_curve_join(&m->curve, &of->curve, m->processes - of->processes);
	if (of->processes > 0 && m->processes == of->processes) {
		m->config = of->config;
		m->exe = xstrdup(of->exe);
	}
	counters_join(&m->counters, &of->counters);
	m->notes |= of->notes;
	add_sampling(m, &of->sampling, of->sample_log2);
}

static void read_heads(void *data, uint32_t number, struct merge_turn *turn)
{
	struct merge *m = data, *own = xcalloc(1, sizeof(*own));
	bool is_open, is_cut = false;
	struct segment s;

	hold_messages(m, turn);
	is_open = m->source->open(m->source->data, number, &s) == 0;
	if (is_open) {
		is_cut = s.missing > 0;
		add_image_heads(own, &s, number);
		m->source->close(m->source->data, &s);
	}
	merge_turn_wait(turn);
	m->failed += !is_open;
	m->cut += is_cut;
	join_heads(m, own);
	release_messages(m);
	merge_free(own);
	free(own);
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
			 const struct timeline *t)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < MERGE_SAMPLES && t->count > 0; i++) {
		const uint64_t ns = time_of_sample(m, i);

		while (next < t->count && real_time(s, t->sample[next].mono_ns) <= ns)
			next++;
		if (next > 0 && ns >= p->start_ns && ns <= p->end_ns)
			add_sample(&m->sample[i], &t->sample[next - 1]);
	}
}

static void finish_samples(struct merge *m)
{
	for (uint32_t i = 0; i < MERGE_SAMPLES; i++) {
		m->sample[i].mono_ns = time_of_sample(m, i);
		if (timeline_resident(&m->sample[i]) > m->rss_peak)
			m->rss_peak = timeline_resident(&m->sample[i]);
	}
}

/* ---- the second pass ----------------------------------------------------------------------- */

/* The data that was read of an image, until it is added. */
struct read_image {
	struct read_image *next;
	uint32_t process;
	bool is_damaged;
	struct image_places places;
	struct merge_sites sites;
	struct timeline timeline;
	struct mu_lifetimes lifetimes;
	bool has_lifetimes;
};

static struct read_image *read_image(const struct merge *m, uint32_t process,
				     const struct segment *s)
{
	const struct merge_process *p = &m->process[process];
	struct read_image *r = xcalloc(1, sizeof(*r));
	struct image im;

	r->process = process;
	r->is_damaged = segment_image(s, p->slot, &im, NULL) < 0 || save_verify(s, &im, NULL) < 0;
	if (r->is_damaged)
		return r;
	image_places_load(&r->places, &im);
	r->sites = (struct merge_sites){ .process = process, .is_own = p->has_fork_cells,
					 .is_exec = p->is_exec,
					 .moment = m->curve.at_peak[process] };
	merge_sites_load(&r->sites, &im, &m->course, m->sample_log2 > 0);
	if (timeline_load(&r->timeline, &im, NULL) < 0)
		timeline_free(&r->timeline);
	r->has_lifetimes = lifetimes_of(&im, &r->lifetimes);
	return r;
}

static void add_read_image(struct merge *m, const struct segment *s, struct read_image *r)
{
	struct merge_process *p = &m->process[r->process];
	uint32_t *number = merge_places_add(&m->places, &r->places);

	p->was_there = r->sites.moment != MERGE_GONE;
	if (m->sample_log2 > 0)
		merge_sites_make_errors(&m->error, &m->error_room, m->places.sites);
	merge_course_reserve(&m->course, m->places.sites);
	merge_sites_add(&r->sites, number, r->places.sites, &m->places, m->error, &m->course,
			&m->spool);
	p->at_peak = r->sites.at_peak;
	m->peak = wrapping_sum(m->peak, r->sites.at_peak);
	m->live = wrapping_sum(m->live, r->sites.live);
	add_timeline(m, p, s, &r->timeline);
	for (unsigned int i = 0; r->has_lifetimes && i < MU_LIFETIME_CLASSES; i++)
		m->lifetimes[i] += r->lifetimes.blocks[i];
	free(number);
}

static void add_read_images(struct merge *m, const struct segment *s, struct read_image *list)
{
	while (list) {
		struct read_image *next = list->next;

		/* The first pass counted a damaged image, so that its heap counts; its places do
		 * not. */
		if (list->is_damaged)
			m->failed++;
		else
			add_read_image(m, s, list);
		image_places_free(&list->places);
		merge_sites_free(&list->sites);
		timeline_free(&list->timeline);
		free(list);
		list = next;
	}
}

/* The recordings of the second pass: those that have processes. */
struct places_pass {
	struct merge *m;
	uint32_t *first;	/* by recording: its first process; then how many there are */
	uint32_t recordings;
	uint64_t together;	/* bytes of a recording that is read with others */
};

/* Memory grows with what is read at a time: a large recording is read alone. */
static void read_images(const struct places_pass *pass, uint32_t number, const struct segment *s,
			struct merge_turn *turn)
{
	const uint32_t end = pass->first[number + 1];
	struct read_image *list = NULL, **last = &list;

	if (s->size > pass->together)
		merge_turn_wait(turn);
	for (uint32_t i = pass->first[number]; i < end; i++) {
		*last = read_image(pass->m, i, s);
		last = &(*last)->next;
		if (!turn->has_come)
			continue;
		add_read_images(pass->m, s, list);
		list = NULL;
		last = &list;
	}
	merge_turn_wait(turn);
	add_read_images(pass->m, s, list);
}

static void read_places(void *data, uint32_t number, struct merge_turn *turn)
{
	const struct places_pass *pass = data;
	struct merge *m = pass->m;
	const uint32_t first = pass->first[number];
	struct segment s;

	hold_messages(m, turn);
	if (m->source->open(m->source->data, m->process[first].source, &s) == 0) {
		read_images(pass, number, &s, turn);
		m->source->close(m->source->data, &s);
	} else {
		merge_turn_wait(turn);
		m->failed += pass->first[number + 1] - first;
	}
	release_messages(m);
}

static void add_places(struct merge *m, uint32_t readers)
{
	struct places_pass pass = { .m = m, .together = READ_TOGETHER / readers };

	pass.first = xcalloc((size_t)m->processes + 1, sizeof(*pass.first));
	for (uint32_t i = 0; i < m->processes; i++) {
		if (i == 0 || m->process[i].source != m->process[i - 1].source)
			pass.first[pass.recordings++] = i;
	}
	pass.first[pass.recordings] = m->processes;
	merge_readers_run(pass.recordings, readers, read_places, &pass);
	free(pass.first);
}

/* Not the sum of what images say: a forked child's number has the live samples of its parent. */
static void count_live_samples(struct merge *m)
{
	double live = 0;

	for (uint32_t i = 0; m->error && i < m->places.sites; i++)
		live += m->error[i].live.samples;
	m->sampling.live = (uint64_t)live;
}

/* Limited descriptors would let some readers fail where one alone does not. */
static uint32_t count_readers(const struct merge_source *source)
{
	const uint32_t wanted = source->readers ? source->readers : merge_readers_usual();
	struct rlimit files;
	rlim_t most;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return wanted;
	most = files.rlim_cur / DESCRIPTORS;
	return most < 1 ? 1 : most < wanted ? (uint32_t)most : wanted;
}

int merge_run(struct merge *m, const struct merge_source *source, int spool_fd,
	      struct mu_error *err)
{
	const uint32_t readers = count_readers(source);

	*m = (struct merge){ .source = source };
	/* Its tables are made before there are threads. */
	crc32_add(0, "", 0);
	if (merge_spool_open(&m->spool, spool_fd) < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	merge_readers_run(source->count, readers, read_heads, m);
	if (m->processes == 0)
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "no process can be read");
	merge_curve_finish(&m->curve, m->processes);
	merge_course_begin(&m->course, m->processes);
	merge_curve_at(&m->curve, m->processes, m->course.ns, m->course.which, MERGE_MOMENTS);
	add_places(m, readers);
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
			int64_t *to;

			if (v.site >= m->places.sites || process >= m->processes ||
			    place[v.site] >= count)
				continue;
			to = &sum[(size_t)place[v.site] * m->processes + process];
			*to = wrapping_sum(*to, v.figure[figure]);
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
