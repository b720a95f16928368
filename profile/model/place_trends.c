/* place_trends.c -- Judges the memory of places over the snapshots of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/place_trends.h"

#include <math.h>
#include <stdlib.h>

#include "cli/xmalloc.h"
#include "profile/read/snapshot_values.h"
#include "profile/read/timeline.h"

enum {
	POINTS_WANTED = 64,	/* twice as many at most are used */
	POINTS_MAX = 2 * POINTS_WANTED,
	SAMPLES_MIN = 20,
	SAMPLES_WINDOW = 128,
	CHANGE_MIN = 1 << 20,	/* bytes; of resident memory, less is noise */
	VALUES_MAX = 25000000	/* read: the recorder keeps less, a hostile recording may not */
};

#define FLAT_SHARE 4		/* the heap is flat if it changes by less than this part */
#define SAMPLES_FEW 10		/* estimates of fewer blocks are not judged */

/* All places over time. */
struct place_series {
	const struct image *im;
	const struct sites *sites;
	const uint32_t *place;
	uint32_t places;
	uint64_t snapshot[POINTS_MAX];
	double time[POINTS_MAX];
	uint32_t count;		/* of snapshots */
	bool by_bytes;
	double end;
	double *value;		/* count values of each place */
	uint64_t left;		/* values that may still be read */
};

static double time_since_start(const struct image *im, uint64_t mono_ns)
{
	uint64_t start = im->head.process.start_mono_ns;

	return mono_ns > start ? (double)(mono_ns - start) : 0;
}

static double snapshot_time(const struct place_series *s, const struct mu_snapshot *shot)
{
	return s->by_bytes ? (double)shot->clock_bytes : time_since_start(s->im, shot->mono_ns);
}

static double end_time(const struct place_series *s)
{
	return s->by_bytes ? (double)s->im->head.heap.clock :
			     time_since_start(s->im, s->im->head.process.exit_mono_ns);
}

static uint64_t count_snapshots_with_values(const struct image *im)
{
	uint64_t all = image_count(im, MU_SEC_SNAPSHOTS), count = 0;
	struct mu_snapshot shot;

	for (uint64_t i = 0; i < all && image_snapshot(im, i, &shot); i++)
		count += snapshot_values_are_known(&shot);
	return count;
}

/* Chooses the snapshots; those of a damaged recording may go back in time. */
static void choose_snapshots(struct place_series *s)
{
	const struct image *im = s->im;
	uint64_t all = image_count(im, MU_SEC_SNAPSHOTS), number = 0, step;
	struct mu_snapshot shot;

	step = count_snapshots_with_values(im) / POINTS_WANTED;
	step = step > 0 ? step : 1;
	for (uint64_t i = 0; i < all && image_snapshot(im, i, &shot); i++) {
		double time = snapshot_time(s, &shot);

		s->end = fmax(s->end, time);
		if (!snapshot_values_are_known(&shot) || number++ % step != 0 ||
		    s->count == POINTS_MAX || (s->count > 0 && time < s->time[s->count - 1]))
			continue;
		s->snapshot[s->count] = i;
		s->time[s->count++] = time;
	}
	s->end = fmax(s->end, end_time(s));
}

static bool is_judged(const struct place_series *s, uint32_t site)
{
	return s->place[site] < s->places && sites_is_counted(&s->sites->site[site]);
}

static void add_values_at(struct place_series *s, uint32_t point)
{
	struct snapshot_values values;
	struct mu_site_value value;
	struct mu_snapshot shot;

	if (!image_snapshot(s->im, s->snapshot[point], &shot))
		return;
	snapshot_values_open(&values, s->im, &shot);
	for (; s->left > 0 && snapshot_values_next(&values, &value) &&
	       value.site < s->sites->count; s->left--) {
		if (is_judged(s, (uint32_t)value.site))
			s->value[(size_t)s->place[value.site] * s->count + point] +=
				(double)value.bytes;
	}
}

/* The bytes that a place allocated in all, and their variance. */
struct place_total {
	double bytes, variance, samples;
	bool is_sampled;
};

static struct place_total *sum_totals(const struct place_series *s,
				      const struct site_errors *errors)
{
	struct place_total *total = xcalloc((size_t)s->places + 1, sizeof(*total));

	for (uint32_t i = 0; i < s->sites->count; i++) {
		struct place_total *t;

		if (!is_judged(s, i))
			continue;
		t = &total[s->place[i]];
		t->bytes += (double)s->sites->site[i].total_bytes;
		if (!errors)
			continue;
		t->variance += errors[i].total.variance;
		t->samples += errors[i].total.samples;
		t->is_sampled |= errors[i].total.is_sampled;
	}
	return total;
}

/* Half of the 95 % interval of a difference of two values as large as the largest: each has its
 * part of the variance of all blocks, as in site_errors_weigh(). */
