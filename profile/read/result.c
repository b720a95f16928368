/* result.c -- what a summary says about one image, copied out of the recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/result.h"

#include <math.h>
#include <string.h>

#include "profile/base/number.h"
#include "profile/read/accesses.h"
#include "profile/read/marks.h"
#include "profile/read/sites.h"
#include "recording/family.h"

static void add_thread_figures(struct result *r, const struct mu_thread *t)
{
	uint64_t peak = t->stack_peak;
	struct result_thread *to;

	r->log_lost += t->log_lost;
	if (peak > r->stack_peak)
		r->stack_peak = peak;
	if (r->thread_count == RESULT_THREADS)
		return;
	to = &r->thread[r->thread_count++];
	to->tid = t->tid;
	memcpy(to->name, t->name, sizeof(t->name));
	to->name[sizeof(t->name)] = '\0';
	to->stack_peak = peak;
	to->stack_mark = t->stack_mark;
}

/* Changes that threads have not published yet count too; a process with one thread has none. */
static int64_t add_all_threads(struct result *r, const struct image *im)
{
	uint64_t threads = image_count(im, MU_SEC_THREADS);
	int64_t pending = 0;

	r->log_lost = im->head.drops.log_records;
	r->stack_peak = im->head.retired_stack_peak;
	for (uint64_t i = 0; i < threads; i++) {
		struct mu_thread t;

		if (!image_copy_entry(im, MU_SEC_THREADS, i, &t, IMAGE_THREAD_FIGURES))
			continue;
		add_thread_figures(r, &t);
		pending = (int64_t)((uint64_t)pending + (uint64_t)t.pending_heap);
	}
	return pending;
}

/* Each of several threads keeps back up to max(heap / 1024 / threads, 4096) bytes: the heap may
 * have been so much higher at any moment, not only at the peak that was seen. */
static uint64_t peak_error_bound(const struct mu_heap *heap, uint64_t peak)
{
	uint64_t error = positive_or_zero(heap->peak_bound);
	uint64_t kept_back = (uint64_t)heap->threads_max * 4096;

	if (heap->threads_max < 2)
		return 0;
	if (kept_back > error)
		error = kept_back;
	return peak / 1024 > error ? peak / 1024 : error;
}

/* The error of an estimate is another one, and larger: no bound makes it exact. */
static void read_heap_figures(struct result *r, const struct image *im, int64_t pending)
{
	const struct mu_heap *heap = &im->head.heap;
	const bool is_other = r->notes & MU_NOTE_PAGES || sampled_mean_distance(im) > 0;
	int64_t now = (int64_t)((uint64_t)heap->now + (uint64_t)pending);

	r->heap_now = positive_or_zero(now);
	r->heap_peak = positive_or_zero(heap->peak);
	if (r->heap_now > r->heap_peak && !image_is_merge(im))
		r->heap_peak = r->heap_now;
	if (image_is_above_peak(im) && positive_or_zero(heap->now) > r->heap_peak)
		r->heap_peak = positive_or_zero(heap->now);
	r->threads_max = heap->threads_max;
	r->peak_bound = is_other ? 0 : peak_error_bound(heap, r->heap_peak);
}

static void read_command_name(struct result *r, const struct image *im)
{
	char line[RESULT_PATH];
	const char *slash;

	image_string(im, &im->head.process.cmdline, line, sizeof(line));
	if (line[0] == '\0')
		memcpy(line, r->exe, sizeof(line));
	slash = strrchr(line, '/');
	if (slash && slash[1])
		memmove(line, slash + 1, strlen(slash + 1) + 1);
	line[sizeof(r->name) - 1] = '\0';
	strcpy(r->name, line);
}

/* A forked child's counters begin with those of its parent. */
static void read_own_calls(struct result *r, const struct mu_image *head)
{
	r->own_calls = counters_calls(&r->counters);
	r->own_bytes = counters_heap_total(&r->counters);
	for (int fn = 0; fn < MU_FN_COUNT; fn++) {
		r->own_calls -= head->fork_calls[fn];
		if (fn != MU_FN_FREE && fn != MU_FN_MUNMAP)
			r->own_bytes -= head->fork_bytes[fn];
	}
}

