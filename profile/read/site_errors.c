/* site_errors.c -- how far the estimates of a sampled recording may be off.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/site_errors.h"

#include <math.h>
#include <stdlib.h>

#include "cli/xmalloc.h"
#include "profile/read/counters.h"

#define DEVIATIONS 1.96	 /* of a normal distribution, two sides: 95 % */
#define UNSEEN 3.6889	 /* R: what none was seen of may have at most, 97.5 % one-sided */
#define EXACT_FROM 10	 /* samples; below, the limits of a Poisson count are used */

/* chi2(0.025; 2n) / 2 and chi2(0.975; 2n + 2) / 2, divided by n. */
static const struct sampled_interval poisson[EXACT_FROM] = {
	{ 0, 0 },
	{ 0.0253, 5.5716 },
	{ 0.2422 / 2, 7.2247 / 2 },
	{ 0.6187 / 3, 8.7673 / 3 },
	{ 1.0899 / 4, 10.2416 / 4 },
	{ 1.6235 / 5, 11.6683 / 5 },
	{ 2.2019 / 6, 13.0595 / 6 },
	{ 2.8144 / 7, 14.4227 / 7 },
	{ 3.4538 / 8, 15.7632 / 8 },
	{ 4.1154 / 9, 17.0848 / 9 },
};

static void add_live_error(struct sampled_error *to, const struct mu_error_cell *cell)
{
	to->samples += (double)cell->live_samples;
	to->exact_bytes += (double)cell->live_exact_bytes;
	to->exact_blocks += (double)cell->live_exact_blocks;
	to->variance += (double)cell->live_variance * MU_SAMPLE_VARIANCE_UNIT;
	to->block_variance += (double)cell->live_block_variance * MU_SAMPLE_BLOCK_VARIANCE_UNIT;
}

static void add_peak_error(struct sampled_error *to, const struct mu_error_cell *cell)
{
	to->samples += cell->peak_samples;
	to->exact_bytes += (double)cell->peak_exact_bytes;
	to->exact_blocks += (double)cell->peak_exact_blocks;
	to->variance += (double)cell->peak_variance * MU_SAMPLE_VARIANCE_UNIT;
	to->block_variance += (double)cell->peak_block_variance * MU_SAMPLE_BLOCK_VARIANCE_UNIT;
}

static void add_total_error(struct sampled_error *to, const struct mu_error_cell *cell)
{
	to->samples += (double)cell->total_samples;
	to->exact_bytes += (double)cell->total_exact_bytes;
	to->exact_blocks += (double)cell->total_exact_blocks;
	to->variance += (double)cell->total_variance * MU_SAMPLE_VARIANCE_UNIT;
	to->block_variance += (double)cell->total_block_variance * MU_SAMPLE_BLOCK_VARIANCE_UNIT;
}

static void add_error_cell(struct site_errors *to, const struct mu_error_cell *cell,
			   const struct image *im)
{
	to->live.is_sampled = to->peak.is_sampled = to->total.is_sampled = true;
	add_live_error(&to->live, cell);
	add_total_error(&to->total, cell);
	if (image_is_above_peak(im) || cell->epoch != im->head.heap.epoch)
		add_live_error(&to->peak, cell);
	else
		add_peak_error(&to->peak, cell);
}

static void add_error_cells(struct site_errors *of, const struct sites *s, const struct image *im,
			    uint64_t first)
{
	uint64_t cells = image_count(im, MU_SEC_CELLS);
	struct mu_error_cell cell;

	for (uint64_t i = first; i < cells; i++)
		if (image_copy_entry(im, MU_SEC_CELLS, i, &cell, sizeof(cell)) &&
		    cell.flags & MU_CELL_ERROR && cell.site < s->count)
			add_error_cell(&of[cell.site], &cell, im);
}

static void set_blocks_ever(struct sampled_error *to, const struct site *site,
			    const struct sampled_error *total)
{
	to->ever_blocks = (double)site->total_blocks;
	to->ever_recorded = total->samples + total->exact_blocks;
}

