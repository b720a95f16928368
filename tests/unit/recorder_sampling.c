/* recorder_sampling.c -- which blocks are sampled, with which weights: compared with libm.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/sampling.h"

#include <math.h>

#include "libmemusage/base/exponential.h"
#include "libmemusage/event/sampled_event.h"
#include "libmemusage/tables/heap.h"
#include "libmemusage/tables/sample_filter.h"
#include "libmemusage/tables/sites.h"
#include "libmemusage/tables/thinning.h"
#include "tests/lib/recorder.h"

#define LOG2 14u

static void begin(void)
{
	recorder_image(UINT64_C(64) << 20, MU_CFG_STACKS | MU_CFG_SAMPLE | MU_CFG_SAMPLE_AUTO);
	rec.image->sampling.log2 = rec.image->sampling.first_log2 = LOG2;
	gate.mode = MODE_STACKS | MODE_SAMPLE;
	self->sample_random = 88172645463325252u;
	self->sample_log2 = 0;
}

static double exact_probability(uint64_t size, unsigned int log2)
{
	return size + 1 > mu_sample_exact(log2) ? 1 : -expm1(-ldexp((double)(size + 1),
								     -(int)log2));
}

static void exponential_is_libms(void)
{
	double worst = 0, x;

	for (x = 1e-9; x < 15.9; x *= 1.003) {
		uint64_t scaled = (uint64_t)ldexp(x, 58);
		double got = ldexp((double)exponential_below(scaled), -62);

		worst = fmax(worst, fabs(got / -expm1(-ldexp((double)scaled, -58)) - 1));
	}
	OK(worst < 1e-6, "1 - exp(-x) is off by %g", worst);
	EQ_U(exponential_below(0), 0);
}

static void intervals_are_logarithms(void)
{
	double worst = 0, sum = 0, squares = 0;
	uint64_t state = 1;
	const int count = 1000000;

	for (int i = 0; i < count; i++) {
		uint64_t random = random_next(&state);
		double u = ldexp((double)(random >> 11) + 0.5, -53);
		double got = ldexp((double)exponential_interval(random, 40), -40);

		worst = fmax(worst, fabs(got + log(u)));
		sum += got;
		squares += got * got;
	}
	OK(worst < 1e-6, "-ln(u) is off by %g", worst);
	EQ_D(sum / count, 1, 4.0 / sqrt(count));
	EQ_D(squares / count, 2, 4 * sqrt(20.0 / count));
	OK(fabs(ldexp((double)exponential_interval(0, 40), -40) - 54 * log(2)) < 1e-6,
	   "the smallest number is the longest interval");
	EQ_U(exponential_interval(UINT64_MAX, 20), 0);
}

static void check_weight(uint64_t size, unsigned int log2)
{
	const struct sample_weight w = sampling_weigh(size, log2);
	double p = exact_probability(size, log2), s = (double)size;
	double variance = s * s * (1 - p) / p / p / MU_SAMPLE_VARIANCE_UNIT;
	double blocks = (1 - p) / p / p / MU_SAMPLE_BLOCK_VARIANCE_UNIT;

	EQ_D((double)w.bytes, s / p, 0.51 + s / p * 1e-6);
	EQ_D((double)w.blocks, 1024 / p, 0.51 + 1024 / p * 1e-6);
	EQ_D((double)w.variance, variance, 1.01 + variance * 1e-4);
	EQ_D((double)w.block_variance, blocks, 1.01 + blocks * 3e-3);
	EQ_I(w.is_exact, p == 1);
}

static void weights_are_exact(void)
{
	static const unsigned int log2[] = { MU_SAMPLE_LOG2_MIN, 14, 17, MU_SAMPLE_LOG2_MAX };

	for (size_t i = 0; i < sizeof(log2) / sizeof(log2[0]); i++) {
		uint64_t limit = mu_sample_exact(log2[i]);

		for (uint64_t size = 0; size < limit; size = size * 3 + 1)
			check_weight(size, log2[i]);
		check_weight(limit - 1, log2[i]);
		check_weight(limit, log2[i]);
		check_weight(limit * 100, log2[i]);
	}
}

/* Blocks of all sizes in turn, as a program makes them. */
static void each_size_has_its_probability(void)
{
	static const uint64_t size[] = { 0, 16, 1000, 8000, 16384, 40000, 75448, 75449 };
	enum { SIZES = sizeof(size) / sizeof(size[0]), TURNS = 200000 };
	double seen[SIZES] = { 0 };

	begin();
	for (int i = 0; i < TURNS; i++)
		for (int k = 0; k < SIZES; k++)
			seen[k] += sampling_decide(self, size[k]) == LOG2;
	for (int k = 0; k < SIZES; k++) {
		double p = exact_probability(size[k], LOG2);

		EQ_D(seen[k] / TURNS, p, 4 * sqrt(p * (1 - p) / TURNS));
	}
}

