/* look.c -- One look at a process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/live/look.h"

#include <stdlib.h>
#include <string.h>

#include "cli/live_wire.h"
#include "cli/terminal.h"
#include "cli/xmalloc.h"
#include "profile/model/moment.h"
#include "profile/read/counters.h"
#include "profile/read/process_list.h"
#include "profile/read/segment.h"
#include "profile/read/timeline.h"
#include "profile/save/save.h"

/* A recorder takes the snapshot of a mark right after it. */
#define MARK_NS UINT64_C(100000000)

static uint32_t add_name(struct places *places, char *name)
{
	uint32_t key;

	terminal_clean_text(name);
	key = strings_add(&places->names, name, strlen(name));
	free(name);
	return key;
}

static void append_item(struct live_sheet *s, uint32_t key, struct live_values values)
{
	s->item = xreallocarray(s->item, (size_t)s->count + 1, sizeof(*s->item));
	s->item[s->count++] = (struct live_item){ .key = key, .values = values };
}

/* ---- parts -------------------------------------------------------------------------------- */

static uint64_t add_heap_calls(const struct mu_counters *c, uint64_t *bytes)
{
	static const enum mu_fn heap[] = { MU_FN_MALLOC, MU_FN_CALLOC, MU_FN_REALLOC,
					   MU_FN_MEMALIGN };
	uint64_t calls = c->calls[MU_FN_FREE];

	*bytes = 0;
	for (size_t i = 0; i < sizeof(heap) / sizeof(*heap); i++) {
		*bytes += c->bytes[heap[i]];
		calls += c->calls[heap[i]];
	}
	return calls;
}

/* Threads that have ended count together. */
static void read_threads(struct look *l, const struct image *im, struct places *places)
{
	const uint64_t count = image_count(im, MU_SEC_THREADS);
	uint64_t bytes, calls = add_heap_calls(&im->head.retired, &bytes);

	if (calls > 0)
		append_item(&l->threads, add_name(places, xstrdup("threads that have ended")),
			    (struct live_values){ .bytes = (int64_t)bytes,
						  .total = im->head.retired_stack_peak,
						  .blocks = (int64_t)calls });
	for (uint64_t i = 0; i < count; i++) {
		struct mu_thread t;

		if (!image_copy_entry(im, MU_SEC_THREADS, i, &t, IMAGE_THREAD_FIGURES) ||
		    t.state == MU_THREAD_FREE)
			continue;
		calls = add_heap_calls(&t.counters, &bytes);
		append_item(&l->threads,
			    add_name(places, xasprintf("%u %.*s", t.tid, (int)sizeof(t.name),
						       t.name)),
			    (struct live_values){ .bytes = (int64_t)bytes, .total = t.stack_peak,
						  .blocks = (int64_t)calls });
	}
}

/* The directory of the program says less than its arguments. */
static const char *without_directory(const char *command)
{
	const char *last = command;

	for (const char *at = command; *at && *at != ' '; at++) {
		if (*at == '/' && at[1] && at[1] != ' ')
			last = at + 1;
	}
	return last;
}

/* "1234 sort a.txt", of a process of another user "1234 [user 33] sort a.txt" */
static char *describe_process(const struct segment *segment, const struct process_entry *e,
			      uint32_t own_user)
{
	const char *command = without_directory(e->command);
	struct mu_error err;
	struct image im;

	if (segment_image(segment, e->slot, &im, &err) < 0 || im.head.process.uid == own_user)
		return xasprintf("%d %s", (int)e->pid, command);
	return xasprintf("%d [user %u] %s", (int)e->pid, im.head.process.uid, command);
}

/* user  of the process that is shown. */
static void read_processes(struct look *l, const struct segment *segment, uint32_t user,
			   struct places *places)
{
	struct process_list list;

	process_list_load(&list, segment);
	l->process_pid = xcalloc((size_t)list.count + 1, sizeof(*l->process_pid));
	for (uint32_t i = 0; i < list.count; i++) {
		const struct process_entry *e = &list.entry[i];

		l->process_pid[l->processes.count] = (uint32_t)e->pid;
		append_item(&l->processes,
			    add_name(places, describe_process(segment, e, user)),
			    (struct live_values){ .bytes = (int64_t)e->live, .total = e->peak,
						  .blocks = (int64_t)e->own_calls });
	}
	process_list_free(&list);
}

