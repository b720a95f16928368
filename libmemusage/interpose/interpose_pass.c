/* interpose_pass.c -- calls with --sample or --start-paused that are not the usual case.
 *
 * x86_64/pass_entry.c has the usual one. Where code cannot be changed, interpose_heap.c does all of
 * it, at 2 ns more.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/interpose/pass.h"

#include "libmemusage/base/real.h"
#include "libmemusage/event/event.h"
#include "libmemusage/interpose/heap.h"

/* After `stop` an allocation is only counted. */
static bool pass_in_pause(struct thread *thread, size_t size)
{
	const uint32_t paused = GATE_PLAIN | MODE_PAUSED << 16;

	if ((gate.word & paused) != paused || unlikely(thread->pub.busy) || probes_are_wanted())
		return false;
	thread->pub.counters.paused_calls++;
	thread->pub.counters.paused_bytes += size;
	return true;
}

void *passed_malloc(size_t size)
{
	if (pass_in_pause(self, size))
		return real.malloc(size);
	return rest_of_malloc(size);
}

void *passed_calloc(size_t count, size_t size)
{
	size_t bytes;

	if (!__builtin_mul_overflow(count, size, &bytes) && pass_in_pause(self, bytes))
		return real.calloc(count, size);
	return rest_of_calloc(count, size);
}

void passed_free(void *block)
{
	if (free_passes_samples(block))
		real.free(block);
	else
		rest_of_free(block);
}
