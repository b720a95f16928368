/* counters.c -- the sums of one image.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/counters.h"

/* All arithmetic on hostile numbers is unsigned: it wraps, it does not trap. */
static void add_functions(struct counters *c, const struct mu_counters *from)
{
	for (int fn = 0; fn < MU_FN_COUNT; fn++) {
		c->calls[fn] += from->calls[fn];
		c->bytes[fn] += from->bytes[fn];
		c->failed[fn] += from->failed[fn];
	}
	c->realloc_nomove += from->realloc_nomove;
	c->realloc_dec += from->realloc_dec;
	c->realloc_free += from->realloc_free;
	c->mremap_nomove += from->mremap_nomove;
	c->mremap_dec += from->mremap_dec;
	c->unknown_frees += from->unknown_frees;
	c->nested += from->nested;
	c->requests += from->requests;
	c->request_errors += from->request_errors;
	c->request_nested += from->request_nested;
	c->paused_calls += from->paused_calls;
	c->paused_bytes += from->paused_bytes;
}

static void add_thread_counters(struct counters *c, const struct image *im,
				const struct mu_counters *from)
{
	uint64_t high[MU_HIST_HIGH];

	add_functions(c, from);
	c->hist_large += from->hist_large;
	for (unsigned int i = 0; i < MU_HIST_LOW; i++)
		c->hist[i] += from->hist_low[i];
	if (from->hist_high % 8 || !image_copy(im, from->hist_high, high, sizeof(high)))
		return;
	for (unsigned int i = 0; i < MU_HIST_HIGH; i++)
		c->hist[MU_HIST_LOW + i] += high[i];
}

void counters_add(struct counters *c, const struct image *im)
{
	uint64_t threads = image_count(im, MU_SEC_THREADS);
	struct mu_thread thread;

	add_thread_counters(c, im, &im->head.retired);
	for (uint64_t i = 0; i < threads; i++) {
		if (image_copy_entry(im, MU_SEC_THREADS, i, &thread, sizeof(thread)))
			add_thread_counters(c, im, &thread.counters);
	}
}

void counters_join(struct counters *c, const struct counters *from)
{
	uint64_t *to = (uint64_t *)c;
	const uint64_t *number = (const uint64_t *)from;

	_Static_assert(sizeof(*c) % sizeof(*to) == 0, "all members are uint64_t");
	for (size_t i = 0; i < sizeof(*c) / sizeof(*to); i++)
		to[i] += number[i];
}

uint64_t counters_heap_total(const struct counters *c)
{
	uint64_t sum = 0;

	for (int fn = 0; fn < MU_FN_COUNT; fn++) {
		if (fn != MU_FN_FREE && fn != MU_FN_MUNMAP)
			sum += c->bytes[fn];
	}
	return sum;
}

uint64_t counters_calls(const struct counters *c)
{
	uint64_t sum = 0;

	for (int fn = 0; fn < MU_FN_COUNT; fn++)
		sum += c->calls[fn];
	return sum;
}