/* Without a sampled block a site has no cell of errors. */
static void complete_errors(struct site_errors *to, const struct site *site)
{
	if (to->total.is_sampled) {
		set_blocks_ever(&to->live, site, &to->total);
		set_blocks_ever(&to->peak, site, &to->total);
		set_blocks_ever(&to->total, site, &to->total);
		return;
	}
	to->live.exact_bytes = (double)site->live_bytes;
	to->live.exact_blocks = (double)site->live_blocks;
	to->peak.exact_bytes = (double)site->peak_bytes;
	to->peak.exact_blocks = (double)site->peak_blocks;
	to->total.exact_bytes = (double)site->total_bytes;
	to->total.exact_blocks = (double)site->total_blocks;
}

static struct sampled_most count_asked_for(const struct image *im)
{
	struct counters c = { .unknown_frees = 0 };
	struct sampled_most all = { .blocks = 0 };

	counters_add(&c, im);
	for (int fn = 0; fn < MU_FN_COUNT; fn++)
		if (fn != MU_FN_FREE && fn != MU_FN_MUNMAP)
			all.blocks += (double)c.calls[fn];
	all.bytes = (double)counters_heap_total(&c);
	return all;
}

/* Blocks from before an attach are in no counter; its forked children have them as well. */
static bool has_earlier_blocks(const struct image *im)
{
	return (im->head.notes & (MU_NOTE_ATTACHED | MU_NOTE_RAW_CLONE)) != 0;
}

/* A child with cells of its own counts from its fork, but still has the blocks of its parent. */
struct sampled_most sampled_most_in(const struct image *im)
{
	struct sampled_most all = { INFINITY, INFINITY };

	if (im->head.fork_cells || im->head.notes & MU_NOTE_COUNTED_AGAIN)
		return all;
	all = count_asked_for(im);
	if (has_earlier_blocks(im)) {
		all.bytes += fmax((double)im->head.fork_heap, 0);
		all.blocks = INFINITY;
	}
	return all;
}

/* Other children have the counters of their parent, in which the blocks that they got from it
 * are. */
double sampled_most_live(const struct image *im)
{
	const double asked_for = count_asked_for(im).bytes;

	if (sampled_mean_distance(im) <= 0 || im->head.notes & MU_NOTE_COUNTED_AGAIN)
		return INFINITY;
	return im->head.fork_cells || has_earlier_blocks(im) ?
		       asked_for + fmax((double)im->head.fork_heap, 0) : asked_for;
}

static void limit_errors(struct site_errors *to, const struct sampled_most *most)
{
	to->live.most_bytes = to->peak.most_bytes = to->total.most_bytes = most->bytes;
	to->live.most_blocks = to->peak.most_blocks = to->total.most_blocks = most->blocks;
}

static struct site_errors *load_from_cell(const struct sites *s, const struct image *im,
					  uint64_t first)
{
	const double distance = sampled_mean_distance(im);
	struct sampled_most most;
	struct site_errors *of;

	if (distance <= 0)
		return NULL;
	most = sampled_most_in(im);
	of = xcalloc((size_t)s->count + 1, sizeof(*of));
	add_error_cells(of, s, im, first);
	for (uint32_t i = 0; i < s->count; i++) {
		complete_errors(&of[i], &s->site[i]);
		limit_errors(&of[i], &most);
		if (im->head.sampling.log2 > im->head.sampling.first_log2)
			of[i].grown_distance = distance;
	}
	return of;
}

struct site_errors *site_errors_load(const struct sites *s, const struct image *im)
{
	return load_from_cell(s, im, 0);
}

struct site_errors *site_errors_load_own(const struct sites *s, const struct image *im)
{
	return load_from_cell(s, im, im->head.fork_cells);
}

static double most_of_both(bool is_known, double sum, double part)
{
	return is_known && part > 0 ? fmax(sum, part) : INFINITY;
}

void sampled_error_add(struct sampled_error *to, const struct sampled_error *e)
{
	to->samples += e->samples;
	to->exact_bytes += e->exact_bytes;
	to->exact_blocks += e->exact_blocks;
	to->variance += e->variance;
	to->block_variance += e->block_variance;
	to->ever_blocks += e->ever_blocks;
	to->ever_recorded += e->ever_recorded;
	if (e->is_sampled) { /* others have no part in it, they are exact */
		to->most_bytes = most_of_both(!to->is_sampled || to->most_bytes > 0,
					      to->most_bytes, e->most_bytes);
		to->most_blocks = most_of_both(!to->is_sampled || to->most_blocks > 0,
					       to->most_blocks, e->most_blocks);
	}
	to->is_sampled |= e->is_sampled;
	to->is_change |= e->is_change;
}