static struct live_point make_point(const struct image *im, uint64_t mono_ns, int64_t heap,
				    uint64_t rss)
{
	const uint64_t start = im->head.process.start_mono_ns;

	return (struct live_point){ .ns = mono_ns > start ? mono_ns - start : 0,
				    .heap = heap > 0 ? (double)heap : 0, .rss = (double)rss };
}

/* Snapshots know the heap; samples, which are in between, the resident memory too. */
static void read_history(struct live_curve *history, const struct image *im)
{
	struct timeline t;
	uint64_t i = 0, rss = 0;
	struct mu_snapshot s;
	struct live_point point;

	if (timeline_load(&t, im, NULL) < 0)
		xno_memory();
	history->count = 0;
	for (uint32_t k = 0; k <= t.count; k++) {
		for (; i < image_count(im, MU_SEC_SNAPSHOTS) && image_snapshot(im, i, &s) &&
		       (k == t.count || s.mono_ns < t.sample[k].mono_ns); i++) {
			point = make_point(im, s.mono_ns, s.heap, rss);
			curve_append(history, &point);
		}
		if (k == t.count)
			break;
		rss = timeline_resident(&t.sample[k]);
		point = make_point(im, t.sample[k].mono_ns, t.sample[k].heap, rss);
		curve_append(history, &point);
	}
	timeline_free(&t);
}

static void read_figures(struct look *l, const struct image *im)
{
	const struct mu_process *p = &im->head.process;
	struct counters *c = xcalloc(1, sizeof(*c));

	counters_add(c, im);
	l->total = counters_heap_total(c);
	l->calls = counters_calls(c);
	free(c);
	l->start_ns = p->start_mono_ns;
	l->ns = p->exit_mono_ns > l->start_ns ? p->exit_mono_ns - l->start_ns : 0;
	l->sites_ns = l->ns;
	l->heap = im->head.heap.now;
	l->peak = im->head.heap.peak > l->heap ? im->head.heap.peak : l->heap;
	l->is_asleep = im->head.recorded.began_asleep && !im->head.recorded.starts;
	l->is_stopped = im->head.stopped;
	l->has_places = im->head.features & MU_FEATURE(MU_SEC_CELLS);
	l->command = xcheck(image_command(im));
	terminal_clean_text(l->command);
}

static void read_errors(struct look *l, const struct sites *sites, const struct image *im)
{
	struct site_errors *of = site_errors_load(sites, im), sum;

	l->distance = sampled_mean_distance(im);
	for (uint32_t i = 0; of && i < l->sites; i++) {
		l->site[i].error = of[i].live;
		/* A row may be of several processes, and the limits are of one. */
		l->site[i].error.most_bytes = l->site[i].error.most_blocks = 0;
	}
	free(of);
	site_errors_sum(&sum, sites, im);
	l->heap_error = sum.live;
	l->peak_error = sum.peak;
}

static void read_sites(struct look *l, const struct image *im, const struct places *places)
{
	struct sites sites;

	if (sites_load(&sites, im, places->profile.stack_count, NULL) < 0)
		xno_memory();
	l->site = xcalloc((size_t)sites.count + 1, sizeof(*l->site));
	l->sites = sites.count;
	for (uint32_t i = 0; i < l->sites; i++)
		l->site[i] = (struct live_values){ .bytes = sites.site[i].live_bytes,
						   .blocks = sites.site[i].live_blocks,
						   .total = sites.site[i].total_bytes };
	read_errors(l, &sites, im);
	sites_free(&sites);
}

static bool has_mark(const struct image *im)
{
	struct mu_error err;
	struct moment m;

	return moment_find(&m, im, "mark:" MARK_NAME, UINT64_MAX, &err) == 0;
}

/* ---- all together ------------------------------------------------------------------------- */

static int read_image(struct look *l, const struct segment *segment, struct places *places,
		      const struct settings *settings, struct live_curve *history,
		      struct mu_error *err)
{
	struct mu_slot slot;
	struct image im;

