/* sites.c -- what was done at each site, added up over all threads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/sites.h"

#include <stddef.h>
#include <stdlib.h>

#include "cli/xmalloc.h"
#include "profile/base/number.h"
#include "profile/read/batch.h"
#include "profile/read/snapshot_values.h"
#include "recording/copies.h"

/* Entries after which what was read of a file is let go of. */
enum { FORGET_EVERY = 1 << 16 };

static int load_site_table(struct sites *s, const struct image *im, uint32_t stacks,
			   struct mu_error *err)
{
	uint64_t count = image_count(im, MU_SEC_SITES);

	count = count < SITES_MAX ? count : SITES_MAX;
	s->site = calloc(count + 1, sizeof(*s->site));
	if (!s->site)
		return mu_error_memory(err);
	for (; s->count < count; s->count++) {
		/* Later fields are younger than some recordings. */
		const size_t known = offsetof(struct mu_site, point);
		struct mu_site from = { .label = 0 };

		if (!image_copy_entry(im, MU_SEC_SITES, s->count, &from, sizeof(from)) &&
		    !image_copy_entry(im, MU_SEC_SITES, s->count, &from, known))
			break;
		s->site[s->count] = (struct site){
			.stack = from.stack < stacks ? from.stack : 0,
			.fn = from.fn < UINT8_MAX ? (uint8_t)from.fn : UINT8_MAX,
			.flags = from.flags,
			.label = from.label,
			.first = (uint32_t)from.first };
		if (s->count % FORGET_EVERY == 0)
			image_forget(im);
	}
	return 0;
}

/* Sums wrap like those of the recorder: a cell alone means nothing, and may be damaged. */
static void add_cell_to_site(struct site *site, const struct mu_cell *cell, const struct image *im)
{
	bool is_now = image_is_above_peak(im) || cell->epoch != im->head.heap.epoch;

	site->live_bytes = wrapping_sum(site->live_bytes, cell->live_bytes);
	site->live_blocks = wrapping_sum(site->live_blocks, cell->live_blocks);
	site->peak_bytes =
		wrapping_sum(site->peak_bytes, is_now ? cell->live_bytes : cell->peak_bytes);
	site->peak_blocks =
		wrapping_sum(site->peak_blocks, is_now ? cell->live_blocks : cell->peak_blocks);
	site->max_bytes = wrapping_sum(site->max_bytes, cell->max_bytes > cell->live_bytes ?
								  cell->max_bytes :
								  cell->live_bytes);
	site->total_bytes += cell->total_bytes;
	site->total_blocks += cell->total_blocks;
	site->temporary += cell->temporary;
	site->life = wrapping_sum(site->life, cell->life);
}

static bool copy_cell_entry(const struct image *im, uint64_t number, struct mu_cell *cell)
{
	if (!batch_cell(im, number, cell))
		return false;
	if (number % FORGET_EVERY == 0)
		image_forget(im);
	return true;
}

/* In a sampled recording cells count blocks in fractions. */
static void round_sampled_blocks(struct sites *s)
{
	for (uint32_t i = 0; i < s->count; i++) {
		struct site *site = &s->site[i];

		site->life_blocks = site->live_blocks;
		site->live_blocks = mu_sample_blocks(i, site->live_blocks);
		site->peak_blocks = mu_sample_blocks(i, site->peak_blocks);
		site->total_blocks = (uint64_t)mu_sample_blocks(i,
								(int64_t)site->total_blocks);
		site->temporary = (uint64_t)mu_sample_blocks(i, (int64_t)site->temporary);
	}
}

static int load_from_cell(struct sites *s, const struct image *im, uint32_t stacks, uint64_t first,
			  struct mu_error *err)
{
	uint64_t cells = image_count(im, MU_SEC_CELLS);
	struct mu_cell cell;

	*s = (struct sites){ .count = 0 };
	if (load_site_table(s, im, stacks, err) < 0)
		return -1;
	for (uint64_t i = first; i < cells && copy_cell_entry(im, i, &cell); i++) {
		if (cell.flags & MU_CELL_ERROR)
			continue;
		if (cell.site < s->count && cell.flags & MU_CELL_MASSIF)
			s->site[cell.site].is_booked = true;
		else if (cell.site < s->count)
			add_cell_to_site(&s->site[cell.site], &cell, im);
	}
	image_forget(im);
	if (im->head.sampling.log2)
		round_sampled_blocks(s);
	return 0;
}

int sites_load(struct sites *s, const struct image *im, uint32_t stacks, struct mu_error *err)
{
	return load_from_cell(s, im, stacks, 0, err);
}

int sites_load_own(struct sites *s, const struct image *im, uint32_t stacks, struct mu_error *err)
{
	return load_from_cell(s, im, stacks, im->head.fork_cells, err);
}

