/* points.c -- program points: what DHAT knows of each place that allocates.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/points.h"

#include <stddef.h>
#include <stdlib.h>

#include "cli/xmalloc.h"
#include "profile/base/number.h"

/* A sum of times modulo 2^64, which is a sum of lifetimes. */
static uint64_t sum_lifetimes(int64_t life, uint64_t live, uint64_t end)
{
	return positive_or_zero((int64_t)((uint64_t)life + live * end));
}

/* ---- recorded ---------------------------------------------------------------------------- */

static struct program_point convert_point(const struct mu_point *from, const struct mu_points *all,
					  uint64_t end)
{
	bool is_now = all->now >= all->peak || from->epoch != all->epoch;
	struct program_point p = {
		.site = from->site,
		.frames = from->frames,
		.total_bytes = from->total_bytes,
		.total_blocks = from->total_blocks,
		.peak_bytes = positive_or_zero(is_now ? from->live_bytes : from->peak_bytes),
		.peak_blocks = positive_or_zero(is_now ? from->live_blocks : from->peak_blocks),
		.max_bytes = positive_or_zero(from->max_bytes),
		.max_blocks = positive_or_zero(from->max_blocks),
		.end_bytes = positive_or_zero(from->live_bytes),
		.end_blocks = positive_or_zero(from->live_blocks),
	};

	/* Only a fall notes it. */
	if (p.end_bytes > p.max_bytes) {
		p.max_bytes = p.end_bytes;
		p.max_blocks = p.end_blocks;
	}
	p.lifetimes = sum_lifetimes(from->life, p.end_blocks, end);
	return p;
}

