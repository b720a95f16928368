/* sampling.c -- which blocks are recorded with --sample, and how many others each represents.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/sampling.h"

#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>

#include "libmemusage/base/clock.h"
#include "libmemusage/base/exponential.h"
#include "libmemusage/base/locks.h"
#include "libmemusage/base/memory.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/probes.h"
#include "libmemusage/tables/sample_filter.h"

#define ONE_BITS EXPONENTIAL_ONE_BITS
#define ONE (UINT64_C(1) << ONE_BITS)
#define LOOK_EVERY 256u	  /* sampled blocks between two looks at what they have cost */
#define SPENT_MOST (UINT64_C(1) << 18) /* ticks, 0.1 ms: in longer ones another process ran */
#define SHARE_MOST 100u	  /* R doubles if they have taken more than 1/100 of the CPU time */

static struct {
	uint64_t seed; /* 0: not yet */
	uint64_t drawn; /* threads that have got a generator from it */
	uint64_t forks;
	uint32_t *error_of; /* cell + 1 of a site's errors, by site */
	uint32_t sites;	    /* entries of error_of */
	uint32_t cell_next, cell_end; /* cells reserved for errors */
	struct {
		uint64_t samples, ticks, ns, cpu_ns;
		uint64_t spent; /* ticks for sampled blocks since; any thread adds */
	} look; /* the state at the last look at the cost */
} sampling;

/* ---- random numbers ----------------------------------------------------------------------- */

/* The kernel gives 16 random bytes to each exec, so that no system call is needed. */
static uint64_t make_seed(void)
{
	uint32_t fixed = rec.segment->config.sample_seed;
	const uint64_t *random = (const uint64_t *)getauxval(AT_RANDOM);

	if (fixed)
		return random_mix(fixed);
	return random_mix((random ? random[0] ^ random_mix(random[1]) : 0) ^
			  random_mix(clock_ns(CLOCK_MONOTONIC)) ^ rec.pid);
}

static uint64_t next_random(struct thread *thread)
{
	if (unlikely(!thread->sample_random)) {
		uint64_t n = __atomic_fetch_add(&sampling.drawn, 1, __ATOMIC_RELAXED);

		thread->sample_random = random_mix(sampling.seed ^ random_mix(n)) | 1;
	}
	return random_next(&thread->sample_random);
}

static void begin_look(void)
{
	sampling.look.samples = rec.image->sampling.samples;
	sampling.look.ticks = clock_ticks();
	sampling.look.ns = clock_kernel_ns(CLOCK_MONOTONIC, 0);
	sampling.look.cpu_ns = clock_kernel_ns(CLOCK_PROCESS_CPUTIME_ID, 0);
	__atomic_store_n(&sampling.look.spent, 0, __ATOMIC_RELAXED);
}

void sampling_begin(void)
{
	struct mu_sampling *header = &rec.image->sampling;

	/* In a child of a raw clone() the seed is its parent's. */
	sampling.seed = sampling.seed ? random_mix(sampling.seed ^ rec.pid) : make_seed();
	sampling.drawn = 0;
	sampling.error_of = NULL;
	sampling.sites = sampling.cell_next = sampling.cell_end = 0;
	header->log2 = header->first_log2 = rec.segment->config.sample_log2;
	sample_filter_clear();
	begin_look();
}

void sampling_before_fork(void)
{
	__atomic_fetch_add(&sampling.forks, 1, __ATOMIC_RELAXED);
}

void sampling_inherit(void)
{
	sampling.seed = random_mix(sampling.seed ^ random_mix(sampling.forks) ^
				   (has_self() ? random_mix(self->sample_random) : 0));
	sampling.drawn = sampling.forks = 0;
	rec.image->sampling.first_log2 = rec.image->sampling.log2;
	if (has_self()) {
		self->sample_random = 0;
		self->sample_log2 = 0;
		self->sample_left = 0;
	}
	begin_look();
}

void sampling_begin_own(void)
{
	struct mu_sampling *header = &rec.image->sampling;

	header->samples = header->thinned = header->slow_ns = header->losses = 0;
	if (sampling.error_of)
		memset(sampling.error_of, 0, sampling.sites * sizeof(*sampling.error_of));
	sampling.cell_next = sampling.cell_end = 0;
	begin_look();
}

/* ---- probability and weight --------------------------------------------------------------- */

/* In units of 2^-62. */
static uint64_t probability_of(uint64_t size, unsigned int log2)
{
	return size + 1 > mu_sample_exact(log2) ? ONE :
						  exponential_below((size + 1) << (58 - log2));
}

bool sampling_survives(struct thread *thread, uint64_t size, unsigned int from, unsigned int to)
{
	uint64_t before = probability_of(size, from), after = probability_of(size, to);
	uint64_t random = next_random(thread) >> 2;

	return (uint64_t)((unsigned __int128)random * before >> ONE_BITS) < after;
}