struct sites_classes *sites_classes(const struct sites *s, const struct image *im)
{
	uint64_t cells = image_count(im, MU_SEC_CELLS);
	struct sites_classes *of = xcalloc((size_t)s->count + 1, sizeof(*of));
	struct mu_cell cell;

	for (uint64_t i = 0; i < cells && copy_cell_entry(im, i, &cell); i++) {
		if (cell.site >= s->count || cell.flags & (MU_CELL_MASSIF | MU_CELL_ERROR))
			continue;
		for (unsigned int k = 0; k < SITES_CLASSES; k++)
			of[cell.site].blocks[k] += cell.size_class[k];
	}
	return of;
}

uint64_t sites_first_tick(const struct image *im, uint32_t number)
{
	struct mu_site site = { .first = 0 };

	image_copy_entry(im, MU_SEC_SITES, number, &site, offsetof(struct mu_site, point));
	return site.first;
}

/* Site 0 is made when the process begins. */
uint64_t sites_end_tick(const struct sites *s, const struct image *im)
{
	const struct mu_process *process = &im->head.process;
	uint64_t start = process->start_mono_ns, end = process->exit_mono_ns;
	uint64_t last = sites_first_tick(im, 0);

	if (end > start)
		last += (uint64_t)((double)(end - start) / SITES_TICK_NS);
	for (uint32_t i = 0; i < s->count; i++) {
		uint64_t first = sites_first_tick(im, i);

		last = first > last ? first : last;
	}
	return last;
}

void sites_lifetimes(struct sites *s, const struct image *im)
{
	const uint64_t end = sites_end_tick(s, im);
	const bool is_sampled = im->head.sampling.log2;

	for (uint32_t i = 0; i < s->count && !s->has_lifetimes; i++) {
		struct site *site = &s->site[i];

		int64_t blocks = is_sampled ? site->life_blocks : site->live_blocks;

		site->life = (int64_t)((uint64_t)site->life + (uint64_t)blocks * end);
		if (is_sampled)
			site->life = mu_sample_blocks(i, site->life);
		if (site->life < 0)
			site->life = 0;
	}
	s->has_lifetimes = true;
}

void sites_free(struct sites *s)
{
	free(s->site);
	*s = (struct sites){ .count = 0 };
}

bool sites_is_copy(const struct site *site)
{
	return site->fn >= MU_FN_COPY && site->fn < MU_FN_COPY + MU_COPY_COUNT;
}

bool sites_is_counted(const struct site *site)
{
	return !(site->flags & (MU_SITE_IGNORED | MU_SITE_NESTED | MU_SITE_FREE |
				MU_SITE_AD_HOC)) &&
	       !sites_is_copy(site) && site->total_blocks > 0;
}

static struct weight weigh_site_metric(const struct site *site, enum metric_kind kind)
{
	struct weight w = { .is_there = kind == METRIC_AD_HOC ? site->flags & MU_SITE_AD_HOC :
								 sites_is_counted(site) };

	if (!w.is_there || kind == METRIC_SNAPSHOT)
		return (struct weight){ .is_there = false };
	if (kind == METRIC_PEAK) {
		w.bytes = site->peak_bytes;
		w.blocks = site->peak_blocks;
	} else if (kind == METRIC_LIVE) {
		w.bytes = site->live_bytes;
		w.blocks = site->live_blocks;
	} else {
		w.bytes = (int64_t)site->total_bytes;
		w.blocks = (int64_t)(kind == METRIC_TEMPORARY ? site->temporary :
								site->total_blocks);
	}
	return w;
}

/* Values that are zero are not kept; which sites had allocated by then is. */
static int weigh_snapshot(const struct sites *s, const struct image *im, uint64_t snapshot,
			  struct weight *weight)
{
	struct mu_site_value value;
	struct snapshot_values values;
	struct mu_snapshot shot;

	if (!image_snapshot(im, snapshot, &shot))
		return -1;
	/* Not every snapshot keeps them. */
	if (!snapshot_values_are_known(&shot))
		return -1;
	snapshot_values_open(&values, im, &shot);
	while (snapshot_values_next(&values, &value)) {
		if (value.site >= s->count)
			break;
		weight[value.site].bytes = value.bytes;
		weight[value.site].blocks = value.blocks;
	}
	for (uint32_t i = 0; i < s->count; i++) {
		weight[i].is_there = i < shot.sites && (sites_is_counted(&s->site[i]) ||
							(s->site[i].is_booked &&
							 !(s->site[i].flags & MU_SITE_IGNORED)));
		if (!weight[i].is_there)
			weight[i].bytes = weight[i].blocks = 0;
	}
	return 0;
}

int sites_weigh(const struct sites *s, const struct image *im, enum metric_kind kind,
		uint64_t snapshot, struct weight *weight)
{
	for (uint32_t i = 0; i < s->count; i++)
		weight[i] = weigh_site_metric(&s->site[i], kind);
	return kind == METRIC_SNAPSHOT ? weigh_snapshot(s, im, snapshot, weight) : 0;
}