static uint64_t larger_value(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* A unit of the time stamp counter, by the first and the last look at both clocks; a process that
 * lived for less than a millisecond and was killed has only one. */
static double unit_in_clock_ticks(const struct mu_points *all)
{
	double units = (double)(UINT64_C(1) << (all->shift & 31));

	if (all->clock > MU_CLOCK_CPU)
		return 1;
	if (all->clock != MU_CLOCK_TICKS)
		return units;
	if (all->end_ticks <= all->start_ticks || all->end_ns <= all->start_ns)
		return units / 3;
	return units * (double)(all->end_ns - all->start_ns) /
	       (double)(all->end_ticks - all->start_ticks);
}

static void read_heap_figures(struct points *p, const struct mu_points *all, uint64_t end)
{
	uint64_t peak = all->now >= all->peak ? all->last_time : all->peak_time;

	p->clock = all->clock <= MU_CLOCK_INSTRUCTIONS ? all->clock : MU_CLOCK_NS;
	p->unit_ns = unit_in_clock_ticks(all);
	p->end_time = end - all->start_time;
	p->peak_time = peak > all->start_time ? peak - all->start_time : 0;
	p->is_recorded = true;
}

static bool add_recorded_point(struct points *p, uint32_t sites, const struct image *im, uint64_t i,
			       const struct mu_points *all, uint64_t end)
{
	struct mu_point point;

	if (!image_copy_entry(im, MU_SEC_POINTS, i, &point, sizeof(point)))
		return false;
	p->point[p->count] = convert_point(&point, all, end);
	if (p->point[p->count].site >= sites)
		p->point[p->count].site = 0;
	p->count++;
	return true;
}

static void load_recorded(struct points *p, uint32_t sites, const struct image *im, uint64_t count,
			  const struct mu_points *all)
{
	uint64_t end = larger_value(all->end_time, all->last_time);

	end = larger_value(end, all->start_time);
	read_heap_figures(p, all, end);
	for (uint64_t i = 0; i < count && add_recorded_point(p, sites, im, i, all, end); i++)
		;
	for (uint32_t i = 0; i < sites; i++) {
		struct mu_site site = { .point = 0 };

		image_copy_entry(im, MU_SEC_SITES, i, &site, sizeof(site));
		p->of_site[i] = site.point > 0 && site.point <= p->count ? site.point - 1 :
									   POINTS_NONE;
	}
}

/* ---- made of sites ----------------------------------------------------------------------- */

/* A quotient of hostile figures may be larger than any number of blocks. */
static uint64_t limit_to_most(double value, uint64_t most)
{
	return value < (double)most ? (uint64_t)value : most;
}

static struct program_point make_site_point(const struct site *from, uint32_t number, uint64_t end)
{
	struct program_point p = {
		.site = number,
		.frames = UINT32_MAX,
		.total_bytes = from->total_bytes,
		.total_blocks = from->total_blocks,
		.max_bytes = positive_or_zero(from->max_bytes),
		.peak_bytes = positive_or_zero(from->peak_bytes),
		.peak_blocks = positive_or_zero(from->peak_blocks),
		.end_bytes = positive_or_zero(from->live_bytes),
		.end_blocks = positive_or_zero(from->live_blocks),
	};
	bool was_at_end = p.end_bytes >= p.peak_bytes;
	uint64_t bytes = was_at_end ? p.end_bytes : p.peak_bytes;

	/* How many blocks made up the most was not noted: as many as at a moment that is known,
	 * and more in proportion. */
	p.max_blocks = was_at_end ? p.end_blocks : p.peak_blocks;
	if (bytes > 0 && p.max_bytes > bytes)
		p.max_blocks = limit_to_most(
			(double)p.max_blocks * (double)p.max_bytes / (double)bytes, p.total_blocks);
	else if (bytes == 0 && p.total_blocks > 0)
		p.max_blocks = p.max_bytes / (p.total_bytes / p.total_blocks + 1) + 1;
	if (p.max_bytes == 0)
		p.max_blocks = p.end_blocks;
	if (p.max_blocks > p.total_blocks)
		p.max_blocks = p.total_blocks;
	p.lifetimes = sum_lifetimes(from->life, p.end_blocks, end);
	return p;
}

/* Only a snapshot knows the time. */
static uint64_t peak_tick(const struct image *im)
{
	const uint64_t count = image_count(im, MU_SEC_SNAPSHOTS);
	struct mu_snapshot s, peak = { .heap = -1 };

	for (uint64_t i = 0; i < count && image_snapshot(im, i, &s); i++) {
		if (s.heap > peak.heap || s.kind == MU_SNAPSHOT_PEAK)
			peak = s;
	}
	return peak.tick;
}

static void make_site_points(struct points *p, const struct sites *sites, const struct image *im)
{
	const uint64_t end = sites_end_tick(sites, im), first = sites_first_tick(im, 0);
	const uint64_t peak = peak_tick(im);

	p->clock = MU_CLOCK_NS;
	p->unit_ns = SITES_TICK_NS;
	p->end_time = end - first;
	p->peak_time = peak > first ? peak - first : 0;
	for (uint32_t i = 0; i < sites->count; i++) {
		p->of_site[i] = POINTS_NONE;
		if (!sites_is_counted(&sites->site[i]))
			continue;
		p->of_site[i] = p->count;
		p->point[p->count] = make_site_point(&sites->site[i], i, end);
		if (sites->has_lifetimes)
			p->point[p->count].lifetimes = positive_or_zero(sites->site[i].life);
		p->count++;
	}
}

/* ---- both -------------------------------------------------------------------------------- */

void points_load(struct points *p, const struct sites *sites, const struct image *im)
{
	uint64_t count = image_count(im, MU_SEC_POINTS);
	struct mu_points all;
	bool is_recorded = count > 0 && im->head.points &&
			   image_copy(im, im->head.points, &all, sizeof(all));

	*p = (struct points){ .sites = sites->count };
	if (!is_recorded)
		count = sites->count;
	count = count < SITES_MAX ? count : SITES_MAX;
	p->point = xcalloc(count + 1, sizeof(*p->point));
	p->of_site = xcalloc((size_t)sites->count + 1, sizeof(*p->of_site));
	if (is_recorded)
		load_recorded(p, sites->count, im, count, &all);
	else
		make_site_points(p, sites, im);
}

void points_free(struct points *p)
{
	free(p->point);
	free(p->of_site);
	*p = (struct points){ .count = 0 };
}