/* A process without a sample may have blocks all the same: as many as its counters tell, and of
 * their mean size. */
static void add_error_without_sites(struct sampled_error *to, const struct sampled_most *all,
				    double distance)
{
	if (to->ever_recorded > 0)
		return;
	to->ever_blocks += all->blocks;
	to->ever_recorded += fmax(all->bytes / distance, UNSEEN);
	to->is_sampled |= all->blocks > 0;
}


bool site_errors_sum(struct site_errors *sum, const struct sites *s, const struct image *im)
{
	struct site_errors *of = site_errors_load(s, im);
	const struct mu_heap *heap = &im->head.heap;

	*sum = (struct site_errors){ .live = { .samples = 0 } };
	for (uint32_t i = 0; of && i < s->count; i++) {
		if (!sites_is_counted(&s->site[i]))
			continue;
		sampled_error_add(&sum->live, &of[i].live);
		sampled_error_add(&sum->peak, &of[i].peak);
		sampled_error_add(&sum->total, &of[i].total);
		sum->sampled_ever += fmax((double)s->site[i].total_bytes - of[i].total.exact_bytes,
					  0);
	}
	if (of) {
		const struct sampled_most all = count_asked_for(im), most = sampled_most_in(im);
		const double distance = sampled_mean_distance(im);

		add_error_without_sites(&sum->live, &all, distance);
		add_error_without_sites(&sum->peak, &all, distance);
		add_error_without_sites(&sum->total, &all, distance);
		limit_errors(sum, &most);
		sum->live.most_bytes = sum->peak.most_bytes = sampled_most_live(im);
		sum->live_bytes = heap->now;
		sum->peak_bytes = image_is_above_peak(im) ? heap->now : heap->peak;
	}
	free(of);
	return of != NULL;
}

/* The part of the parent is an estimate, too: S (1 - p) / p of it is never more than R. */
void site_errors_since_fork(struct sampled_error *own, const struct sampled_error *e,
			    double inherited, double asked_for, double distance)
{
	*own = *e;
	if (inherited <= 0 || !e->is_sampled)
		return;
	own->is_change = own->is_growth = true;
	own->samples += ceil(inherited / distance);
	own->variance += inherited * distance;
	own->most_bytes = asked_for;
}

/* The heap that both moments share does not count, only what came and went in between: A was
 * allocated, so earlier + A - now went. */
static double changed_part(double earlier, double now, double allocated, bool has_grown)
{
	const double all = earlier + now;

	return has_grown ? all : fmin(fmax(2 * allocated + earlier - now, 0), all);
}

struct site_errors site_errors_change(const struct site_errors *now,
				      const struct site_errors *earlier, bool has_grown)
{
	struct site_errors c = { .grown_distance = 0 };

	c.live.is_change = c.total.is_change = true;
	c.live.is_sampled = c.total.is_sampled = now->total.is_sampled;
	c.total.samples = fmax(now->total.samples - earlier->total.samples, 0);
	c.total.variance = fmax(now->total.variance - earlier->total.variance, 0);
	c.total.block_variance = fmax(now->total.block_variance - earlier->total.block_variance, 0);
	c.live.samples = changed_part(earlier->live.samples, now->live.samples, c.total.samples,
				      has_grown);
	c.live.variance = changed_part(earlier->live.variance, now->live.variance,
				       c.total.variance, has_grown);
	c.live.block_variance = changed_part(earlier->live.block_variance,
					     now->live.block_variance, c.total.block_variance,
					     has_grown);
	return c;
}

static double share_of(double part, double whole)
{
	return whole > 0 && part > 0 ? fmin(part / whole, 1) : 0;
}

/* How much of a value is exact for sure: what is more than all that samples ever stood for. */
static double least_exact(double value, double sampled_ever, double exact_ever)
{
	return fmin(fmax(value - sampled_ever, 0), exact_ever);
}