static uint64_t inherited_heap(const struct mu_image *head)
{
	return head->process.fork_mono_ns ? positive_or_zero(head->fork_heap) : 0;
}

/* Old recordings have only the peak with that of the parent before the fork. A child that got no
 * blocks began with 1. */
static uint64_t peak_since_fork(const struct result *r, const struct mu_image *head)
{
	uint64_t noted = positive_or_zero(head->own_peak);

	if (!head->process.fork_mono_ns || noted == 0)
		return r->heap_peak;
	if (noted == 1 && inherited_heap(head) == 0)
		noted = 0;
	return noted > r->heap_now ? noted : r->heap_now;
}

/* A forked child shares the blocks of its parent, whose figures have them. */
static void read_own_heap(struct result *r, const struct mu_image *head)
{
	const uint64_t inherited = inherited_heap(head);

	r->fork_peak = peak_since_fork(r, head);
	r->own_peak = r->fork_peak > inherited ? r->fork_peak - inherited : 0;
	r->own_now = r->heap_now > inherited ? r->heap_now - inherited : 0;
}

static void lower_to(uint64_t *bytes, double most)
{
	if ((double)*bytes > most)
		*bytes = (uint64_t)most;
}

/* The counters are exact: a heap of 96 KiB, estimated by one sample, cannot be where 41 KiB were
 * asked for in all. A child's blocks from its parent are an estimate, too, so its own part has a
 * limit of its own. */
static void limit_estimates(struct result *r, const struct image *im)
{
	const double most = sampled_most_live(im);
	const double own = r->process.fork_mono_ns ? (double)r->own_bytes : most;

	if (isinf(most))
		return;
	lower_to(&r->heap_peak, most);
	lower_to(&r->fork_peak, most);
	lower_to(&r->heap_now, most);
	lower_to(&r->own_peak, own);
	lower_to(&r->own_now, own);
}

/* Without memory for it there is none in the report. */
static void read_process_memory(struct result *r, const struct image *im)
{
	struct timeline t;

	if (timeline_load(&t, im, NULL) == 0)
		timeline_split(&t, timeline_highest(&t), &r->memory);
	r->rss_peak = t.rss_peak;
	timeline_free(&t);
}

/* When a process that was killed in a pause ended is not known here. */
static void read_pause_marks(struct result *r, const struct image *im)
{
	bool is_over;

	r->pauses = marks_paused(im, im->head.process.exit_mono_ns, &r->paused_ns, &is_over);
	r->is_paused = !is_over;
}

static void read_recorded_parts(struct result *r, const struct image *im)
{
	const struct mu_recorded *from = &im->head.recorded;
	struct result_recorded *to = &r->recorded;

	to->earlier_frees = from->earlier_frees;
	to->earlier_reallocs = from->earlier_reallocs;
	to->before = from->before <= MU_BEFORE_APART ? (enum mu_before)from->before :
						       MU_BEFORE_UNKNOWN;
	to->before_blocks = from->before_blocks;
	to->before_bytes = from->before_bytes;
	to->before_gone = from->before_gone;
	to->began_asleep = from->began_asleep;
	if (to->began_asleep)
		to->parts = marks_recorded(im, im->head.process.exit_mono_ns, to->part,
					   RESULT_PARTS, &to->ns);
}

/* Without memory for it they are nothing; a report then has no places either. */
static void read_access_totals(struct result *r, const struct image *im)
{
	struct sites sites = { .count = 0 };
	struct accesses a = { .sites = 0 };

	r->has_accesses = (im->head.features & MU_FEATURE(MU_SEC_ACCESSES)) != 0;
	if (!r->has_accesses && !(im->head.notes & MU_NOTE_COPIES))
		return;
	if (sites_load(&sites, im, UINT32_MAX, NULL) == 0 &&
	    accesses_load(&a, im, sites.count, NULL) == 0) {
		r->read_bytes = a.read_bytes;
		r->written_bytes = a.written_bytes;
	}
	for (uint32_t i = 0; i < sites.count; i++) {
		if (!sites_is_copy(&sites.site[i]))
			continue;
		r->copied_bytes += sites.site[i].total_bytes;
		r->copies += sites.site[i].total_blocks;
	}
	accesses_free(&a);
	sites_free(&sites);
}

