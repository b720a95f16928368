/* merge_curve.c -- The heaps of several processes over time, and when their sum was largest.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/merge/merge_curve.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"
#include "profile/base/number.h"
#include "profile/merge/merge_sites.h"
#include "profile/read/sites.h"
#include "profile/read/snapshot_values.h"
#include "profile/read/timeline.h"

/* ---- the moments of a process -------------------------------------------------------------- */

/* An image whose moments are being added. */
struct adder {
	struct merge_curve *c;
	const struct merge_process *p;
	uint32_t process;
	uint64_t since_mono_ns, since_real_ns;	/* the same moment by both clocks */
	struct merge_own *own;	/* of a forked child; NULL: all is its own */
	uint64_t peak_ns;	/* of the moment with the largest heap */
	uint64_t differs_ns;	/* last one at which the heap was not as at the end */
	int64_t most;
	int64_t own_most;	/* most of its own */
};

static uint64_t real_time(const struct adder *a, uint64_t mono_ns)
{
	return a->since_real_ns + (mono_ns - a->since_mono_ns);
}

static void append_moment(struct adder *a, uint64_t ns, int64_t heap, int32_t which)
{
	struct merge_curve *c = a->c;

	if (c->count == UINT32_MAX)
		return;
	array_reserve(&c->moment, &c->room, (size_t)c->count + 1, sizeof(*c->moment));
	c->moment[c->count] = (struct merge_moment){
		.ns = ns, .heap = heap > 0 ? heap : 0, .process = a->process, .which = which,
		.order = c->count };
	c->count++;
}

/* The whole HEAP of the process was seen at a moment. */
static void note_heap(struct adder *a, const struct image *im, uint64_t ns, int64_t heap)
{
	if (ns < a->p->start_ns || ns > a->p->end_ns)
		return;
	if (heap > a->most) {
		a->most = heap;
		a->peak_ns = ns;
	}
	if (heap != im->head.heap.now && ns > a->differs_ns)
		a->differs_ns = ns;
}

/* A forked child has the snapshots of its parent too. */
static void append_snapshots(struct adder *a, const struct image *im)
{
	const uint64_t count = image_count(im, MU_SEC_SNAPSHOTS);
	struct mu_snapshot shot;

	for (uint64_t i = 0; i < count && i < INT32_MAX; i++) {
		uint64_t ns;
		int64_t heap;

		if (!image_snapshot(im, i, &shot))
			break;
		ns = real_time(a, shot.mono_ns);
		if (ns < a->p->start_ns || ns > a->p->end_ns)
			continue;
		note_heap(a, im, ns, shot.heap);
		if (!snapshot_values_are_known(&shot))
			continue;
		heap = a->own ? merge_own_heap(a->own, (int32_t)i) : shot.heap;
		append_moment(a, ns, heap, (int32_t)i);
		a->own_most = heap > a->own_most ? heap : a->own_most;
	}
}

/* Samples have no places, but tell when the peak was, and bound the time since which the heap was
 * as at the end. Returns that bound; LAST_NS without such samples. */
static uint64_t look_at_samples(struct adder *a, const struct image *im, uint64_t last_ns)
{
	uint64_t end_ns = last_ns;
	struct timeline t;

	if (timeline_load(&t, im, NULL) < 0)
		return last_ns;
	for (uint32_t i = t.count; i-- > 0 && t.sample[i].heap == im->head.heap.now;)
		end_ns = real_time(a, t.sample[i].mono_ns);
	for (uint32_t i = 0; i < t.count; i++)
		note_heap(a, im, real_time(a, t.sample[i].mono_ns), t.sample[i].heap);
	timeline_free(&t);
	return end_ns < last_ns ? end_ns : last_ns;
}

/* Returns the time since which the heap was as at the end. Without that of the last event a process
 * whose last allocations no sample has seen would have them at its exit only, when others may be
 * gone. */