static void passed_blocks_are_counted(void)
{
	const struct mu_counters *counters;

	begin();
	counters = &self->pub.counters;
	self->sample_log2 = LOG2;
	self->sample_left = 100;
	IS_TRUE(sampling_pass(self, MU_FN_MALLOC, 60));
	EQ_I(self->sample_left, 39);
	IS_FALSE(sampling_pass(self, MU_FN_MALLOC, 39));
	EQ_I(self->sample_left, 39);
	IS_TRUE(sampling_pass(self, MU_FN_CALLOC, 38));
	EQ_I(self->sample_left, 0);
	IS_FALSE(sampling_pass(self, MU_FN_MALLOC, 0));
	EQ_U(counters->calls[MU_FN_MALLOC], 1);
	EQ_U(counters->bytes[MU_FN_CALLOC], 38);
	EQ_U(counters->hist_low[3], 1);
	self->sample_left = INT64_MAX;
	IS_FALSE(sampling_pass(self, MU_FN_MALLOC, MU_HIST_LOW * MU_HIST_STEP));
}

static void filter_forgets_the_last_of_a_place(void)
{
	const uint64_t a = 0x7f0000001230, b = a ^ (UINT64_C(1) << 24) ^ 16;

	begin();
	EQ_U(sample_filter_place(a), sample_filter_place(b));
	IS_FALSE(sample_filter_may_have(a));
	sample_filter_add(a);
	sample_filter_add(b);
	IS_FALSE(sample_filter_may_have(a + 16));
	EQ_U(sample_filter_place(a) / 2, sample_filter_place(a - 16) / 2);
	IS_FALSE(sample_filter_may_have(a - 16));
	sample_filter_add(a - 16);
	sample_filter_remove(a - 16);
	IS_FALSE(sample_filter_may_have(a - 16));
	sample_filter_remove(a);
	IS_TRUE(sample_filter_may_have(b));
	EQ_U(sample_filter.pages[sample_filter_page(b)], 1);
	EQ_U(sample_filter.pages[sample_filter_page(a)], 0);
	sample_filter_remove(b);
	IS_FALSE(sample_filter_may_have(b));
	EQ_U(sample_filter.pages[sample_filter_page(b)], 0);
	for (int i = 0; i < 300; i++)
		sample_filter_add(a);
	for (int i = 0; i < 300; i++)
		sample_filter_remove(a);
	IS_TRUE(sample_filter_may_have(a));
	sample_filter_clear();
	IS_FALSE(sample_filter_may_have(a));
}

static const struct mu_error_cell *error_cell(void)
{
	const struct mu_table *cells = &rec.image->table[MU_SEC_CELLS];

	for (uint64_t i = 0; i < cells->count; i++) {
		const struct mu_error_cell *cell = (const void *)(rec.base + cells->extent[0] +
								  i * sizeof(*cell));
		if (cell->flags & MU_CELL_ERROR)
			return cell;
	}
	FAIL("there is a cell of errors");
	exit(done_testing());
}

