/* profile_site_errors.c -- errors of sites add up to those of places, branches and changes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/site_errors.h"

#include <math.h>

#include "profile/model/moment.h"
#include "profile/model/top.h"
#include "profile/model/tree.h"
#include "tests/lib/fake_profile.h"
#include "tests/lib/scratch.h"
#include "tests/lib/tap.h"

#define SLOT UINT64_C(4194304)
#define LOG2 14u
#define R 16384.0

static struct fake f;
static struct image im;
static struct profile p;
static struct filter filter;
static struct site_errors *errors;
static struct weight weight[FAKE_ENTRIES];
static struct sampled_error error[FAKE_ENTRIES];

static void begin(void)
{
	fake_segment(&f, MU_KIND_FILE, 1, SLOT);
	fake_image(&f, 0);
	fake_stacks(&f);
	fake_at(&f, 0)->sampling.log2 = fake_at(&f, 0)->sampling.first_log2 = LOG2;
}

static void load(void)
{
	fake_profile(&f, &im, &p);
	filter_init(&filter, &p, NULL);
	errors = site_errors_load(&p.sites, &im);
}

static void end(void)
{
	free(errors);
	filter_free(&filter);
	profile_free(&p);
	free(f.base);
}

/* A site of small blocks: each of SAMPLES stands for R bytes, in ten blocks. */
static struct mu_error_cell *sampled_site(const char *stack, int64_t samples)
{
	const int64_t bytes = samples * (int64_t)R, blocks = samples * 10 << MU_SAMPLE_BLOCK_BITS;
	struct mu_cell *cell = fake_site(&f, stack, bytes, blocks);
	struct mu_error_cell *e = fake_append(&f, MU_SEC_CELLS);

	*e = (struct mu_error_cell){
		.flags = MU_CELL_ERROR, .site = cell->site, .live_samples = samples,
		.live_variance = (int64_t)(R * R) / MU_SAMPLE_VARIANCE_UNIT * samples,
		.live_block_variance = 16 * 100 * samples, .total_samples = (uint64_t)samples,
		.total_variance = (uint64_t)(R * R) / MU_SAMPLE_VARIANCE_UNIT * (uint64_t)samples,
		.total_block_variance = (uint64_t)(16 * 100 * samples) };
	return e;
}

static void weigh(enum metric_kind kind, uint64_t snapshot)
{
	EQ_I(sites_weigh(&p.sites, &im, kind, snapshot, weight), 0);
	site_errors_weigh(&p.sites, errors, kind, weight, error);
}

/* Half of the width of 95 %. */
static double half_of(const struct sampled_error *e, int64_t bytes)
{
	struct sampled_interval i = sampled_bytes_interval(e, (double)bytes, R);

	EQ_D((i.high + i.low) / 2, (double)bytes, 1);
	return (i.high - i.low) / 2;
}

static void variances_are_summed(void)
{
	struct call_tree t;
	struct top top;

	begin();
	sampled_site("main>a>x", 16);
	sampled_site("main>b>x", 20);
	sampled_site("main>b>y", 64);
	load();
	weigh(METRIC_LIVE, 0);
	top_build(&top, &filter, weight, TOP_BY_FUNCTION, TOP_BY_BYTES);
	EQ_I(top.count, 2);
	EQ_D(half_of(&top.entry[0].error, top.entry[0].bytes), 1.96 * R * 8, 1);
	EQ_D(half_of(&top.entry[1].error, top.entry[1].bytes), 1.96 * R * 6, 1);
	EQ_D(half_of(&top.line[top.entry[1].first_line].error, top.entry[1].bytes), 1.96 * R * 6,
	     1);
	EQ_D(half_of(&top.error, top.bytes), 1.96 * R * 10, 1);
	top_free(&top);
	top_build(&top, &filter, weight, TOP_FUNCTIONS, TOP_BY_BYTES);
	EQ_D(half_of(&top.entry[0].error, top.entry[0].bytes), 1.96 * R * 10, 1);
	top_free(&top);
	tree_build(&t, &filter, weight, &(struct tree_options){ .grouping = TREE_BY_LINE });
	EQ_D(half_of(&t.error[0], t.node[0].bytes), 1.96 * R * 10, 1);
	EQ_D(half_of(&t.error[1], t.node[1].bytes), 1.96 * R * 8, 1);
	tree_free(&t);
	tree_build(&t, &filter, weight, &(struct tree_options){
			.grouping = TREE_BY_LINE, .threshold = 70 });
	IS_TRUE(t.node[1].flags & TREE_MERGED);
	EQ_D(half_of(&t.error[1], t.node[1].bytes), 1.96 * R * 10, 1);
	tree_free(&t);
	end();
}

