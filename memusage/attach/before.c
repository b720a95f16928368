/* before.c -- The blocks that a process had before memusage attached to it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/attach/before.h"

#include <stdio.h>
#include <stdlib.h>

#include "memusage/attach/target_heap.h"
#include "memusage/common/clock.h"

enum {
	TRIES = 30,		/* then the process is recorded without */
	CHUNKS_MOST = 1000000	/* a tenth of a second, if they are small */
};

/* For large ones, in CPU time, so that it does not depend on what else the machine does. */
#define WALK_NS UINT64_C(100000000)

/* For tests: the bound cannot be reached by a small program. */
#define CHUNKS_VARIABLE "MEMUSAGE_ATTACH_BLOCKS"

static uint64_t most_chunks(void)
{
	const char *text = getenv(CHUNKS_VARIABLE);
	const uint64_t most = text ? strtoull(text, NULL, 10) : 0;

	return most ? most : CHUNKS_MOST;
}

void before_prepare(struct stop *s)
{
	struct attachment_before *b = &s->a->before;
	struct mu_error err;

	if (b->release || b->why[0])
		return;
	if (target_heap_check(&s->t, &b->release, &err) < 0) {
		b->release = 0;
		snprintf(b->why, sizeof(b->why), "%s", err.text);
	} else if (b->release == 0) {
		snprintf(b->why, sizeof(b->why), "the release of its glibc is not known");
	}
}

/* Free blocks between others, and headers, are in it. */
static uint64_t held_bytes(const struct glibc_heap *h)
{
	uint64_t bytes = h->mapped.bytes;

	for (uint32_t i = 0; i < h->arenas; i++)
		bytes += h->arena[i].system_bytes - h->arena[i].top_bytes;
	return bytes;
}

static enum target_result take_sums(struct attachment_before *b, const struct glibc_heap *h,
				    enum heap_result result)
{
	b->kind = MU_BEFORE_UNKNOWN;
	b->mapped_header = h->mapped_header;
	snprintf(b->why, sizeof(b->why), "%s", h->why);
	if (result == HEAP_BUSY && ++b->tries < TRIES) {
		b->why[0] = '\0';
		return TARGET_BUSY;
	}
	if (result == HEAP_OK) {
		b->kind = MU_BEFORE_KNOWN;
		b->blocks = h->used.blocks;
		b->bytes = h->used.bytes;
	} else if (result == HEAP_TOO_LARGE) {
		b->kind = MU_BEFORE_AT_MOST;
		b->blocks = 0;
		b->bytes = held_bytes(h);
	}
	return TARGET_OK;
}

enum target_result before_count(struct stop *s)
{
	struct attachment_before *b = &s->a->before;
	const uint64_t began = clock_now(CLOCK_MONOTONIC);
	const struct heap_walk walk = { .release = b->release, .chunks_most = most_chunks(),
					.end_ns = clock_now(CLOCK_PROCESS_CPUTIME_ID) + WALK_NS };
	enum target_result result;
	struct glibc_heap h;

	if (b->release == 0)
		return TARGET_OK;
	result = take_sums(b, &h, target_heap_walk(&s->t, &h, &walk));
	glibc_heap_free(&h);
	if (result == TARGET_BUSY)
		mu_error_set(&s->a->err, MU_ERROR_SYSTEM, 0, "its malloc is never at rest");
	b->ns = clock_now(CLOCK_MONOTONIC) - began;
	return result;
}