	/* The process itself is the first image of the copy. */
	if (!segment_slot(segment, 0, &slot))
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "it has no process");
	if (segment_image(segment, 0, &im, err) < 0 || save_verify(segment, &im, err) < 0 ||
	    places_update(places, segment, &im, settings, err) < 0)
		return -1;
	read_sites(l, &im, places);
	read_processes(l, segment, im.head.process.uid, places);
	l->pid = slot.pid;
	read_figures(l, &im);
	read_threads(l, &im, places);
	if (!history)
		return 0;
	l->has_history = true;
	l->has_mark = has_mark(&im);
	read_history(history, &im);
	return 0;
}

int look_take(struct look *l, const char *file, struct places *places,
	      const struct settings *settings, struct live_curve *history, struct mu_error *err)
{
	struct segment segment;
	int result;

	*l = (struct look){ .pid = 0 };
	if (segment_open(&segment, file, err) < 0)
		return -1;
	result = read_image(l, &segment, places, settings, history, err);
	segment_close(&segment);
	return result;
}

/* Beside a mark that has no snapshot, the values of another moment would be found. */
static bool find_mark(struct moment *m, const struct image *im)
{
	struct mu_error err;

	return moment_find(m, im, "mark:" MARK_NAME, UINT64_MAX, &err) == 0 &&
	       m->kind == MOMENT_SNAPSHOT && m->ns + MARK_NS > m->asked_ns &&
	       m->asked_ns + MARK_NS > m->ns;
}

static bool read_mark(struct look *l, const struct image *im, const struct places *places)
{
	const struct sites *sites = &places->profile.sites;
	struct weight *weight = xcalloc((size_t)sites->count + 1, sizeof(*weight));
	struct moment m;
	bool is_known = im->head.process.start_mono_ns == l->start_ns && find_mark(&m, im) &&
			sites_weigh(sites, im, METRIC_SNAPSHOT, m.snapshot, weight) == 0;

	if (is_known) {
		free(l->site);
		l->site = xcalloc((size_t)sites->count + 1, sizeof(*l->site));
		l->sites = sites->count;
		l->sites_ns = m.ns;
	}
	for (uint32_t i = 0; is_known && i < l->sites; i++)
		l->site[i] = (struct live_values){ .bytes = weight[i].bytes,
						   .blocks = weight[i].blocks };
	free(weight);
	return is_known;
}

bool look_read_mark(struct look *l, const char *file, const struct places *places)
{
	struct segment segment;
	struct mu_error err;
	struct image im;
	bool is_known = false;

	if (segment_open(&segment, file, &err) < 0)
		return false;
	if (segment_image(&segment, 0, &im, &err) == 0 && save_verify(&segment, &im, &err) == 0)
		is_known = read_mark(l, &im, places);
	segment_close(&segment);
	return is_known;
}

struct live_sheet look_sheet(const struct look *l, const uint32_t *keys, uint32_t count)
{
	struct live_sheet s = { .count = l->sites < count ? l->sites : count };

	s.item = xcalloc((size_t)s.count + 1, sizeof(*s.item));
	for (uint32_t i = 0; i < s.count; i++)
		s.item[i] = (struct live_item){ .key = keys[i], .values = l->site[i] };
	return s;
}

static void *copy_array(const void *from, size_t count, size_t size)
{
	void *to = xcalloc(count + 1, size);

	if (count > 0)
		memcpy(to, from, count * size);
	return to;
}

void look_copy(struct look *to, const struct look *from)
{
	*to = *from;
	to->command = xstrdup(from->command ? from->command : "");
	to->site = copy_array(from->site, from->sites, sizeof(*from->site));
	to->threads.item = copy_array(from->threads.item, from->threads.count,
				      sizeof(*from->threads.item));
	to->processes.item = copy_array(from->processes.item, from->processes.count,
					sizeof(*from->processes.item));
	to->process_pid = copy_array(from->process_pid, from->processes.count,
				     sizeof(*from->process_pid));
}

void look_free(struct look *l)
{
	free(l->command);
	free(l->site);
	free(l->threads.item);
	free(l->processes.item);
	free(l->process_pid);
	*l = (struct look){ .pid = 0 };
}