uint64_t sampling_blocks(struct thread *thread, const struct sample_weight *weight)
{
	if (weight->is_exact)
		return 1;
	uint64_t part = next_random(thread) >> (64 - MU_SAMPLE_BLOCK_BITS);
	return (weight->blocks + part) >> MU_SAMPLE_BLOCK_BITS;
}

static uint64_t shift_and_round(unsigned __int128 value, unsigned int bits)
{
	return (uint64_t)((value + ((unsigned __int128)1 << (bits - 1))) >> bits);
}

/* 1/p is a quotient of 32 bits and a power of two, because 128 bits cannot be divided without a
 * library: the relative error is 2^-31. */
struct sample_weight sampling_weigh(uint64_t size, unsigned int log2)
{
	uint64_t p = probability_of(size, log2);

	if (p == ONE)
		return (struct sample_weight){ .bytes = size,
					       .blocks = 1u << MU_SAMPLE_BLOCK_BITS,
					       .is_exact = true };
	unsigned int zeros = (unsigned int)__builtin_clzll(p);
	uint64_t inverse = (UINT64_C(1) << 63) / (p << zeros >> 32); /* 2^32 to 2^31 */
	unsigned int bits = 33 - zeros; /* 1/p is inverse / 2^bits */
	struct sample_weight w = {
		.bytes = shift_and_round((unsigned __int128)size * inverse, bits),
		.blocks = shift_and_round((unsigned __int128)inverse << MU_SAMPLE_BLOCK_BITS, bits)
	};
	unsigned __int128 square = (unsigned __int128)w.bytes * w.bytes;
	unsigned __int128 blocks = (unsigned __int128)w.blocks * w.blocks;
	uint64_t rest = ONE - p;
	w.variance = shift_and_round((unsigned __int128)(uint64_t)(square >> 12) * rest, ONE_BITS);
	/* Rounded up: of blocks that are nearly exact it is less than half of the unit. */
	w.block_variance = (uint64_t)(((unsigned __int128)(uint64_t)
				       (blocks >> (2 * MU_SAMPLE_BLOCK_BITS - 4)) * rest +
				       ONE - 1) >> ONE_BITS);
	return w;
}

/* ---- decision ----------------------------------------------------------------------------- */

/* Draws the bytes up to the next sampled block. A number above mu_sample_exact() is cut there: the
 * comparison that finds a sampled block then also finds all blocks that are exact. */
static uint64_t draw_interval(struct thread *thread, unsigned int log2)
{
	uint64_t interval = exponential_interval(next_random(thread), log2);

	thread->sample_is_cut = interval > mu_sample_exact(log2);
	return thread->sample_is_cut ? mu_sample_exact(log2) : interval;
}

unsigned int sampling_decide(struct thread *thread, uint64_t size)
{
	unsigned int now = sampling_log2();

	if (!thread->sample_log2) {
		thread->sample_log2 = now;
		thread->sample_left = (int64_t)draw_interval(thread, now);
	}
	unsigned int log2 = thread->sample_log2;
	if (size >= mu_sample_exact(log2))
		return log2;
	int64_t left = thread->sample_left - (int64_t)size - 1;
	bool is_sampled = false;
	while (left < 0 && !is_sampled) {
		is_sampled = !thread->sample_is_cut;
		if (!is_sampled)
			left += (int64_t)draw_interval(thread, log2);
	}
	/* A Poisson process has no memory, so a new interval may begin anywhere. */
	if (is_sampled || log2 != now) {
		thread->sample_log2 = now;
		left = (int64_t)draw_interval(thread, now);
	}
	thread->sample_left = left;
	return is_sampled ? log2 : 0;
}

/* ---- errors ------------------------------------------------------------------------------- */

static struct mu_error_cell *make_error_cell(uint32_t site)
{
	if (site >= sampling.sites &&
	    !memory_grow_numbers(&sampling.error_of, &sampling.sites, site))
		return NULL;
	if (sampling.cell_next == sampling.cell_end &&
	    !arena_reserve_run(MU_SEC_CELLS, &sampling.cell_next, &sampling.cell_end)) {
		rec.image->drops.sites++;
		return NULL;
	}
	uint32_t number = sampling.cell_next++;
	struct mu_error_cell *cell = arena_at((uint64_t)number * sizeof(*cell));
	cell->flags = MU_CELL_ERROR;
	cell->epoch = rec.image->heap.epoch;
	__atomic_store_n(&cell->site, site, __ATOMIC_RELEASE);
	sampling.error_of[site] = number;
	return cell;
}