/* S (1 - p) / p is never more than R. */
struct sampled_error site_errors_at_moment(const struct site_errors *sum, int64_t bytes,
					   double distance)
{
	struct sampled_error e = sum->total;
	const double value = fmax((double)bytes, 0);

	if (bytes == sum->live_bytes || bytes == sum->peak_bytes)
		return bytes == sum->live_bytes ? sum->live : sum->peak;
	e.exact_bytes = e.is_sampled ? least_exact(value, sum->sampled_ever, e.exact_bytes) : value;
	e.variance = (value - e.exact_bytes) * distance;
	e.samples = distance > 0 ? ceil((value - e.exact_bytes) / distance) : 0;
	return e;
}

/* The part of the error of all blocks that some of them have. As many as possible count as sampled.
 * Two exact blocks of 15 MiB had -11 +23.5 of the one sample that their place had besides. */
static struct sampled_error error_of_part(const struct site *site, const struct sampled_error *all,
					  const struct weight *w, bool by_blocks)
{
	const double bytes = (double)w->bytes, blocks = (double)w->blocks;
	const double ever_bytes = fmax((double)site->total_bytes - all->exact_bytes, 0);
	const double ever_blocks = fmax((double)site->total_blocks - all->exact_blocks, 0);
	const double share = by_blocks ? share_of(blocks, ever_blocks) :
					 share_of(bytes, ever_bytes);
	const bool is_exact = all->samples <= 0;

	return (struct sampled_error){
		.samples = ceil(all->samples * share),
		.exact_bytes = is_exact ? bytes :
					  least_exact(bytes, ever_bytes, all->exact_bytes),
		.exact_blocks = is_exact ? blocks :
					   least_exact(blocks, ever_blocks, all->exact_blocks),
		.variance = all->variance * share,
		.block_variance = all->block_variance * share,
		.ever_blocks = all->ever_blocks,
		.ever_recorded = all->ever_recorded,
		.most_bytes = all->most_bytes,
		.most_blocks = all->most_blocks,
		.is_sampled = all->is_sampled,
	};
}

/* The variance of each byte of blocks of SIZE: S (1 - p) / p, which is never more than R. */
static double variance_per_byte(double size, double distance)
{
	return size / expm1((size + 1) / distance);
}

/* An estimate of a moment that may be after the distance of samples has grown. The mean of all
 * blocks is of both times then: 66.5 MiB of blocks of 200,000 bytes had +- 4.4 MiB instead of
 * +- 6.5, with as many samples as there were before the half of them was given up. */
static void widen_error(struct sampled_error *e, const struct site *site,
			const struct site_errors *of, double bytes)
{
	const double size = ((double)site->total_bytes - of->total.exact_bytes) /
			    ((double)site->total_blocks - of->total.exact_blocks);
	const double sampled = bytes - e->exact_bytes;
	const double variance = sampled * variance_per_byte(size, of->grown_distance);
	const double samples = sampled / size * -expm1(-(size + 1) / of->grown_distance);

	if (e->samples <= 0 || !(size > 0) || variance <= e->variance)
		return;
	e->block_variance = variance / (size * size);
	e->variance = variance;
	e->samples = fmin(e->samples, ceil(samples));
}

static struct sampled_error error_of_metric(const struct site *site, const struct site_errors *e,
					    enum metric_kind kind, const struct weight *w)
{
	struct sampled_error part;

	switch (kind) {
	case METRIC_PEAK:
		return e->peak;
	case METRIC_LIVE:
		return e->live;
	case METRIC_SNAPSHOT:
		part = error_of_part(site, &e->total, w, false);
		if (e->grown_distance > 0)
			widen_error(&part, site, e, (double)w->bytes);
		return part;
	case METRIC_TEMPORARY:
		return error_of_part(site, &e->total, w, true);
	default:
		return e->total;
	}
}

void site_errors_weigh(const struct sites *s, const struct site_errors *e, enum metric_kind kind,
		       struct weight *weight, struct sampled_error *error)
{
	for (uint32_t i = 0; i < s->count; i++) {
		weight[i].error = weight[i].is_there ? &error[i] : NULL;
		error[i] = error_of_metric(&s->site[i], &e[i], kind, &weight[i]);
	}
}

double sampled_mean_distance(const struct image *im)
{
	uint32_t log2 = im->head.sampling.log2;

	return log2 > 0 && log2 <= MU_SAMPLE_LOG2_MAX ? ldexp(1, (int)log2) : 0;
}

