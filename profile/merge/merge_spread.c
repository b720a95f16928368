/* merge_spread.c -- How the processes of a merge differ at a place.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/merge/merge_spread.h"

#include <math.h>
#include <stdlib.h>

#include "cli/xmalloc.h"

#define DEVIATIONS 3.5
#define NORMAL 1.4826	/* a median of distances times this is the deviation of a normal curve */

enum { LEAST_PROCESSES = 4 };

struct member {
	int64_t value;
	double distance;	/* from the median of its group */
	uint32_t process, group;
	bool is_outlier;
};

static int compare_values(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static int compare_groups(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return compare_values(a, b);
}

static int compare_distances(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->distance < y->distance || x->distance > y->distance)
		return x->distance < y->distance ? -1 : 1;
	return (x->process < y->process) - (x->process > y->process);
}

/* The mean of the two in the middle of an even number. */
static double middle(double low, double high)
{
	return low + (high - low) / 2;
}

static double median_value(const struct member *m, uint32_t count)
{
	return middle((double)m[(count - 1) / 2].value, (double)m[count / 2].value);
}

/* M is one group, in the order of values. */
static void mark_outliers(struct member *m, uint32_t count)
{
	double spread, bound, median;

	if (count < LEAST_PROCESSES)
		return;
	median = median_value(m, count);
	for (uint32_t i = 0; i < count; i++)
		m[i].distance = fabs((double)m[i].value - median);
	qsort(m, count, sizeof(*m), compare_distances);
	spread = middle(m[(count - 1) / 2].distance, m[count / 2].distance);
	bound = fmax(DEVIATIONS * NORMAL * spread, fabs(median) / 100);
	for (uint32_t i = 0; i < count; i++)
		m[i].is_outlier = m[i].distance > bound;
}

static void find_outliers(struct merge_spread *s, struct member *m, uint32_t count)
{
	uint32_t first = 0;

	qsort(m, count, sizeof(*m), compare_groups);
	for (uint32_t i = 1; i <= count; i++) {
		if (i < count && m[i].group == m[first].group)
			continue;
		mark_outliers(m + first, i - first);
		first = i;
	}
	qsort(m, count, sizeof(*m), compare_distances);
	for (uint32_t i = count; i-- > 0;) {
		if (!m[i].is_outlier)
			continue;
		if (s->outliers < MERGE_OUTLIERS) {
			s->outlier[s->outliers] = m[i].process;
			s->outlier_value[s->outliers] = m[i].value;
		}
		s->outliers++;
	}
}

void merge_spread_compute(struct merge_spread *s, const int64_t *value, const uint32_t *group,
			  uint32_t processes)
{
	struct member *m = xcalloc((size_t)processes + 1, sizeof(*m));
	uint32_t count = 0;

	*s = (struct merge_spread){ .processes = 0 };
	for (uint32_t i = 0; i < processes; i++) {
		s->processes += group[i] != MERGE_SPREAD_NONE;
		s->with += group[i] != MERGE_SPREAD_NONE && value[i] != 0;
	}
	s->has_all = s->with >= s->processes - s->with;
	for (uint32_t i = 0; i < processes; i++) {
		if (group[i] != MERGE_SPREAD_NONE && (s->has_all || value[i] != 0))
			m[count++] = (struct member){ .value = value[i], .process = i,
						      .group = group[i] };
	}
	if (count > 0) {
		qsort(m, count, sizeof(*m), compare_values);
		s->least = m[0].value;
		s->most = m[count - 1].value;
		s->median = (int64_t)median_value(m, count);
		find_outliers(s, m, count);
	}
	free(m);
}