static uint64_t find_end_state(struct adder *a, const struct image *im, uint64_t last_ns)
{
	const uint64_t seen_ns = look_at_samples(a, im, last_ns);
	const uint64_t tick = im->head.event_tick;
	uint64_t event_ns;

	if (tick == 0 || tick > UINT32_MAX)
		return seen_ns;
	event_ns = a->since_real_ns + (uint64_t)((double)tick * SITES_TICK_NS);
	event_ns = event_ns > a->differs_ns ? event_ns : a->differs_ns;
	return event_ns < seen_ns ? event_ns : seen_ns;
}

/* Adds a moment after the last one. */
static void append_later(struct adder *a, uint64_t *ns, uint64_t at, int64_t heap, int32_t which)
{
	*ns = at > *ns ? at : *ns;
	append_moment(a, *ns, heap, which);
}

static void take_own_figures(struct adder *a, struct merge_process *p)
{
	const int64_t peak = merge_own_heap(a->own, MERGE_PEAK);

	p->live = merge_own_heap(a->own, MERGE_END);
	p->peak = peak > a->own_most ? peak : a->own_most;
	p->peak = p->live > p->peak ? p->live : p->peak;
}

/* The places at the peak of a forked child are those of its parent, if that held more before. */
static bool was_peak_before_fork(const struct merge_process *p, const struct image *im)
{
	return p->is_forked && !p->has_fork_cells && im->head.heap.peak > p->peak;
}

void merge_curve_add(struct merge_curve *c, struct merge_process *p, uint32_t process,
		     const struct segment *s, const struct image *im)
{
	struct adder a = { .c = c, .p = p, .process = process,
			   .since_mono_ns = s->head.start_mono_ns,
			   .since_real_ns = s->head.start_real_ns,
			   .own = p->has_fork_cells ? merge_own_open(im) : NULL,
			   .peak_ns = p->start_ns, .differs_ns = p->start_ns };
	const bool runs = p->end_ns == UINT64_MAX;
	const uint64_t last_ns = runs ? real_time(&a, im->head.process.exit_mono_ns) : p->end_ns;
	uint64_t end_ns, ns;

	append_moment(&a, p->start_ns, 0, MERGE_EMPTY);
	append_snapshots(&a, im);
	end_ns = find_end_state(&a, im, last_ns);
	ns = a.peak_ns;
	if (a.own)
		take_own_figures(&a, p);
	if (!was_peak_before_fork(p, im))
		append_moment(&a, ns, a.own ? merge_own_heap(a.own, MERGE_PEAK) : p->peak,
			      MERGE_PEAK);
	/* The processes of a merge were never together what their ends add up to. */
	append_later(&a, &ns, end_ns, p->live < p->peak ? p->live : p->peak, MERGE_END);
	if (!runs)
		append_later(&a, &ns, last_ns, 0, MERGE_GONE);
	if (a.own)
		merge_own_close(a.own);
}

void merge_curve_join(struct merge_curve *c, const struct merge_curve *from, uint32_t process)
{
	if (from->count > UINT32_MAX - c->count)
		return;
	array_reserve(&c->moment, &c->room, (size_t)c->count + from->count, sizeof(*c->moment));
	for (uint32_t i = 0; i < from->count; i++) {
		struct merge_moment m = from->moment[i];

		m.process += process;
		m.order = c->count;
		c->moment[c->count++] = m;
	}
}

/* ---- the sum ------------------------------------------------------------------------------- */

/* Each process has its own order. */
static int compare_moments(const void *a, const void *b)
{
	const struct merge_moment *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Walks all moments up to number END; returns the sum there. AT is by process, or NULL. */
static int64_t walk_moments(const struct merge_curve *c, uint32_t end, int64_t *now, int32_t *at)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < end; i++) {
		const struct merge_moment *m = &c->moment[i];

		sum = wrapping_sum(sum, m->heap - now[m->process]);
		now[m->process] = m->heap;
		if (at)
			at[m->process] = m->which;
	}
	return sum;
}

static uint32_t find_peak(const struct merge_curve *c, int64_t *now)
{
	int64_t sum = 0, most = -1;
	uint32_t found = 0;

	for (uint32_t i = 0; i < c->count; i++) {
		const struct merge_moment *m = &c->moment[i];

		sum = wrapping_sum(sum, m->heap - now[m->process]);
		now[m->process] = m->heap;
		if (sum > most) {
			most = sum;
			found = i;
		}
	}
	return found;
}