static void few_samples_have_poissons_limits(void)
{
	struct sampled_interval i;
	struct top top;

	begin();
	sampled_site("main>a", 2);
	sampled_site("main>b>a", 1);
	load();
	weigh(METRIC_LIVE, 0);
	top_build(&top, &filter, weight, TOP_BY_FUNCTION, TOP_BY_BYTES);
	/* chi2(0.025; 6) / 2 and chi2(0.975; 8) / 2 */
	i = sampled_bytes_interval(&top.entry[0].error, (double)top.entry[0].bytes, R);
	EQ_D(i.low, 0.6187 * R, 1);
	EQ_D(i.high, 8.7673 * R, 1);
	i = sampled_blocks_interval(&top.entry[0].error, (double)top.entry[0].blocks);
	EQ_D(i.low, 6.187, 0.001);
	EQ_D(i.high, 87.673, 0.001);
	top_free(&top);
	end();
}

static void exact_and_unseen(void)
{
	struct mu_error_cell *e;
	struct sampled_interval i;

	begin();
	fake_site(&f, "main>map", 5000, 1 << MU_SAMPLE_BLOCK_BITS);
	fake_site(&f, "main>large", 300000, 1 << MU_SAMPLE_BLOCK_BITS);
	e = fake_append(&f, MU_SEC_CELLS);
	e->flags = MU_CELL_ERROR;
	e->site = 2;
	e->live_exact_bytes = 300000;
	e->live_exact_blocks = 1;
	load();
	weigh(METRIC_LIVE, 0);
	i = sampled_bytes_interval(weight[1].error, 5000, R);
	EQ_D(i.low, 5000, 0);
	EQ_D(i.high, 5000, 0);
	i = sampled_blocks_interval(weight[1].error, 1);
	EQ_D(i.high, 1, 0);
	i = sampled_bytes_interval(weight[2].error, 300000, R);
	EQ_D(i.low, 300000, 0);
	EQ_D(i.high, 300000 + sampled_bytes_unseen(R), 1);
	/* exp(-x) is 2.5 %. */
	EQ_D(exp(-sampled_bytes_unseen(R) / R), 0.025, 1e-5);
	end();
}

/* 5 samples counted for 50 blocks, and are freed. */
static void unseen_blocks_are_as_large_as_earlier_ones(void)
{
	struct mu_error_cell *e;
	struct mu_cell *cell;
	struct sampled_interval i;

	begin();
	e = sampled_site("main>gone", 5);
	e->live_samples = e->live_variance = e->live_block_variance = 0;
	cell = fake_append(&f, MU_SEC_CELLS);
	*cell = (struct mu_cell){ .site = e->site, .live_bytes = -5 * (int64_t)R,
				  .live_blocks = -(50 << MU_SAMPLE_BLOCK_BITS) };
	load();
	weigh(METRIC_LIVE, 0);
	i = sampled_blocks_interval(weight[1].error, 0);
	EQ_D(i.low, 0, 0);
	EQ_D(i.high, 10 * sampled_bytes_unseen(R) / R, 0.001);
	i = sampled_bytes_interval(weight[1].error, 0, R);
	EQ_D(i.high, sampled_bytes_unseen(R), 0.001);
	end();
}