/* unseen: what may be there if nothing was sampled. */
static struct sampled_interval compute_interval(double samples, double exact, double variance,
						double estimate, double unseen)
{
	double rest = estimate > exact ? estimate - exact : 0;
	double error = variance > 0 ? DEVIATIONS * sqrt(variance) : 0;
	struct sampled_interval i = { .low = exact, .high = exact + unseen };

	if (samples >= EXACT_FROM) {
		i.low = rest > error ? estimate - error : exact;
		i.high = estimate + error;
	} else if (samples >= 1) {
		i.low = exact + rest * poisson[(int)samples].low;
		i.high = exact + rest * poisson[(int)samples].high;
	}
	return i;
}

/* The interval of a difference. Its samples may be on either side, so that below ten the limit that
 * is farther away holds for both; sqrt(variance / samples) is what one of them stands for. */
static struct sampled_interval compute_change(double samples, double variance, double change)
{
	double error = variance > 0 ? DEVIATIONS * sqrt(variance) : 0;

	if (samples >= 1 && samples < EXACT_FROM)
		error = (poisson[(int)samples].high - 1) * sqrt(samples * fmax(variance, 0));
	return (struct sampled_interval){ change - error, change + error };
}

/* 20 KiB that were asked for in all cannot be 472 KiB that no sample has shown. Exact bytes were
 * asked for as well. */
static struct sampled_interval cap_interval(struct sampled_interval i, double exact, double most,
					    double estimate)
{
	if (most > 0)
		i.high = fmax(fmin(i.high, fmax(exact, most)), estimate);
	return i;
}

/* A child cannot have gained less than nothing, nor more than it asked for since its fork. */
static struct sampled_interval limit_growth(struct sampled_interval i, double most, double estimate)
{
	return (struct sampled_interval){ fmax(i.low, 0), fmax(fmin(i.high, most), estimate) };
}

struct sampled_interval sampled_bytes_interval(const struct sampled_error *e, double estimate,
					       double distance)
{
	if (e->is_growth)
		return limit_growth(compute_change(e->samples, e->variance, estimate),
				    e->most_bytes, estimate);
	if (e->is_change)
		return compute_change(e->samples, e->variance, estimate);
	return cap_interval(compute_interval(e->samples, e->exact_bytes, e->variance, estimate,
					     e->is_sampled ? UNSEEN * distance : 0),
			    e->exact_bytes, e->most_bytes, estimate);
}

double sampled_bytes_within(const struct sampled_error *e, double estimate)
{
	const bool is_limited = e->is_sampled && !e->is_change && e->most_bytes > 0;

	return is_limited ? fmin(estimate, fmax(e->exact_bytes, e->most_bytes)) : estimate;
}

/* How many blocks there may be if nothing was sampled: a recorded one counted for so many. */
static double unseen_blocks(const struct sampled_error *e)
{
	return e->ever_recorded > 0 ? UNSEEN * fmax(e->ever_blocks / e->ever_recorded, 1) : 0;
}

struct sampled_interval sampled_blocks_interval(const struct sampled_error *e, double estimate)
{
	if (e->is_change)
		return compute_change(e->samples, e->block_variance, estimate);
	return cap_interval(compute_interval(e->samples, e->exact_blocks, e->block_variance,
					     estimate, e->is_sampled ? unseen_blocks(e) : 0),
			    e->exact_blocks, e->most_blocks, estimate);
}

void sampled_error_swap(struct weight *w, struct sampled_error *e)
{
	const int64_t bytes = w->bytes;

	w->bytes = w->blocks;
	w->blocks = bytes;
	if (e) {
		const struct sampled_error was = *e;

		e->variance = was.block_variance;
		e->block_variance = was.variance;
		e->exact_bytes = was.exact_blocks;
		e->exact_blocks = was.exact_bytes;
		e->most_bytes = was.most_blocks;
		e->most_blocks = was.most_bytes;
	}
}

double sampled_bytes_unseen(double distance)
{
	return UNSEEN * distance;
}

/* The blocks of a forked child's parent are at the child's places, too, and are in its peak. */
double sampled_bytes_unseen_in(const struct image *im)
{
	const double all = count_asked_for(im).bytes + fmax((double)im->head.heap.peak, 0);

	return fmin(sampled_bytes_unseen(sampled_mean_distance(im)), all);
}