/* Keeps the values at the last peak of the heap, as sites_keep_peak() does. */
static struct mu_error_cell *error_cell_of(uint32_t site)
{
	uint32_t number = site < sampling.sites ? sampling.error_of[site] : 0;
	struct mu_error_cell *cell = number ? arena_at((uint64_t)number * sizeof(*cell)) :
					      make_error_cell(site);
	uint32_t epoch = __atomic_load_n(&rec.image->heap.epoch, __ATOMIC_RELAXED);

	if (cell && cell->epoch != epoch) {
		cell->peak_samples = (int32_t)cell->live_samples;
		cell->peak_exact_bytes = cell->live_exact_bytes;
		cell->peak_exact_blocks = cell->live_exact_blocks;
		cell->peak_variance = cell->live_variance;
		cell->peak_block_variance = cell->live_block_variance;
		cell->epoch = epoch;
	}
	return cell;
}

static void change_live_error(struct mu_error_cell *cell, const struct sample_weight *w,
			      int64_t sign)
{
	rec.image->sampling.live += (uint64_t)(w->is_exact ? 0 : sign);
	if (!cell)
		return;
	if (w->is_exact) {
		cell->live_exact_bytes += sign * (int64_t)w->bytes;
		cell->live_exact_blocks += sign;
		return;
	}
	cell->live_samples += sign;
	cell->live_variance += sign * (int64_t)w->variance;
	cell->live_block_variance += sign * (int64_t)w->block_variance;
}

void sampling_add_error(uint32_t site, const struct sample_weight *w, bool is_new)
{
	struct mu_error_cell *cell = error_cell_of(site);

	change_live_error(cell, w, 1);
	if (!is_new)
		return;
	rec.image->sampling.samples++;
	if (cell && w->is_exact) {
		cell->total_exact_bytes += w->bytes;
		cell->total_exact_blocks++;
	} else if (cell) {
		cell->total_samples++;
		cell->total_variance += w->variance;
		cell->total_block_variance += w->block_variance;
	}
}

void sampling_remove_error(uint32_t site, const struct sample_weight *w)
{
	change_live_error(error_cell_of(site), w, -1);
}

/* ---- lock and cost ------------------------------------------------------------------------ */

bool sampling_lock(void)
{
	if (likely(spin_lock(&locks.sampling)))
		return true;
	__atomic_fetch_add(&rec.image->sampling.losses, 1, __ATOMIC_RELAXED);
	return false;
}

void sampling_unlock(void)
{
	spin_unlock(&locks.sampling);
}

void sampling_spend(uint64_t ticks)
{
	__atomic_fetch_add(&sampling.look.spent, ticks < SPENT_MOST ? ticks : SPENT_MOST,
			   __ATOMIC_RELAXED);
}

bool sampling_is_too_expensive(const struct sampling_cost *cost, uint64_t *spent_ns)
{
	uint64_t per_tick = cost->ns / (cost->ticks / 1024 + 1); /* ns in 1024 ticks */
	uint64_t cpu_ns = cost->cpu_ns ? cost->cpu_ns : cost->ns;

	*spent_ns = cost->spent / 1024 * per_tick;
	return *spent_ns > cpu_ns / SHARE_MOST;
}

/* Returns the cost since the last look. */
static struct sampling_cost measure_cost(void)
{
	uint64_t cpu_now = clock_kernel_ns(CLOCK_PROCESS_CPUTIME_ID, 0);
	uint64_t cpu_then = sampling.look.cpu_ns;

	return (struct sampling_cost){
		.ticks = clock_ticks() - sampling.look.ticks,
		.ns = clock_kernel_ns(CLOCK_MONOTONIC, sampling.look.ns) - sampling.look.ns,
		.cpu_ns = cpu_then && cpu_now > cpu_then ? cpu_now - cpu_then : 0,
		.spent = __atomic_load_n(&sampling.look.spent, __ATOMIC_RELAXED)
	};
}

/* A consumer of the probes keeps the weights of earlier events. So R stays while one is there. */
bool sampling_wants_fewer(void)
{
	const struct mu_sampling *header = &rec.image->sampling;
	uint32_t limit = rec.segment->config.sample_limit;
	bool is_expensive = false;

	if (header->samples - sampling.look.samples >= LOOK_EVERY) {
		struct sampling_cost cost = measure_cost();
		uint64_t spent_ns;

		is_expensive = sampling_is_too_expensive(&cost, &spent_ns);
		rec.image->sampling.slow_ns += spent_ns;
		begin_look();
	}
	if (!(rec.flags & MU_CFG_SAMPLE_AUTO) || probes_are_wanted())
		return false;
	return header->log2 < MU_SAMPLE_LOG2_MAX &&
	       (is_expensive ||
		(int64_t)header->live > (int64_t)(limit ? limit : MU_SAMPLE_LIVE_MAX));
}
