/* push_set.c -- What one push to a server of profiles holds.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/push/push_set.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/number.h"
#include "profile/read/site_errors.h"

const struct push_type_name push_type_names[PUSH_TYPES] = {
	[PUSH_ALLOC_OBJECTS] = { "alloc_objects", "count" },
	[PUSH_ALLOC_SPACE] = { "alloc_space", "bytes" },
	[PUSH_INUSE_OBJECTS] = { "inuse_objects", "count" },
	[PUSH_INUSE_SPACE] = { "inuse_space", "bytes" },
};

static int64_t growth_of(uint64_t now, uint64_t earlier)
{
	return now > earlier ? (int64_t)positive_or_zero((int64_t)(now - earlier)) : 0;
}

static bool read_sample(const struct push_process *p, uint32_t site, struct push_sample *sample)
{
	static const struct site nothing;
	const struct filter *f = p->export->filter;
	const struct site *s = &f->profile->sites.site[site];
	const struct site *e = p->earlier && site < p->earlier->count ? &p->earlier->site[site] :
									&nothing;
	bool has_value = false;

	if (!sites_is_counted(s) || filter_stack(f, s->stack).is_ignored)
		return false;
	sample->site = site;
	sample->value[PUSH_ALLOC_OBJECTS] = growth_of(s->total_blocks, e->total_blocks);
	sample->value[PUSH_ALLOC_SPACE] = growth_of(s->total_bytes, e->total_bytes);
	sample->value[PUSH_INUSE_OBJECTS] =
		p->has_ended ? 0 : (int64_t)positive_or_zero(s->live_blocks);
	sample->value[PUSH_INUSE_SPACE] =
		p->has_ended ? 0 : (int64_t)positive_or_zero(s->live_bytes);
	for (int i = 0; i < PUSH_TYPES; i++)
		has_value |= sample->value[i] != 0;
	return has_value;
}

/* Values of a damaged recording may be anything up to 2^63. */
static void add_values(int64_t *sum, const int64_t *value)
{
	for (int i = 0; i < PUSH_TYPES; i++) {
		if (__builtin_add_overflow(sum[i], value[i], &sum[i]))
			sum[i] = INT64_MAX;
	}
}

static void share_samples(struct push_set *s)
{
	int64_t sum[PUSH_TYPES] = { 0 };

	for (size_t i = 0; i < s->count; i++)
		add_values(sum, s->sample[i].value);
	for (size_t i = 0; i < s->count; i++) {
		struct push_sample *sample = &s->sample[i];

		for (int t = 0; t < PUSH_TYPES; t++) {
			double share = sum[t] ? (double)sample->value[t] / (double)sum[t] : 0;

			sample->share = share > sample->share ? share : sample->share;
		}
	}
}

static int compare_samples(const void *a, const void *b)
{
	const struct push_sample *x = a, *y = b;

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->site > y->site) - (x->site < y->site);
}

void push_set_build(struct push_set *s, const struct push_process *process, size_t processes)
{
	size_t room = 1;

	*s = (struct push_set){ .process = process, .processes = processes };
	for (size_t i = 0; i < processes; i++) {
		const double distance = sampled_mean_distance(process[i].export->image);

		s->distance = distance > s->distance ? distance : s->distance;
		room += process[i].export->filter->profile->sites.count;
	}
	s->sample = xcalloc(room, sizeof(*s->sample));
	for (size_t i = 0; i < processes; i++) {
		const struct sites *sites = &process[i].export->filter->profile->sites;

		for (uint32_t k = 0; k < sites->count; k++) {
			s->sample[s->count].process = (uint32_t)i;
			s->count += read_sample(&process[i], k, &s->sample[s->count]);
		}
	}
	share_samples(s);
	qsort(s->sample, s->count, sizeof(*s->sample), compare_samples);
	s->kept = s->count;
}

void push_set_keep(struct push_set *s, size_t most)
{
	memset(s->other, 0, sizeof(s->other));
	s->kept = s->count <= most ? s->count : most - 1;
	for (size_t i = s->kept; i < s->count; i++)
		add_values(s->other, s->sample[i].value);
}

bool push_set_has_other(const struct push_set *s)
{
	return s->kept < s->count;
}

void push_set_free(struct push_set *s)
{
	free(s->sample);
	*s = (struct push_set){ .count = 0 };
}
