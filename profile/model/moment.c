/* moment.c -- Moments of a run, and what grew between two of them.
 *
 * The bytes of every site are known at the start, at the peak, at the end, and at the snapshots
 * that kept values. Any other moment stands for the nearest of these.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/moment.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/read/marks.h"
#include "profile/read/snapshot_values.h"

enum { MARK_NAME = 256 };

static uint64_t since_start(const struct image *im, uint64_t mono_ns)
{
	uint64_t start = im->head.process.start_mono_ns;

	return mono_ns > start ? mono_ns - start : 0;
}

/* The last time that the recording knows of, if the exit handlers did not run. */
static uint64_t end_of_process_ns(const struct image *im)
{
	uint64_t last = im->head.process.exit_mono_ns;
	uint64_t samples = image_count(im, MU_SEC_TIMELINE);
	uint64_t snapshots = image_count(im, MU_SEC_SNAPSHOTS);
	struct mu_sample sample;
	struct mu_snapshot shot;

	if (samples > 0 &&
	    image_copy_entry(im, MU_SEC_TIMELINE, samples - 1, &sample, sizeof(sample.mono_ns)) &&
	    sample.mono_ns > last)
		last = sample.mono_ns;
	if (snapshots > 0 && image_snapshot(im, snapshots - 1, &shot) && shot.mono_ns > last)
		last = shot.mono_ns;
	return since_start(im, last);
}

/* The processes of a merge have ends of their own: what is live then was not live together. */
static bool has_end(const struct image *im)
{
	return !image_is_merge(im);
}

static struct moment moment_at_end(const struct image *im)
{
	uint64_t ns = end_of_process_ns(im);

	return (struct moment){ .kind = MOMENT_END, .ns = ns, .asked_ns = ns };
}

/* The time of the peak is that of the largest snapshot; its values are those of the sites. */
static struct moment moment_at_peak(const struct image *im)
{
	uint64_t count = image_count(im, MU_SEC_SNAPSHOTS);
	int64_t largest = has_end(im) && im->head.heap.now >= im->head.heap.peak ?
				  im->head.heap.now : 0;
	struct moment m = { .kind = MOMENT_PEAK,
			    .ns = largest > 0 || count == 0 ? end_of_process_ns(im) : 0 };
	struct mu_snapshot shot;

	for (uint64_t i = 0; i < count && image_snapshot(im, i, &shot); i++) {
		if (shot.heap <= largest)
			continue;
		largest = shot.heap;
		m.ns = since_start(im, shot.mono_ns);
	}
	m.asked_ns = m.ns;
	return m;
}

static struct moment moment_at_start(const struct image *im)
{
	struct mu_snapshot shot;

	/* A forked child begins with its parent's memory, which its first snapshot has. */
	if (image_snapshot(im, 0, &shot) && shot.heap > 0 && snapshot_values_are_known(&shot))
		return (struct moment){ .kind = MOMENT_SNAPSHOT,
					.ns = since_start(im, shot.mono_ns) };
	return (struct moment){ .kind = MOMENT_START };
}

static uint64_t time_between(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* The start and the end compete with the snapshots, and win if they are as near. */
static struct moment moment_nearest(const struct image *im, uint64_t ns)
{
	uint64_t count = image_count(im, MU_SEC_SNAPSHOTS);
	struct moment best = moment_at_start(im), end = moment_at_end(im);
	struct mu_snapshot shot;

	if (has_end(im) && time_between(end.ns, ns) < time_between(best.ns, ns))
		best = end;
	for (uint64_t i = 0; i < count && image_snapshot(im, i, &shot); i++) {
		uint64_t at = since_start(im, shot.mono_ns);

		if (snapshot_values_are_known(&shot) &&
		    time_between(at, ns) < time_between(best.ns, ns))
			best = (struct moment){ .kind = MOMENT_SNAPSHOT, .snapshot = i, .ns = at };
	}
	best.asked_ns = ns;
	return best;
}

/* ---- what users write ---------------------------------------------------------------------- */

static bool unit_nanoseconds(const char *text, size_t length, double *ns)
{
	static const struct {
		const char *name;
		double ns;
	} unit[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
		     { "sec", 1e9 }, { "min", 60e9 }, { "m", 60e9 }, { "h", 3600e9 } };

	for (size_t i = 0; i < sizeof(unit) / sizeof(*unit); i++) {
		if (strlen(unit[i].name) == length && strncmp(unit[i].name, text, length) == 0) {
			*ns = unit[i].ns;
			return true;
		}
	}
	return false;
}

/* "1.5s", "200 ms", "1 h 2 min". Returns false if TEXT is something else. */
static bool parse_time(const char *text, uint64_t *ns)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
	double sum = 0, unit;

	if (!*text)
		return false;
	while (*text) {
		size_t digits = strspn(text, "0123456789."), length;
		double number = strtod(text, NULL);

		if (digits == 0)
			return false;
		text += digits + strspn(text + digits, " ");
		length = strspn(text, letters);
		if (!unit_nanoseconds(text, length, &unit))
			return false;
		sum += number * unit;
		text += length + strspn(text + length, " ");
	}
	*ns = sum < 1e18 ? (uint64_t)sum : UINT64_C(1000000000000000000);
	return true;
}