static void parts_have_their_share(void)
{
	static const struct mu_site_value value[] = { { 1, 0, 25 * (int64_t)R, 250 } };
	struct growth_range g = { .from = { .kind = MOMENT_START }, .to = { .kind = MOMENT_END } };
	struct mu_snapshot *shot;
	struct mu_error_cell *e;

	begin();
	e = sampled_site("main>a", 100);
	e->live_samples = 64;
	e->live_variance = e->live_variance * 64 / 100;
	((struct mu_cell *)fake_entry(&f, MU_SEC_CELLS, 0))->temporary =
		40 * 10 << MU_SAMPLE_BLOCK_BITS;
	shot = fake_append(&f, MU_SEC_SNAPSHOTS);
	shot->values = fake_alloc(&f, 0, sizeof(value));
	shot->value_count = 1;
	shot->sites = 2;
	memcpy(fake_pointer(&f, 0, shot->values), value, sizeof(value));
	load();
	weigh(METRIC_SNAPSHOT, 0);
	EQ_D(half_of(weight[1].error, weight[1].bytes), 1.96 * R * 5, 1);
	EQ_D(weight[1].error->samples, 25, 0);
	weigh(METRIC_TEMPORARY, 0);
	EQ_D(weight[1].error->samples, 40, 0);
	EQ_D(weight[1].error->block_variance, 40 * 100, 0.01);
	EQ_I(moment_growth(&p.sites, &im, &g, weight, NULL), 0);
	IS_NULL(weight[1].error);
	EQ_I(moment_growth_errors(&p.sites, &im, &g, errors, weight, error, NULL), 0);
	EQ_D(half_of(weight[1].error, weight[1].bytes), 1.96 * R * 8, 1);
	IS_FALSE(weight[1].error->is_change);
	g.from = (struct moment){ .kind = MOMENT_SNAPSHOT, .snapshot = 0 };
	EQ_I(moment_growth(&p.sites, &im, &g, weight, NULL), 0);
	EQ_I(moment_growth_errors(&p.sites, &im, &g, errors, weight, error, NULL), 0);
	EQ_D(half_of(weight[1].error, weight[1].bytes), 1.96 * R * sqrt(25 + 64), 1);
	end();
}

/* Two blocks of 50 R each are exact, and one sample of R was there besides: it may be at the moment,
 * or not, but no more than that is uncertain. */
static void parts_may_be_exact(void)
{
	static const struct mu_site_value value[] = { { 1, 0, 100 * (int64_t)R, 7 } };
	struct sampled_interval i;
	struct mu_snapshot *shot;
	struct mu_error_cell *e;
	struct mu_cell *cell;

	begin();
	e = sampled_site("main>a", 1);
	cell = fake_entry(&f, MU_SEC_CELLS, 0);
	cell->total_bytes += 100 * (uint64_t)R;
	cell->total_blocks += 2 << MU_SAMPLE_BLOCK_BITS;
	e->total_exact_bytes = 100 * (uint64_t)R;
	e->total_exact_blocks = 2;
	shot = fake_append(&f, MU_SEC_SNAPSHOTS);
	shot->values = fake_alloc(&f, 0, sizeof(value));
	shot->value_count = 1;
	shot->sites = 2;
	memcpy(fake_pointer(&f, 0, shot->values), value, sizeof(value));
	load();
	weigh(METRIC_SNAPSHOT, 0);
	EQ_D(weight[1].error->samples, 1, 0);
	EQ_D(weight[1].error->exact_bytes, 99 * R, 1);
	i = sampled_bytes_interval(weight[1].error, (double)weight[1].bytes, R);
	EQ_D(i.low, 99 * R + 0.0253 * R, 1);
	EQ_D(i.high, 99 * R + 5.5716 * R, 1);
	end();
}

