/* interpose_pass.c -- what malloc and its kin jump to with --sample or --start-paused.
 *
 * With samples, or while the process is asleep, nearly every call is the real function's, which is
 * then the last thing done: no stack frame, and no look at what it returns. passthrough.c makes the
 * jumps. Where code cannot be changed, interpose_heap.c does the same, at 2 ns more.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stddef.h>

#include "libmemusage/base/real.h"
#include "libmemusage/event/event.h"
#include "libmemusage/event/sampled_event.h"
#include "libmemusage/image/asleep.h"
#include "libmemusage/interpose/heap.h"
#include "libmemusage/pages/passthrough.h"

/* ---- samples ----------------------------------------------------------------------------- */

static __attribute__((used)) void *pass_malloc(size_t size)
{
	if (likely(gate_samples()) && likely(sampling_pass(self, MU_FN_MALLOC, size)))
		return real.malloc(size);
	return rest_of_malloc(size);
}

static __attribute__((used)) void *pass_calloc(size_t count, size_t size)
{
	size_t bytes;

	if (likely(gate_samples()) && !__builtin_mul_overflow(count, size, &bytes) &&
	    likely(sampling_pass(self, MU_FN_CALLOC, bytes)))
		return real.calloc(count, size);
	return rest_of_calloc(count, size);
}

static __attribute__((used)) void pass_free(void *block)
{
	if (likely(free_passes_samples(block)))
		real.free(block);
	else
		rest_of_free(block);
}

/* ---- asleep, and later ------------------------------------------------------------------- */

/* In a pause an allocation is only counted. */
INLINE bool pass_in_pause(struct thread *thread, size_t size)
{
	const uint32_t paused = GATE_PLAIN | MODE_PAUSED << 16;

	if ((gate.word & paused) != paused || unlikely(thread->pub.busy) || probes_are_wanted())
		return false;
	thread->pub.counters.paused_calls++;
	thread->pub.counters.paused_bytes += size;
	return true;
}

static __attribute__((used)) void *asleep_malloc(size_t size)
{
	if (likely(is_asleep()))
		return real.malloc(size);
	if (gate_samples() ? sampling_pass(self, MU_FN_MALLOC, size) : pass_in_pause(self, size))
		return real.malloc(size);
	return rest_of_malloc(size);
}

static __attribute__((used)) void *asleep_calloc(size_t count, size_t size)
{
	size_t bytes;

	if (likely(is_asleep()))
		return real.calloc(count, size);
	if (!__builtin_mul_overflow(count, size, &bytes) &&
	    (gate_samples() ? sampling_pass(self, MU_FN_CALLOC, bytes) :
			      pass_in_pause(self, bytes)))
		return real.calloc(count, size);
	return rest_of_calloc(count, size);
}

static __attribute__((used)) void *asleep_realloc(void *block, size_t size)
{
	if (likely(is_asleep()))
		return real.realloc(block, size);
	return rest_of_realloc(block, size);
}

static __attribute__((used)) void asleep_free(void *block)
{
	if (likely(is_asleep()) || free_passes_samples(block))
		real.free(block);
	else
		rest_of_free(block);
}

#define ENTRY(name, of, takes_block)                                             \
	__asm__(".globl entry_of_" #name "\n\t.hidden entry_of_" #name "\n\t" \
		".set entry_of_" #name ", " #name);
SAMPLED_FUNCTIONS(ENTRY)
SLEEPING_FUNCTIONS(ENTRY)
