/* macros_serve.c -- serving the requests of Valgrind's macros.
 *
 * Numbers and arguments are part of Valgrind's interface and never change.
 * Source  valgrind.h, dhat.h and memcheck.h of Valgrind 3.19; DHAT_HISTOGRAM_MEMORY: those of 3.20.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/vectors.h"
#include "libmemusage/event/event.h"
#include "libmemusage/patch/macros.h"
#include "libmemusage/requests/leak_query.h"
#include "libmemusage/requests/pools.h"
#include "libmemusage/requests/request.h"
#include "libmemusage/unwind/patched_pc.h"

enum {
	RUNNING_ON_VALGRIND = 0x1001,
	MALLOCLIKE_BLOCK = 0x1301,
	FREELIKE_BLOCK = 0x1302,
	CREATE_MEMPOOL = 0x1303,
	DESTROY_MEMPOOL = 0x1304,
	MEMPOOL_ALLOC = 0x1305,
	MEMPOOL_FREE = 0x1306,
	MEMPOOL_TRIM = 0x1307,
	MOVE_MEMPOOL = 0x1308,
	MEMPOOL_CHANGE = 0x1309,
	MEMPOOL_EXISTS = 0x130a,
	RESIZEINPLACE_BLOCK = 0x130b,
	DHAT_AD_HOC_EVENT = 0x44480000,
	DHAT_HISTOGRAM_MEMORY = 0x44480001,
	DO_LEAK_CHECK = 0x4d430006,
	COUNT_LEAKS = 0x4d430007,
	COUNT_LEAK_BLOCKS = 0x4d43000c
};

/* In front of each frame of macros_entry(), downward from its bp. */
#define FRAME_RAX (-1)
#define FRAME_RDX (-3)

struct macro_call {
	struct call_site place;
	const uint64_t *argument; /* the request and its five arguments */
	uint64_t result;
};

/* Massif does not know pools. */
static bool is_counting_pools(void)
{
	return rec.segment->config.requests != MU_REQUESTS_MASSIF;
}

static bool serve_pool_request(struct thread *thread, struct macro_call *c)
{
	const struct call_site *place = &c->place;
	const uint64_t *a = c->argument;

	switch ((uint32_t)a[0]) {
	case CREATE_MEMPOOL:
		return pools_create(a[1], (uint32_t)a[4]);
	case DESTROY_MEMPOOL:
		return pools_destroy(thread, place, a[1]);
	case MEMPOOL_ALLOC:
		return pools_alloc(thread, place, a[1], a[2], a[3]);
	case MEMPOOL_FREE:
		return pools_free(thread, place, a[1], a[2]);
	case MEMPOOL_TRIM:
		return pools_trim(thread, place, a[1], a[2], a[3]);
	case MOVE_MEMPOOL:
		return pools_move(a[1], a[2]);
	case MEMPOOL_CHANGE:
		return pools_change(thread, place, a[1], a[2], a[3], a[4]);
	default: /* MEMPOOL_EXISTS */
		c->result = pools_exist(a[1]);
		return true;
	}
}

static bool serve_request(struct thread *thread, struct macro_call *c)
{
	const uint64_t *a = c->argument;

	switch ((uint32_t)a[0]) {
	case MALLOCLIKE_BLOCK:
		return client_block_alloc(thread, &c->place, a[1], a[2]);
	case FREELIKE_BLOCK:
		return client_block_free(thread, &c->place, a[1]);
	case RESIZEINPLACE_BLOCK:
		return client_block_resize(thread, &c->place, a[1], a[1], a[3]);
	case DHAT_AD_HOC_EVENT:
		request_ad_hoc(thread, &c->place, a[1]);
		return true;
	case DHAT_HISTOGRAM_MEMORY:
		return request_histogram_at(thread, a[1]);
	default:
		return !is_counting_pools() || serve_pool_request(thread, c);
	}
}

/* Returns whether a request is about memory; all others get their default result. */
static bool is_memory_request(uint64_t request)
{
	uint32_t number = (uint32_t)request;

	return (number >= MALLOCLIKE_BLOCK && number <= RESIZEINPLACE_BLOCK) ||
	       number == DHAT_AD_HOC_EVENT || number == DHAT_HISTOGRAM_MEMORY;
}

static void record_request(void *argument)
{
	struct macro_call *c = argument;
	struct thread *thread = hook_enter();

	if (!thread)
		return;
	request_count(thread, serve_request(thread, c));
	hook_leave(thread);
}

static inline struct macro_call macro_call_of(const uint64_t *frame)
{
	return (struct macro_call){
		.place = { .slot = (uint64_t)(frame + 1),
			   .bp = frame[0],
			   .sp = (uint64_t)(frame + 2) + PATCHED_RED_ZONE },
		.argument = (const uint64_t *)frame[FRAME_RAX],
		.result = frame[FRAME_RDX],
	};
}

/* The usual way uses general registers only. The first event of a thread or process calls libc,
 * which may use others. */
static __attribute__((noinline)) uint64_t serve_memory_request(const uint64_t *frame)
{
	struct macro_call c = macro_call_of(frame);

	if (gate.on && has_self())
		record_request(&c);
	else
		vectors_preserve(record_request, &c);
	return c.result;
}

/* ---- leak checks -------------------------------------------------------------------------- */

static void check_leaks(void *argument)
{
	struct macro_call *c = argument;
	const uint64_t *a = c->argument;

	leak_query_now(&c->place, leak_query_flags(a[1], a[2]));
}

/* The four arguments are where the program wants the sums. */
static void count_leaks(const uint64_t *a)
{
	struct leak_counts counts;

	leak_query_count(&counts, (uint32_t)a[0] == COUNT_LEAK_BLOCKS);
	*(uint64_t *)a[1] = counts.lost;
	*(uint64_t *)a[2] = counts.dubious;
	*(uint64_t *)a[3] = counts.reachable;
	*(uint64_t *)a[4] = counts.suppressed;
}

/* Returns whether it is one of these requests, which is then served. */
static __attribute__((noinline)) bool serve_leak_request(const uint64_t *frame)
{
	const uint64_t *a = (const uint64_t *)frame[FRAME_RAX];
	struct macro_call c = macro_call_of(frame);

	if ((uint32_t)a[0] == COUNT_LEAKS || (uint32_t)a[0] == COUNT_LEAK_BLOCKS) {
		count_leaks(a);
		return true;
	}
	if ((uint32_t)a[0] != DO_LEAK_CHECK)
		return false;
	if (rec.flags & MU_CFG_LEAKS)
		vectors_preserve(check_leaks, &c);
	return true;
}

uint64_t macros_serve(const uint64_t *frame)
{
	const uint64_t *argument = (const uint64_t *)frame[FRAME_RAX];

	if (is_memory_request(argument[0]))
		return serve_memory_request(frame);
	if (argument[0] >> 16 == DO_LEAK_CHECK >> 16 && serve_leak_request(frame))
		return 0;
	if ((uint32_t)argument[0] == RUNNING_ON_VALGRIND &&
	    rec.segment->config.requests == MU_REQUESTS_RUNNING)
		return 1;
	return frame[FRAME_RDX];
}