void merge_curve_finish(struct merge_curve *c, uint32_t processes)
{
	int64_t *now = xcalloc((size_t)processes + 1, sizeof(*now));
	uint32_t peak;

	qsort(c->moment, c->count, sizeof(*c->moment), compare_moments);
	peak = find_peak(c, now);
	c->at_peak = xcalloc((size_t)processes + 1, sizeof(*c->at_peak));
	c->bytes_at_peak = xcalloc((size_t)processes + 1, sizeof(*c->bytes_at_peak));
	for (uint32_t i = 0; i < processes; i++)
		c->at_peak[i] = MERGE_GONE;
	if (c->count > 0) {
		c->start_ns = c->moment[0].ns;
		c->end_ns = c->moment[c->count - 1].ns;
		c->peak_ns = c->moment[peak].ns;
		c->peak = walk_moments(c, peak + 1, c->bytes_at_peak, c->at_peak);
	}
	free(now);
}

/* ---- parts of the time --------------------------------------------------------------------- */

static uint32_t part_of_time(const struct merge_curve *c, uint64_t ns, uint32_t count)
{
	const double whole = (double)(c->end_ns - c->start_ns);
	const double part = whole > 0 ? (double)(ns - c->start_ns) / whole * count : 0;

	return part < count ? (uint32_t)part : count - 1;
}

/* Lets VALUE hold from part *FROM to part TO, whose beginning it reaches. */
static void raise_parts(int64_t *part, uint32_t from, uint32_t to, int64_t value)
{
	for (uint32_t i = from; i <= to; i++)
		part[i] = value > part[i] ? value : part[i];
}

void merge_curve_parts(const struct merge_curve *c, uint32_t processes, const uint32_t *group,
		       uint32_t groups, int64_t *part, uint32_t count)
{
	int64_t *now = xcalloc((size_t)processes + 1, sizeof(*now));
	int64_t *sum = xcalloc((size_t)groups + 1, sizeof(*sum));
	uint32_t *at = xcalloc((size_t)groups + 1, sizeof(*at));

	memset(part, 0, (size_t)groups * count * sizeof(*part));
	for (uint32_t i = 0; i < c->count; i++) {
		const struct merge_moment *m = &c->moment[i];
		const uint32_t g = group ? group[m->process] : m->process;
		const uint32_t to = part_of_time(c, m->ns, count);

		if (g >= groups)
			continue;
		raise_parts(part + (size_t)g * count, at[g], to, sum[g]);
		sum[g] = wrapping_sum(sum[g], m->heap - now[m->process]);
		now[m->process] = m->heap;
		raise_parts(part + (size_t)g * count, to, to, sum[g]);
		at[g] = to;
	}
	for (uint32_t g = 0; g < groups; g++)
		raise_parts(part + (size_t)g * count, at[g], count - 1, sum[g]);
	free(now);
	free(sum);
	free(at);
}

void merge_curve_at(const struct merge_curve *c, uint32_t processes, uint64_t *ns, int32_t *which,
		    uint32_t count)
{
	const double whole = (double)(c->end_ns - c->start_ns);
	int32_t *now = xcalloc((size_t)processes + 1, sizeof(*now));
	uint32_t next = 0;

	for (uint32_t p = 0; p < processes; p++)
		now[p] = MERGE_GONE;
	for (uint32_t i = 0; i < count; i++) {
		ns[i] = c->start_ns + (uint64_t)(whole * (i + 0.5) / count);
		for (; next < c->count && c->moment[next].ns <= ns[i]; next++)
			now[c->moment[next].process] = c->moment[next].which;
		for (uint32_t p = 0; p < processes; p++)
			which[(size_t)p * count + i] = now[p];
	}
	free(now);
}

void merge_curve_free(struct merge_curve *c)
{
	free(c->moment);
	free(c->at_peak);
	free(c->bytes_at_peak);
	*c = (struct merge_curve){ .count = 0 };
}