/* R has doubled: a snapshot may be of the time after that, when half of the samples were given up.
 * Blocks of 0.1 R: a sample of them is 10.5 blocks, then 20.5. */
static void parts_after_the_distance_grew(void)
{
	static const struct mu_site_value value[] = { { 1, 0, 20 * (int64_t)R, 200 } };
	const double size = R / 10, kept = -expm1(-(size + 1) / 2 / R);
	struct mu_snapshot *shot;

	begin();
	sampled_site("main>a", 100);
	fake_at(&f, 0)->sampling.log2 = LOG2 + 1;
	shot = fake_append(&f, MU_SEC_SNAPSHOTS);
	shot->values = fake_alloc(&f, 0, sizeof(value));
	shot->value_count = 1;
	shot->sites = 2;
	memcpy(fake_pointer(&f, 0, shot->values), value, sizeof(value));
	load();
	weigh(METRIC_SNAPSHOT, 0);
	EQ_D(half_of(weight[1].error, weight[1].bytes), 1.96 * size * sqrt(200 * (1 - kept) / kept),
	     2);
	EQ_D(weight[1].error->samples, ceil(200 * kept), 0);
	EQ_D(weight[1].error->block_variance, 200 * (1 - kept) / kept, 0.1);
	weigh(METRIC_TOTAL, 0);
	EQ_D(half_of(weight[1].error, weight[1].bytes), 1.96 * R * 10, 1);
	end();
}

/* Blocks that were not sampled may be there: as much as they had in all, at most. */
static void processes_without_samples_are_not_exact(void)
{
	struct mu_thread *thread;
	struct site_errors sum;

	begin();
	load();
	IS_TRUE(site_errors_sum(&sum, &p.sites, &im));
	EQ_D(sampled_bytes_interval(&sum.peak, 0, R).high, 0, 0);
	end();
	begin();
	thread = fake_append(&f, MU_SEC_THREADS);
	thread->counters.calls[MU_FN_MALLOC] = 40;
	thread->counters.calls[MU_FN_FREE] = 30;
	thread->counters.bytes[MU_FN_MALLOC] = 4000;
	load();
	IS_TRUE(site_errors_sum(&sum, &p.sites, &im));
	EQ_D(sampled_bytes_interval(&sum.peak, 0, R).high, 4000, 0.001);
	EQ_D(sampled_blocks_interval(&sum.live, 0).high, 40, 0.001);
	EQ_D(sampled_bytes_interval(&sum.peak, 4500, R).high, 4500, 0.001);
	end();
	begin();
	thread = fake_append(&f, MU_SEC_THREADS);
	thread->counters.calls[MU_FN_MALLOC] = 400000;
	thread->counters.bytes[MU_FN_MALLOC] = 4000000;
	load();
	IS_TRUE(site_errors_sum(&sum, &p.sites, &im));
	EQ_D(sampled_bytes_interval(&sum.peak, 0, R).high, sampled_bytes_unseen(R), 0.001);
	end();
}

/* A process asked for 150 R, and one place has 100 samples, the other 20: no figure is more than what
 * was asked for, of one place or of both. */