static bool is_whole_number(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits > 0 && digits < 10 && !text[digits];
}

static int find_snapshot(struct moment *m, const struct image *im, const char *text,
			 struct mu_error *err)
{
	uint64_t count = image_count(im, MU_SEC_SNAPSHOTS), number = strtoull(text, NULL, 10);
	struct mu_snapshot shot;

	if (number >= count || !image_snapshot(im, number, &shot))
		return mu_error_set(err, MU_ERROR_FORMAT, 0,
				    "there is no snapshot %s: there are %" PRIu64 ", from 0 on "
				    "(%ss is a time)", text, count, text);
	*m = moment_nearest(im, since_start(im, shot.mono_ns));
	return 0;
}

static int find_mark(struct moment *m, const struct image *im, const char *name, uint64_t until,
		     struct mu_error *err)
{
	char text[MARK_NAME];
	struct mu_mark mark;
	bool is_found = false;

	for (uint64_t i = 0; marks_get(im, i, &mark); i++) {
		uint64_t ns = since_start(im, mark.mono_ns);

		image_string(im, &mark.text, text, sizeof(text));
		if (mark.kind != MU_MARK_USER || strcmp(text, name) != 0 ||
		    (is_found && ns >= until))
			continue;
		is_found = true;
		*m = moment_nearest(im, ns);
	}
	if (is_found)
		return 0;
	return mu_error_set(err, MU_ERROR_FORMAT, 0,
			    "no mark is called \"%s\", and it is neither start, peak, end, a time "
			    "like 1.5s, nor the number of a snapshot", name);
}

int moment_find(struct moment *m, const struct image *im, const char *text, uint64_t until,
		struct mu_error *err)
{
	const struct moment end = moment_at_end(im);
	uint64_t ns;

	if (strncmp(text, "mark:", 5) == 0)
		return find_mark(m, im, text + 5, until, err);
	if (is_whole_number(text))
		return find_snapshot(m, im, text, err);
	if (strcmp(text, "start") == 0)
		*m = moment_at_start(im);
	else if (strcmp(text, "peak") == 0)
		*m = moment_at_peak(im);
	else if (strcmp(text, "end") == 0 || strcmp(text, "now") == 0)
		*m = end;
	else if (!parse_time(text, &ns))
		return find_mark(m, im, text, until, err);
	else if (ns > end.ns)
		return mu_error_set(err, MU_ERROR_FORMAT, 0,
				    "%s is after the last moment that is known, %.3f s", text,
				    (double)end.ns / 1e9);
	else
		*m = moment_nearest(im, ns);
	return 0;
}

/* ---- what they leave open ------------------------------------------------------------------ */

void moment_choose_end(struct moment *m, const struct image *im, const struct moment *from)
{
	const struct mu_heap *heap = &im->head.heap;

	*m = moment_at_peak(im);
	if (!has_end(im) && from && from->ns >= m->ns)
		*m = moment_nearest(im, end_of_process_ns(im));
	else if (has_end(im) &&
		 (im->head.process.exit != MU_EXIT_NORMAL || heap->now >= heap->peak / 2 ||
		  (from && from->ns >= m->ns)))
		*m = moment_at_end(im);
}