static void set_error_since_fork(struct sampled_error *own, const struct result *r,
				 const struct sampled_error *e, const struct image *im)
{
	site_errors_since_fork(own, e, (double)inherited_heap(&im->head), (double)r->own_bytes,
			       r->sample_distance);
}

/* Without memory for it, estimates look exact. */
void result_take_estimates(struct result *r, const struct image *im)
{
	struct sites sites = { .count = 0 };

	r->sample_distance = sampled_mean_distance(im);
	/* The bounds of an estimate are those of the highest of all. */
	if (r->sample_distance > 0)
		r->fork_peak = r->heap_peak;
	r->samples = im->head.sampling.samples;
	r->sample_losses = im->head.sampling.losses;
	if (r->sample_distance > 0 && sites_load(&sites, im, UINT32_MAX, NULL) == 0)
		site_errors_sum(&r->errors, &sites, im);
	set_error_since_fork(&r->own_peak_error, r, &r->errors.peak, im);
	set_error_since_fork(&r->own_now_error, r, &r->errors.live, im);
	sites_free(&sites);
}

static void read_symbol(struct result *r, const struct image *im, const struct mu_symbol *from)
{
	struct result_symbol *to = &r->symbol[r->symbol_count];
	char path[RESULT_PATH];
	const char *object;
	size_t length;

	if (from->kind == MU_SYMBOL_BUILTIN && from->why.length == 0) {
		r->own_functions++;
		return;
	}
	if (from->kind == MU_SYMBOL_FAMILY && from->why.length == 0 && from->calls == 0) {
		r->idle_functions++;
		return;
	}
	if (r->symbol_count == RESULT_SYMBOLS) {
		r->symbols_more++;
		return;
	}
	r->symbol_count++;
	*to = (struct result_symbol){ .calls = from->calls, .kind = from->kind,
				      .rule = from->rule };
	image_string(im, &from->name, to->name, sizeof(to->name));
	image_string(im, &from->why, to->why, sizeof(to->why));
	image_string(im, &from->object, path, sizeof(path));
	object = basename(path);
	length = strlen(object);
	memcpy(to->object, object, length < sizeof(to->object) ? length : sizeof(to->object) - 1);
}

static void read_symbol_table(struct result *r, const struct image *im)
{
	uint64_t count = image_count(im, MU_SEC_SYMBOLS);

	for (uint64_t i = 0; i < count; i++) {
		struct mu_symbol symbol;

		if (!image_copy_entry(im, MU_SEC_SYMBOLS, i, &symbol, sizeof(symbol)))
			break;
		read_symbol(r, im, &symbol);
	}
}

void result_take_figures(struct result *r, struct image *im)
{
	*r = (struct result){ 0 };
	image_refresh(im);
	counters_add(&r->counters, im);
	r->process = im->head.process;
	r->end = image_end_of(&im->head);
	r->drops = im->head.drops;
	r->labels_dropped = im->head.labels_dropped;
	r->notes = im->head.notes;
	r->request_places = im->head.request_places;
	r->request_refused = im->head.request_refused;
	r->pages_own = im->head.pages_own;
	r->pages_stack = im->head.pages_stack;
	read_heap_figures(r, im, add_all_threads(r, im));
	read_own_heap(r, &im->head);
	read_own_calls(r, &im->head);
	limit_estimates(r, im);
	image_string(im, &im->head.process.exe, r->exe, sizeof(r->exe));
	image_string(im, &im->head.unseen_malloc, r->foreign, sizeof(r->foreign));
	read_command_name(r, im);
}

void result_take(struct result *r, struct image *im)
{
	result_take_figures(r, im);
	read_access_totals(r, im);
	result_take_estimates(r, im);
	unwound_take(&r->unwound, im);
	read_pause_marks(r, im);
	read_recorded_parts(r, im);
	read_symbol_table(r, im);
	read_process_memory(r, im);
}