static double noise_of_place(const struct place_total *t, const double *value, uint32_t count)
{
	double most = 0;

	for (uint32_t i = 0; i < count; i++)
		most = fmax(most, value[i]);
	if (t->bytes <= 0)
		return 0;
	return 1.96 * sqrt(2 * t->variance * fmin(1, most / t->bytes));
}

static enum trend judge_place(const struct place_series *s, const struct place_total *t,
			      const double *value)
{
	if (t->is_sampled && t->samples < SAMPLES_FEW)
		return TREND_NONE;
	return trend_judge(&(struct trend_series){ .time = s->time, .value = value,
						   .count = s->count, .end = s->end,
						   .total = t->bytes,
						   .noise = noise_of_place(t, value, s->count) });
}

void place_trends_judge(enum trend *trend, const uint32_t *place, uint32_t count,
			const struct sites *sites, const struct image *im,
			const struct site_errors *errors, bool by_bytes)
{
	struct place_series s = { .im = im, .sites = sites, .place = place, .by_bytes = by_bytes,
				  .left = VALUES_MAX,
				  .places = count < PLACE_TRENDS_MAX ? count : PLACE_TRENDS_MAX };
	struct place_total *total;

	for (uint32_t i = 0; i < count; i++)
		trend[i] = TREND_NONE;
	choose_snapshots(&s);
	if (s.count < TREND_POINTS_MIN)
		return;
	s.value = xcalloc((size_t)s.places * s.count + 1, sizeof(*s.value));
	for (uint32_t i = 0; i < s.count; i++)
		add_values_at(&s, i);
	total = sum_totals(&s, errors);
	for (uint32_t i = 0; i < s.places; i++)
		trend[i] = judge_place(&s, &total[i], s.value + (size_t)i * s.count);
	free(total);
	free(s.value);
}

/* ---- resident memory ----------------------------------------------------------------------- */

static double private_bytes(const struct mu_sample *sample)
{
	return sample->rss_anon > sample->recorder_anon ?
		       (double)(sample->rss_anon - sample->recorder_anon) : 0;
}

/* Samples of a timeline at equal distances. */
struct resident_series {
	double time[2 * SAMPLES_WINDOW], resident[2 * SAMPLES_WINDOW], heap[2 * SAMPLES_WINDOW];
	uint32_t count;
};

static void choose_samples(struct resident_series *r, const struct timeline *t)
{
	uint32_t step = t->count / SAMPLES_WINDOW > 0 ? t->count / SAMPLES_WINDOW : 1;

	r->count = 0;
	for (uint32_t i = 0; i < t->count && r->count < 2 * SAMPLES_WINDOW; i += step) {
		const struct mu_sample *sample = &t->sample[i];

		r->time[r->count] = sample->mono_ns > t->start_ns ?
					    (double)(sample->mono_ns - t->start_ns) : 0;
		r->resident[r->count] = private_bytes(sample);
		r->heap[r->count++] = (double)sample->heap;
	}
}

static double mean_of(const double *value, uint32_t from, uint32_t to)
{
	double sum = 0;

	for (uint32_t i = from; i < to; i++)
		sum += value[i];
	return sum / (to - from);
}

/* Samples of a damaged recording may have any value. */
static uint64_t whole_bytes(double bytes)
{
	return bytes > 1e18 ? (uint64_t)1e18 : bytes > 0 ? (uint64_t)bytes : 0;
}

/* Compares the means of the first and the last third before the end, where programs tidy up. */
static bool compare_thirds(struct resident_rise *rise, const struct resident_series *r)
{
	uint32_t end = r->count * 9 / 10, third = end / 3;
	double from = mean_of(r->resident, 0, third), to = mean_of(r->resident, end - third, end);
	double heap_from = mean_of(r->heap, 0, third), heap_to = mean_of(r->heap, end - third, end);

	if (to - from < CHANGE_MIN || fabs(heap_to - heap_from) * FLAT_SHARE >= to - from)
		return false;
	*rise = (struct resident_rise){ .from = whole_bytes(from), .to = whole_bytes(to),
					.heap_from = whole_bytes(heap_from),
					.heap_to = whole_bytes(heap_to) };
	return true;
}

bool resident_rise_find(struct resident_rise *rise, const struct image *im)
{
	struct resident_series r;
	struct timeline t;
	bool is_found = false;

	if (timeline_load(&t, im, NULL) == 0 && !t.counts_pages && t.count >= SAMPLES_MIN &&
	    sampled_mean_distance(im) <= 0) {
		choose_samples(&r, &t);
		is_found = trend_judge(&(struct trend_series){ .time = r.time, .value = r.resident,
							       .count = r.count,
							       .end = r.time[r.count - 1] }) ==
				   TREND_GROWS &&
			   compare_thirds(rise, &r);
	}
	timeline_free(&t);
	return is_found;
}