static void errors_are_summed_up(void)
{
	const struct sample_weight w = sampling_weigh(1000, LOG2), e = sampling_weigh(100000, LOG2);
	const struct mu_error_cell *cell;

	begin();
	sampling_add_error(0, &w, true);
	sampling_add_error(0, &w, true);
	sampling_add_error(0, &e, true);
	cell = error_cell();
	rec.image->heap.now = 1;
	heap_note_peak(false);
	sampling_remove_error(0, &w);
	sampling_remove_error(0, &e);
	EQ_I(cell->live_samples, 1);
	EQ_I(cell->live_exact_bytes, 0);
	EQ_U((uint64_t)cell->live_variance, w.variance);
	EQ_I(cell->peak_samples, 2);
	EQ_I(cell->peak_exact_bytes, 100000);
	EQ_I(cell->peak_exact_blocks, 1);
	EQ_U((uint64_t)cell->peak_variance, 2 * w.variance);
	EQ_U((uint64_t)cell->peak_block_variance, 2 * w.block_variance);
	EQ_U(cell->total_samples, 2);
	EQ_U(cell->total_exact_bytes, 100000);
	EQ_U(cell->total_variance, 2 * w.variance);
	EQ_U(rec.image->sampling.live, 1);
	EQ_U(rec.image->sampling.samples, 3);
}

/* All live sums are afterwards as if R had been double from the start. */
static void thinning_keeps_the_sums(void)
{
	enum { BLOCKS = 20000, SIZE = 5000 };
	const struct sample_weight after = sampling_weigh(SIZE, LOG2 + 1);
	const uint64_t first = 0x10000000;
	double kept, p;

	begin();
	for (int i = 0; i < BLOCKS; i++) {
		const struct block block = { .size = SIZE };
		struct sample_weight w;
		uint64_t key = first + (uint64_t)i * 5008;

		if (!sampled_put(self, key, &block, LOG2, &w)) {
			FAIL("block %d is entered", i);
			return;
		}
		sampled_change_heap(self, key, &block, &w, 1);
	}
	thinning_double(self);
	kept = (double)rec.image->sampling.live;
	p = exact_probability(SIZE, LOG2 + 1) / exact_probability(SIZE, LOG2);
	EQ_D(kept / BLOCKS, p, 4 * sqrt(p * (1 - p) / BLOCKS));
	EQ_U(rec.image->sampling.thinned, BLOCKS - (uint64_t)kept);
	EQ_U(sampling_log2(), LOG2 + 1);
	EQ_I(sites_cell(self, 0)->live_bytes, (int64_t)(kept * (double)after.bytes));
	EQ_I(sites_cell(self, 0)->live_blocks, (int64_t)(kept * (double)after.blocks));
	EQ_I(rec.image->heap.now, sites_cell(self, 0)->live_bytes);
	EQ_I(error_cell()->live_variance, (int64_t)(kept * (double)after.variance));
	EQ_U(error_cell()->total_samples, BLOCKS);
	for (int i = 0; i < BLOCKS; i++) {
		uint64_t key = first + (uint64_t)i * 5008;
		struct block block;
		struct sample_weight w;

		if (sampled_take(self, key, &block, &w))
			sampled_change_heap(self, key, &block, &w, -1);
		else if (sample_filter_may_have(key))
			kept++; /* another block has the place */
	}
	EQ_U(rec.image->sampling.live, 0);
	EQ_I(rec.image->heap.now, 0);
	EQ_I(rec.image->heap.extra, 0);
	EQ_I(sites_cell(self, 0)->live_bytes, 0);
	EQ_I(sites_cell(self, 0)->live_blocks, 0);
	EQ_I(error_cell()->live_variance, 0);
	EQ_I(error_cell()->live_block_variance, 0);
}

/* A number drawn for R gives its block only the chance that 2R would have given. */
static void old_numbers_count_half(void)
{
	enum { TURNS = 40000, SIZE = 200 };
	const struct block block = { .size = SIZE };
	double entered = 0;

	begin();
	rec.image->sampling.log2 = LOG2 + 1;
	for (int i = 0; i < TURNS; i++) {
		uint64_t key = 0x20000000 + (uint64_t)i * 16;
		struct sample_weight w;

		entered += sampled_put(self, key, &block, LOG2, &w);
	}
	EQ_D(entered / TURNS,
	     exact_probability(SIZE, LOG2 + 1) / exact_probability(SIZE, LOG2),
	     4 * sqrt(0.25 / TURNS));
}

static void children_draw_other_numbers(void)
{
	uint64_t parents, child, sibling;

	begin();
	sampling_decide(self, 0);
	parents = self->sample_random;
	sampling_before_fork();
	sampling_inherit();
	sampling_decide(self, 0);
	child = self->sample_random;
	self->sample_random = parents;
	sampling_before_fork();
	sampling_before_fork();
	sampling_inherit();
	sampling_decide(self, 0);
	sibling = self->sample_random;
	IS_TRUE(parents != child && parents != sibling && child != sibling);
}