static void no_more_than_was_asked_for(void)
{
	struct sampled_error both = { .samples = 0 };
	struct mu_thread *thread;

	begin();
	sampled_site("main>a", 100);
	sampled_site("main>b", 20);
	thread = fake_append(&f, MU_SEC_THREADS);
	thread->counters.bytes[MU_FN_MALLOC] = 125 * (uint64_t)R;
	thread->counters.calls[MU_FN_MALLOC] = 110;
	load();
	weigh(METRIC_LIVE, 0);
	sampled_error_add(&both, weight[1].error);
	EQ_D(sampled_bytes_interval(&both, 110 * R, R).high, 125 * R, 1);
	EQ_D(sampled_blocks_interval(&both, 100).high, 110, 0);
	EQ_D(sampled_bytes_interval(&both, 100 * R, R).high, 119.6 * R, 1);
	sampled_error_add(&both, weight[2].error);
	EQ_D(sampled_bytes_interval(&both, 120 * R, R).high, 125 * R, 1);
	EQ_D(sampled_bytes_interval(&both, 130 * R, R).high, 130 * R, 1);
	/* What is exact was asked for, too. */
	sampled_error_add(&both, &(struct sampled_error){ .exact_bytes = 7 });
	EQ_D(sampled_bytes_interval(&both, 120 * R, R).high, 125 * R, 1);
	/* What nothing is known of may be larger. */
	sampled_error_add(&both, &(struct sampled_error){ .samples = 20, .variance = 20 * R * R,
							  .is_sampled = true });
	EQ_D(sampled_bytes_interval(&both, 140 * R, R).high, (140 + 1.96 * sqrt(140)) * R, 10);
	end();
}

/* A child with cells of its own, or a merge of children without: places have the blocks of a parent, and
 * counters lack them. */
static void inherited_blocks_are_not_limited(void)
{
	struct mu_thread *thread;
	struct site_errors sum;

	for (int is_merge = 0; is_merge < 2; is_merge++) {
		begin();
		sampled_site("main>a", 100);
		thread = fake_append(&f, MU_SEC_THREADS);
		thread->counters.bytes[MU_FN_MALLOC] = 2 * (uint64_t)R;
		thread->counters.calls[MU_FN_MALLOC] = 10;
		load();
		weigh(METRIC_LIVE, 0);
		EQ_D(sampled_bytes_interval(weight[1].error, 100 * R, R).high, 100 * R, 1);
		im.head.fork_cells = !is_merge;
		im.head.fork_heap = 200 * (int64_t)R;
		im.head.notes = is_merge ? MU_NOTE_COUNTED_AGAIN : 0;
		free(errors);
		errors = site_errors_load(&p.sites, &im);
		weigh(METRIC_LIVE, 0);
		EQ_D(half_of(weight[1].error, weight[1].bytes), 1.96 * R * 10, 1);
		IS_TRUE(site_errors_sum(&sum, &p.sites, &im));
		EQ_D(half_of(&sum.total, 100 * (int64_t)R), 1.96 * R * 10, 1);
		EQ_D(half_of(&sum.live, 100 * (int64_t)R), 1.96 * R * 10, 1);
		end();
	}
}

/* 100 samples of R in all, and no more than 150 R was asked for: at a moment with 25 R as many samples
 * may have been there, of the smallest blocks. */
static void moments_of_the_heap(void)
{
	struct site_errors sum;
	struct sampled_error e;
	struct mu_thread *thread;

	begin();
	sampled_site("main>a", 100);
	thread = fake_append(&f, MU_SEC_THREADS);
	thread->counters.bytes[MU_FN_MALLOC] = 150 * (uint64_t)R;
	load();
	IS_TRUE(site_errors_sum(&sum, &p.sites, &im));
	e = site_errors_at_moment(&sum, 25 * (int64_t)R, R);
	EQ_D(half_of(&e, 25 * (int64_t)R), 1.96 * R * 5, 1);
	e = site_errors_at_moment(&sum, 145 * (int64_t)R, R);
	EQ_D(sampled_bytes_interval(&e, 145 * R, R).high, 150 * R, 1);
	end();
	sum = (struct site_errors){ .live = { .samples = 0 } };
	e = site_errors_at_moment(&sum, 5000, 0);
	EQ_D(sampled_bytes_interval(&e, 5000, 0).low, 5000, 0);
	EQ_D(sampled_bytes_interval(&e, 5000, 0).high, 5000, 0);
}