void moment_choose_start(struct moment *m, const struct image *im, const struct moment *to)
{
	*m = moment_nearest(im, to->ns / 2);
	if (m->ns >= to->ns)
		*m = moment_at_start(im);
	m->asked_ns = m->ns;
}

void moment_choose_range(struct growth_range *g, const struct image *im)
{
	moment_choose_end(&g->to, im, NULL);
	moment_choose_start(&g->from, im, &g->to);
}

const char *moment_kind_name(enum moment_kind kind)
{
	static const char *const names[] = { [MOMENT_START] = "start",
					     [MOMENT_SNAPSHOT] = "snapshot",
					     [MOMENT_PEAK] = "peak", [MOMENT_END] = "end" };

	return names[kind];
}

/* ---- growth -------------------------------------------------------------------------------- */

static const enum metric_kind metric[] = { [MOMENT_SNAPSHOT] = METRIC_SNAPSHOT,
					   [MOMENT_PEAK] = METRIC_PEAK,
					   [MOMENT_END] = METRIC_LIVE };

static int weigh_moment(const struct sites *s, const struct image *im, const struct moment *m,
			struct weight *weight)
{
	if (m->kind != MOMENT_START)
		return sites_weigh(s, im, metric[m->kind], m->snapshot, weight);
	memset(weight, 0, s->count * sizeof(*weight));
	return 0;
}

/* Sums of a damaged recording may be anything. */
static int64_t change_between(int64_t from, int64_t to)
{
	int64_t change;

	return __builtin_sub_overflow(to, from, &change) ? 0 : change;
}

int moment_growth(const struct sites *s, const struct image *im, const struct growth_range *g,
		  struct weight *weight, struct mu_error *err)
{
	struct weight *before = xcalloc((size_t)s->count + 1, sizeof(*before));
	int result = 0;

	if (weigh_moment(s, im, &g->from, before) < 0 || weigh_moment(s, im, &g->to, weight) < 0)
		result = mu_error_set(err, MU_ERROR_FORMAT, 0, "a snapshot is damaged");
	for (uint32_t i = 0; i < s->count && result == 0; i++) {
		weight[i].bytes = change_between(before[i].bytes, weight[i].bytes);
		weight[i].blocks = change_between(before[i].blocks, weight[i].blocks);
		/* Snapshots also have sites that only Massif counts. */
		weight[i].is_there = (weight[i].is_there || before[i].is_there) &&
				     sites_is_counted(&s->site[i]);
	}
	free(before);
	return result;
}

/* Adds the error of each site at a moment. */
static int add_moment_errors(const struct sites *s, const struct image *im, const struct moment *m,
			     const struct site_errors *e, struct sampled_error *error,
			     struct mu_error *err)
{
	struct weight *weight = xcalloc((size_t)s->count + 1, sizeof(*weight));
	struct sampled_error *of = xcalloc((size_t)s->count + 1, sizeof(*of));
	int result = 0;

	if (weigh_moment(s, im, m, weight) < 0)
		result = mu_error_set(err, MU_ERROR_FORMAT, 0, "a snapshot is damaged");
	if (result == 0)
		site_errors_weigh(s, e, metric[m->kind], weight, of);
	for (uint32_t i = 0; i < s->count && result == 0; i++)
		sampled_error_add(&error[i], &of[i]);
	free(weight);
	free(of);
	return result;
}

int moment_growth_errors(const struct sites *s, const struct image *im,
			 const struct growth_range *g, const struct site_errors *e,
			 struct weight *weight, struct sampled_error *error, struct mu_error *err)
{
	const bool is_change = g->from.kind != MOMENT_START;

	memset(error, 0, s->count * sizeof(*error));
	if ((is_change && add_moment_errors(s, im, &g->from, e, error, err) < 0) ||
	    add_moment_errors(s, im, &g->to, e, error, err) < 0)
		return -1;
	for (uint32_t i = 0; i < s->count; i++) {
		error[i].is_change = is_change;
		weight[i].error = weight[i].is_there ? &error[i] : NULL;
	}
	return 0;
}
