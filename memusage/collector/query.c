/* query.c -- Questions of recorders: where one is in an image, and how an answer gets there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/query.h"

#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memusage/record/arena.h"

struct mu_image *query_image(const struct process *p)
{
	const struct mu_segment *h = &p->arena->view.head;

	return (struct mu_image *)((uint8_t *)p->arena->shared + h->slots +
				   (uint64_t)p->slot * h->slot_size);
}

bool query_is_open(uint32_t state)
{
	return state == MU_QUERY_WANTED || state == MU_QUERY_WORKING || state == MU_QUERY_ROOM;
}

bool query_is_asked(const struct process *p)
{
	return query_is_open(__atomic_load_n(&query_image(p)->query_state, __ATOMIC_ACQUIRE));
}

void query_set_state(struct mu_image *live, uint32_t state)
{
	__atomic_store_n(&live->query_state, state, __ATOMIC_RELEASE);
	syscall(SYS_futex, &live->query_state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void query_copy_answer(const struct process *p, struct mu_image *live, const void *answer,
		       uint64_t bytes)
{
	const uint64_t size = p->arena->view.head.slot_size;
	const uint64_t offset = __atomic_load_n(&live->query_offset, __ATOMIC_RELAXED);

	if (offset % 8 != 0 || offset > size || size - offset < bytes) {
		query_set_state(live, MU_QUERY_FAILED);
		return;
	}
	memcpy((uint8_t *)live + offset, answer, bytes);
	query_set_state(live, MU_QUERY_DONE);
}
