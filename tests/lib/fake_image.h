/* fake_image.h -- make recordings by hand, without a recorder.
 *
 *	struct fake f;
 *	fake_segment(&f, MU_KIND_TREE, 2, 1 << 20);
 *	fake_image(&f, 0);
 *	struct mu_thread *t = fake_thread(&f, 0);
 *	t->counters.calls[MU_FN_MALLOC] = 3;
 *	...
 *	free(f.base);
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "recording/recording.h"

#define FAKE_UNUSED __attribute__((unused))

struct fake {
	uint8_t *base;
	uint64_t size;
	struct mu_segment *head;
	struct mu_slot *slot;
};

/* Memory for COUNT slots of SLOT_SIZE bytes, with a valid header. */
FAKE_UNUSED static void fake_segment(struct fake *f, enum mu_kind kind, uint32_t count,
				     uint64_t slot_size)
{
	f->size = 2 * MU_PAGE + count * slot_size;
	f->base = aligned_alloc(MU_PAGE, (f->size + MU_PAGE - 1) / MU_PAGE * MU_PAGE);
	memset(f->base, 0, f->size);
	f->head = (struct mu_segment *)f->base;
	f->slot = (struct mu_slot *)(f->base + MU_PAGE);
	*f->head = (struct mu_segment){
		.magic = MU_SEGMENT_MAGIC, .version = MU_VERSION,
		.header_size = sizeof(struct mu_segment), .kind = kind, .slot_count = count,
		.size = f->size, .slot_table = MU_PAGE, .slots = 2 * MU_PAGE,
		.slot_size = slot_size, .config.log_limit = 1 << 20,
	};
}

/* The image in slot K. */
FAKE_UNUSED static struct mu_image *fake_at(const struct fake *f, uint32_t k)
{
	return (struct mu_image *)(f->base + f->head->slots + k * f->head->slot_size);
}

/* BYTES in image K, zeroed, at a multiple of 64; gives the offset. */
FAKE_UNUSED static uint64_t fake_alloc(const struct fake *f, uint32_t k, uint64_t bytes)
{
	struct mu_image *im = fake_at(f, k);
	uint64_t offset = (im->used + 63) & ~UINT64_C(63);

	if (offset + bytes > f->head->slot_size)
		abort();
	im->used = offset + bytes;
	return offset;
}

FAKE_UNUSED static void *fake_pointer(const struct fake *f, uint32_t k, uint64_t offset)
{
	return (uint8_t *)fake_at(f, k) + offset;
}

FAKE_UNUSED static struct mu_string fake_string(const struct fake *f, uint32_t k,
						const char *text, size_t length)
{
	uint64_t offset = fake_alloc(f, k, length + 1);

	memcpy(fake_pointer(f, k, offset), text, length);
	return (struct mu_string){ .offset = offset, .length = (uint32_t)length };
}

/* An empty image with room for 64 threads; none is there yet. */
FAKE_UNUSED static struct mu_image *fake_image(const struct fake *f, uint32_t k)
{
	struct mu_image *im = fake_at(f, k);
	struct mu_table *threads = &im->table[MU_SEC_THREADS];

	im->version = MU_VERSION;
	im->header_size = sizeof(*im);
	im->features = MU_FEATURE(MU_SEC_PROCESS) | MU_FEATURE(MU_SEC_COUNTERS) |
		       MU_FEATURE(MU_SEC_THREADS) | MU_FEATURE(MU_SEC_DROPS);
	im->used = sizeof(*im);
	im->capacity = im->populated = f->head->slot_size;
	threads->entry_size = sizeof(struct mu_thread);
	threads->first_log2 = 6;
	threads->extent[0] = fake_alloc(f, k, sizeof(struct mu_thread) << 6);
	im->magic = MU_IMAGE_MAGIC;
	f->slot[k].state = MU_SLOT_LIVE;
	return im;
}

/* One more thread record. */
FAKE_UNUSED static struct mu_thread *fake_thread(const struct fake *f, uint32_t k)
{
	struct mu_table *threads = &fake_at(f, k)->table[MU_SEC_THREADS];
	struct mu_thread *thread = fake_pointer(f, k, threads->extent[0]);

	thread += threads->count++;
	thread->state = MU_THREAD_LIVE;
	return thread;
}

/* A chunk of CAPACITY words, linked behind PREVIOUS (0: the thread's first). */
FAKE_UNUSED static uint64_t fake_chunk(const struct fake *f, uint32_t k,
				       struct mu_thread *thread, uint64_t previous,
				       uint32_t capacity)
{
	uint64_t offset = fake_alloc(f, k, sizeof(struct mu_log_chunk) + capacity * 8);
	struct mu_log_chunk *chunk = fake_pointer(f, k, offset), *before;

	chunk->capacity = capacity;
	if (previous) {
		before = fake_pointer(f, k, previous);
		before->next = offset;
		before->sealed = 1;
	} else {
		thread->log_first = offset;
	}
	fake_at(f, k)->features |= MU_FEATURE(MU_SEC_LOG);
	return offset;
}

FAKE_UNUSED static void fake_word(const struct fake *f, uint32_t k, uint64_t chunk, uint64_t word)
{
	struct mu_log_chunk *c = fake_pointer(f, k, chunk);

	c->word[c->count++] = word;
}

/* An event CHANGE at an absolute time, with its time word. */
FAKE_UNUSED static void fake_event(const struct fake *f, uint32_t k, uint64_t chunk,
				   uint64_t time, int32_t change, uint64_t stack)
{
	fake_word(f, k, chunk, time << 2 | MU_LOG_TIME);
	fake_word(f, k, chunk, (uint64_t)(int64_t)change << 32 | stack << 9 | MU_LOG_EVENT);
}