/* A CPU of 3 GHz, one second. */
static struct sampling_cost second_of(uint64_t spent_ns, uint64_t cpu_ns)
{
	return (struct sampling_cost){ .spent = spent_ns * 3, .ticks = UINT64_C(3000000000),
				       .ns = 1000000000, .cpu_ns = cpu_ns };
}

static void one_percent_is_the_limit(void)
{
	static const struct {
		uint64_t spent_ns, cpu_ns;
		bool is_too_expensive;
	} cases[] = {
		{ 9900000, 1000000000, false },	  { 10200000, 1000000000, true },
		/* Of a process that mostly waits, and of one with four threads. */
		{ 900000, 100000000, false },	  { 1100000, 100000000, true },
		{ 39000000, 4000000000, false },  { 41000000, 4000000000, true },
		/* The CPU time is not to be had. */
		{ 9900000, 0, false },		  { 10200000, 0, true },
		{ 0, 1000000000, false },
	};
	uint64_t ns;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sampling_cost cost = second_of(cases[i].spent_ns, cases[i].cpu_ns);

		EQ_I(sampling_is_too_expensive(&cost, &ns), cases[i].is_too_expensive);
		EQ_D((double)ns, (double)cases[i].spent_ns, 2e-3 * (double)cases[i].spent_ns);
	}
	EQ_I(sampling_is_too_expensive(&(struct sampling_cost){ .spent = 5000000 }, &ns), 0);
	EQ_U(ns, 0);
}

static void record_samples(int count, uint64_t ticks)
{
	rec.image->sampling.samples += (uint64_t)count;
	for (int i = 0; i < count; i++)
		sampling_spend(ticks);
}

/* The cost is looked at every 256 sampled blocks, since the last look, and with auto only. */
static void expensive_samples_double_r(void)
{
	const uint64_t huge = UINT64_C(1) << 18;

	begin();
	rec.flags |= MU_CFG_SAMPLE_AUTO;
	sampling_begin();
	record_samples(255, huge);
	IS_FALSE(sampling_wants_fewer());
	record_samples(1, 0);
	IS_TRUE(sampling_wants_fewer());
	IS_FALSE(sampling_wants_fewer());
	OK(rec.image->sampling.slow_ns > 0, "what it cost is noted");
	record_samples(256, 0);
	IS_FALSE(sampling_wants_fewer());
	record_samples(256, huge);
	rec.flags &= ~(uint32_t)MU_CFG_SAMPLE_AUTO;
	IS_FALSE(sampling_wants_fewer());
}

/* A thread that was preempted while it recorded: that is the cost of others. */
static void preemption_is_no_cost(void)
{
	uint64_t ns, before;

	begin();
	sampling_begin();
	before = rec.image->sampling.slow_ns;
	record_samples(1, UINT64_C(1) << 60);
	record_samples(255, 0);
	sampling_wants_fewer();
	ns = rec.image->sampling.slow_ns - before;
	OK(ns < 1000000, "a sample took %llu ns", (unsigned long long)ns);
}

/* A block that counts 1.4 times counts once or twice, and 1.4 times on average. */
static void blocks_are_rounded_at_random(void)
{
	struct sample_weight w = { .blocks = 1434 }, exact = { .blocks = 1024, .is_exact = true };
	const int count = 100000;
	uint64_t sum = 0;

	begin();
	for (int i = 0; i < count; i++)
		sum += sampling_blocks(self, &w);
	EQ_D((double)sum / count, 1434 / 1024.0, 4 * 0.49 / sqrt(count));
	EQ_U(sampling_blocks(self, &exact), 1);
}

int main(void)
{
	exponential_is_libms();
	intervals_are_logarithms();
	weights_are_exact();
	each_size_has_its_probability();
	passed_blocks_are_counted();
	filter_forgets_the_last_of_a_place();
	errors_are_summed_up();
	thinning_keeps_the_sums();
	old_numbers_count_half();
	children_draw_other_numbers();
	one_percent_is_the_limit();
	expensive_samples_double_r();
	preemption_is_no_cost();
	blocks_are_rounded_at_random();
	return done_testing();
}