/* A child of a parent with 100 R asked for 10 R itself: it cannot have gained more. */
static void growth_since_a_fork(void)
{
	const struct sampled_error all = { .samples = 104, .variance = 104 * R * R, .is_sampled = true };
	struct sampled_error own;
	struct sampled_interval i;

	site_errors_since_fork(&own, &all, 100 * R, 10 * R, R);
	i = sampled_bytes_interval(&own, 4 * R, R);
	EQ_D(i.low, 0, 0);
	EQ_D(i.high, 10 * R, 0);
	site_errors_since_fork(&own, &all, 100 * R, 1000 * R, R);
	EQ_D(sampled_bytes_interval(&own, 4 * R, R).high, 4 * R + 1.96 * R * sqrt(204), 1);
	site_errors_since_fork(&own, &all, 0, 10 * R, R);
	EQ_D(sampled_bytes_interval(&own, 104 * R, R).low, 104 * R - 1.96 * R * sqrt(104), 1);
}

/* 100 samples at first, 110 later: of the 30 that came meanwhile, and of the 20 that went, each counts.
 * After the distance has grown nobody knows which ones were given up. */
static void changes_count_what_came_and_went(void)
{
	const struct site_errors before = { .live = { .samples = 100, .variance = 100 * R * R },
					    .total = { .samples = 200, .variance = 200 * R * R } };
	const struct site_errors now = { .live = { .samples = 110, .variance = 110 * R * R },
					 .total = { .samples = 230, .variance = 230 * R * R } };
	struct site_errors c = site_errors_change(&now, &before, false);

	EQ_D(c.total.samples, 30, 0);
	EQ_D(half_of(&c.total, 30 * (int64_t)R), 1.96 * R * sqrt(30), 1);
	EQ_D(c.live.samples, 50, 0);
	EQ_D(half_of(&c.live, 10 * (int64_t)R), 1.96 * R * sqrt(50), 1);
	EQ_D(half_of(&c.live, -30 * (int64_t)R), 1.96 * R * sqrt(50), 1);
	c = site_errors_change(&now, &before, true);
	EQ_D(half_of(&c.live, 10 * (int64_t)R), 1.96 * R * sqrt(210), 1);
}

/* A change may be less than nothing, and so may its limit. */
static void changes(void)
{
	const struct sampled_error few = { .samples = 2, .variance = 2 * R * R, .is_sampled = true,
					   .is_change = true };
	const struct sampled_error none = { .is_sampled = true, .is_change = true };

	EQ_D(sampled_bytes_interval(&few, -R, R).low, -R - (7.2247 - 2) * R, 20);
	EQ_D(sampled_bytes_interval(&few, -R, R).high, -R + (7.2247 - 2) * R, 20);
	EQ_D(sampled_bytes_interval(&none, -5, R).high, -5, 0);
}

/* 1,000 sites of 1.4 blocks have 1,400. */
static void blocks_are_rounded_evenly(void)
{
	int64_t sum = 0, live = 0;

	for (uint32_t i = 1; i <= 1000; i++) {
		sum += mu_sample_blocks(i, 1434);
		live += mu_sample_blocks(i, 1100) <= mu_sample_blocks(i, 1434);
		if (mu_sample_blocks(i, 3 << MU_SAMPLE_BLOCK_BITS) != 3 || mu_sample_blocks(i, 0))
			sum = 0;
	}
	EQ_D((double)sum, 1400, 3);
	EQ_I(live, 1000);
	EQ_I(mu_sample_blocks(7, -2 * 1024), -2);
}

int main(void)
{
	scratch();
	variances_are_summed();
	few_samples_have_poissons_limits();
	exact_and_unseen();
	unseen_blocks_are_as_large_as_earlier_ones();
	parts_have_their_share();
	parts_may_be_exact();
	parts_after_the_distance_grew();
	processes_without_samples_are_not_exact();
	no_more_than_was_asked_for();
	inherited_blocks_are_not_limited();
	moments_of_the_heap();
	growth_since_a_fork();
	changes_count_what_came_and_went();
	changes();
	blocks_are_rounded_evenly();
	return done_testing();
}
