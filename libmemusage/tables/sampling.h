/* sampling.h -- which blocks are recorded with --sample, and how many others each represents.
 *
 * docs/format.md, section 7.4, has the formulas; docs/design.md, "Samples", the reasons. Each
 * thread subtracts size + 1 from its sample_left at each allocation. The block at which that falls
 * below zero is sampled.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/image/recorder.h"
#include "libmemusage/image/thread.h"
#include "recording/sampling.h"

/* The weight of a sampled block: the bytes and blocks that it counts for. */
struct sample_weight {
	uint64_t bytes;
	uint64_t blocks; /* in 1 / 2^MU_SAMPLE_BLOCK_BITS */
	uint64_t variance, block_variance; /* as in struct mu_error_cell */
	bool is_exact;
};

/* sampling_begin -- begin with a new image, which has no sampled blocks. Not thread-safe. */
void sampling_begin(void);

/* sampling_before_fork -- number the children, so that each draws other random numbers. */
void sampling_before_fork(void);

/* sampling_inherit -- continue in a forked child, with other random numbers. */
void sampling_inherit(void);

/* sampling_begin_own -- in a forked child: begin counts and errors of its own; those of its
 * parent are in cells from before the fork. After sampling_inherit(). */
void sampling_begin_own(void);

/* sampling_pass -- pass over a block, in most cases, and count the call.
 *
 * Returns false, having done nothing, if the block may be sampled, or is large, or a client has a
 * request, which the hook serves: then call sampling_decide(). Cost 1 ns; touches only the thread's
 * own memory. Async-signal-safe; a thread without a record gets false.
 */
static inline __attribute__((always_inline)) bool sampling_pass(struct thread *thread,
								enum mu_fn fn, uint64_t size)
{
	struct mu_counters *counters = &thread->pub.counters;

	if (unlikely(size >= SAMPLE_PASS_LIMIT))
		return false;
	int64_t left = thread->sample_left - (int64_t)size - 1;
	if (unlikely(left < 0) || unlikely(thread->pub.busy))
		return false;
	thread->sample_left = left;
	counters->calls[fn]++;
	counters->bytes[fn] += size;
	counters->hist_low[size / MU_HIST_STEP]++;
	return true;
}

/* sampling_decide -- decide whether a block is sampled, and draw the thread's next number.
 *
 * Returns 0 if not; otherwise the logarithm of the R that was decided by. Inside the hook; not
 * under the lock. Async-signal-safe. Cost 50 ns if a number is drawn.
 */
unsigned int sampling_decide(struct thread *thread, uint64_t size);

/* sampling_survives -- decide whether a block of `size` bytes sampled by 2^from stays so by 2^to.
 *
 * from <= to. Costs 50 ns. The thread's generator is used.
 */
bool sampling_survives(struct thread *thread, uint64_t size, unsigned int from, unsigned int to);

/* sampling_weigh -- compute the weight of a sampled block; R is 2^log2. Costs 50 ns. */
struct sample_weight sampling_weigh(uint64_t size, unsigned int log2);

/* sampling_log2 -- the logarithm of R now. It only changes under the lock. */
static inline unsigned int sampling_log2(void)
{
	return __atomic_load_n(&rec.image->sampling.log2, __ATOMIC_RELAXED);
}

/* sampling_extra -- weigh the extra bytes of a sampled block. */
static inline uint64_t sampling_extra(uint64_t extra, const struct sample_weight *weight)
{
	return extra * weight->blocks >> MU_SAMPLE_BLOCK_BITS;
}

/* sampling_blocks -- the blocks that a weight stands for, as a whole number.
 *
 * It is rounded up or down at random, so that a sum of many is right: to nearest, all blocks that
 * count 1.4 times would count once. The thread's generator is used; costs 2 ns.
 */
uint64_t sampling_blocks(struct thread *thread, const struct sample_weight *weight);

/* sampling_add_error -- add the error of a live block to that of its site. Needs the lock.
 *
 * is_new  count it among all blocks ever, too.
 */
void sampling_add_error(uint32_t site, const struct sample_weight *weight, bool is_new);

/* sampling_remove_error -- remove that of a live block. Needs the lock. */
void sampling_remove_error(uint32_t site, const struct sample_weight *weight);

/* sampling_lock -- take the lock of all that events of sampled blocks change.
 *
 * Returns false if it was not free within the bound, which is counted.
 */
bool sampling_lock(void);

/* sampling_unlock -- give it back. */
void sampling_unlock(void);

/* sampling_spend -- note that an event of a sampled block has taken some of clock_ticks().
 *
 * Async-signal-safe, without the lock.
 * More than 0.1 ms count as that: the thread was preempted. On a busy machine this made samples
 * look ten times as expensive as they were.
 */
void sampling_spend(uint64_t ticks);

/* The time for recording sampled blocks, and the time of the process in the same interval. */
struct sampling_cost {
	uint64_t spent;	 /* of clock_ticks(), for sampled blocks */
	uint64_t ticks;	 /* ... that have passed */
	uint64_t ns;	 /* time that has passed */
	uint64_t cpu_ns; /* CPU time of all threads; 0 unknown: a sandbox forbids to ask for it */
};

/* sampling_is_too_expensive -- return whether recording took more than 1 % of the CPU time.
 *
 * spent_ns  set to the time that it took; ticks are turned into time by what passed of both.
 * Where neither time is known, it returns false, and 0.
 */
bool sampling_is_too_expensive(const struct sampling_cost *cost, uint64_t *spent_ns);

/* sampling_wants_fewer -- return whether R is to double (MU_CFG_SAMPLE_AUTO). Needs the lock. */
bool sampling_wants_fewer(void);
