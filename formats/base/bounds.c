/* bounds.c -- Texts for the 95 % bounds of estimates of a sampled recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/bounds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Sums of a damaged recording may be anything. */
static uint64_t magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* Three significant digits, but no more decimals than the estimate has. */
static void format_distance(char text[UNITS_LENGTH], double value, double unit, int decimals)
{
	static const double step[] = { 1, 10, 100 };
	double scaled = value / unit;
	const int most = scaled < 9.99 ? 2 : scaled < 99.9 ? 1 : 0;

	decimals = decimals < most ? decimals : most;
	/* A sum that is exact but for the rounding of doubles must not be rounded up. */
	scaled = ceil(scaled * step[decimals] - 1e-6) / step[decimals];
	snprintf(text, UNITS_LENGTH, "%.*f", decimals, fmax(scaled, 0));
}

/* Below a KiB nothing was sampled, and what may be there is of another size. */
static const char *format_unseen(char text[BOUNDS_LENGTH], double above)
{
	char most[UNITS_LENGTH];

	snprintf(text, BOUNDS_LENGTH, "+%s", units_bytes(most, units_whole(ceil(above))));
	return text;
}

static const char *join_bounds(char text[BOUNDS_LENGTH], const char *below, const char *above)
{
	if (strcmp(below, above) == 0)
		snprintf(text, BOUNDS_LENGTH, "+- %s", above);
	else
		snprintf(text, BOUNDS_LENGTH, "-%s +%s", below, above);
	return text;
}

/* Many samples whose variance is rounded to nothing are estimates all the same. */
static bool is_exact(const struct sampled_error *e, const struct sampled_interval *i)
{
	return e->samples <= 0 && i->high - i->low <= 0;
}

const char *bounds_bytes(char text[BOUNDS_LENGTH], const struct sampled_error *e, int64_t bytes,
			 double distance)
{
	const double estimate = (double)bytes;
	const struct sampled_interval i = sampled_bytes_interval(e, estimate, distance);
	char below[UNITS_LENGTH], above[UNITS_LENGTH];
	int decimals;
	const double unit = units_bytes_unit(magnitude(bytes), &decimals);

	if (is_exact(e, &i))
		return strcpy(text, "exact");
	if ((!e->is_change || e->is_growth) && unit <= 1 && i.low >= estimate &&
	    i.high - estimate >= 1024)
		return format_unseen(text, i.high - estimate);
	format_distance(below, estimate - i.low, unit, decimals);
	format_distance(above, i.high - estimate, unit, decimals);
	return join_bounds(text, below, above);
}

static void format_blocks(char text[UNITS_LENGTH], double blocks)
{
	units_grouped(text, units_whole(ceil(fmax(blocks - 1e-6, 0))));
}

const char *bounds_blocks(char text[BOUNDS_LENGTH], const struct sampled_error *e, int64_t blocks)
{
	const double estimate = (double)blocks;
	const struct sampled_interval i = sampled_blocks_interval(e, estimate);
	char below[UNITS_LENGTH], above[UNITS_LENGTH];

	if (is_exact(e, &i))
		return strcpy(text, "exact");
	format_blocks(below, estimate - i.low);
	format_blocks(above, i.high - estimate);
	return join_bounds(text, below, above);
}

const char *bounds_bytes_text(char text[BOUNDS_LENGTH], const struct sampled_error *e,
			      int64_t bytes, double distance)
{
	const double within = sampled_bytes_within(e, (double)bytes);
	char bounds[BOUNDS_LENGTH];
	size_t length;

	if (within < (double)bytes)
		bytes = (int64_t)within;
	units_bytes(text, magnitude(bytes));
	length = strlen(text);
	bounds_bytes(bounds, e, bytes, distance);
	if (strcmp(bounds, "exact") != 0)
		snprintf(text + length, BOUNDS_LENGTH - length, " %s", bounds);
	return text;
}

const char *bounds_now(struct image_end end)
{
	return end.how == MU_END_RUNNING ? "now" : "at the end";
}

const char *bounds_describe_change(char text[BOUNDS_TEXT], const struct site_errors *sum,
				   const struct sites *s, double distance)
{
	char live[BOUNDS_LENGTH], total[BOUNDS_LENGTH], every[UNITS_LENGTH];
	int64_t live_bytes = 0;
	uint64_t total_bytes = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		live_bytes += sites_is_counted(&s->site[i]) ? s->site[i].live_bytes : 0;
		total_bytes += sites_is_counted(&s->site[i]) ? s->site[i].total_bytes : 0;
	}
	snprintf(text, BOUNDS_TEXT,
		 "estimates: about one block in %s was sampled; the heap changed by %s%s, "
		 "%s were allocated (95 %%)", units_bytes(every, units_whole(distance)),
		 live_bytes < 0 ? "-" : "",
		 bounds_bytes_text(live, &sum->live, live_bytes, distance),
		 bounds_bytes_text(total, &sum->total, (int64_t)total_bytes, distance));
	return text;
}

const char *bounds_describe(char text[BOUNDS_TEXT], const struct sites *s, const struct image *im)
{
	const double distance = sampled_mean_distance(im);
	const struct mu_heap *heap = &im->head.heap;
	const int64_t highest = image_is_above_peak(im) ? heap->now : heap->peak;
	char peak[BOUNDS_LENGTH], end[BOUNDS_LENGTH], every[UNITS_LENGTH];
	struct site_errors sum;

	*text = '\0';
	if (distance <= 0)
		return text;
	site_errors_sum(&sum, s, im);
	snprintf(text, BOUNDS_TEXT,
		 "estimates: about one block in %s was sampled; heap peak %s, %s %s "
		 "(95 %%)",
		 units_bytes(every, units_whole(distance)),
		 bounds_bytes_text(peak, &sum.peak, highest, distance),
		 bounds_now(image_end_of(&im->head)),
		 bounds_bytes_text(end, &sum.live, heap->now, distance));
	return text;
}
