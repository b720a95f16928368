/* live.c -- An image into which a process is recording, seen from another process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/record/live.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "profile/read/image.h"

enum {
	TURNS = 1000, /* polls until the process counts as stuck */
	TURN_NS = 500000,
	TURNS_IDLE = 4 /* a thread that missed its flag has had its event by then */
};

bool live_is_sealed(int fd)
{
	const int wanted = F_SEAL_SHRINK | F_SEAL_GROW;
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & wanted) == wanted;
}

/* Uses subtraction and division, since the sum may exceed 64 bits. What is written to there needs
 * the alignment that a recorder's has. */
static bool has_slot(const struct segment *view, uint64_t mapped, uint32_t slot)
{
	const struct mu_segment *h = &view->head;

	return h->kind != MU_KIND_KEPT && slot < h->slot_count && h->slots <= mapped &&
	       h->slot_size >= sizeof(struct mu_image) &&
	       h->slot_size <= (mapped - h->slots) / ((uint64_t)slot + 1) &&
	       (h->slots + slot * h->slot_size) % _Alignof(struct mu_image) == 0;
}

int live_open(struct live *l, int fd, uint32_t slot, uint32_t generation, struct mu_error *err)
{
	struct stat st;
	void *base;

	*l = (struct live){ .slot = slot, .generation = generation };
	if (fstat(fd, &st) < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	base = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
		    fd, 0);
	if (base == MAP_FAILED)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot map the recording: %m");
	madvise(base, (size_t)st.st_size, MADV_DONTDUMP);
	l->mapped = (uint64_t)st.st_size;
	l->view.base = base;
	if (segment_view(&l->view, base, l->mapped, err) < 0 ||
	    segment_watch(&l->view, fd, err) < 0)
		return -1;
	return live_select(l, slot, generation, err);
}

int live_select(struct live *l, uint32_t slot, uint32_t generation, struct mu_error *err)
{
	const uint64_t mapped = l->mapped;

	if (!has_slot(&l->view, mapped, slot))
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "no such image");
	live_from_view(l, &l->view, slot, generation);
	l->mapped = mapped;
	return 0;
}

void live_from_view(struct live *l, const struct segment *view, uint32_t slot, uint32_t generation)
{
	const struct mu_segment *h = &view->head;
	struct segment own = *view;

	*l = (struct live){ .view = own, .slot = slot, .generation = generation };
	l->shared = (struct mu_image *)((uint8_t *)(uintptr_t)own.base + h->slots +
					(uint64_t)slot * h->slot_size);
}

void live_close(struct live *l)
{
	if (l->mapped) {
		munmap((void *)(uintptr_t)l->view.base, l->mapped);
		segment_unwatch(&l->view);
	}
	*l = (struct live){ .mapped = 0 };
}

bool live_is_current(const struct live *l)
{
	struct mu_slot slot;

	if (l->is_final)
		return true;
	return segment_slot(&l->view, l->slot, &slot) && slot.state == MU_SLOT_LIVE &&
	       slot.generation == l->generation;
}

int live_image(const struct live *l, struct image *im, struct mu_error *err)
{
	return segment_image(&l->view, l->slot, im, err);
}

uint64_t live_bytes_moved(const struct image *im)
{
	uint64_t sum = 0;

	for (int fn = 0; fn < MU_FN_COUNT; fn++)
		sum += im->head.retired.bytes[fn];
	for (uint64_t i = 0; i < image_count(im, MU_SEC_THREADS); i++) {
		struct mu_thread t;

		if (!image_copy_entry(im, MU_SEC_THREADS, i, &t, IMAGE_THREAD_FIGURES))
			continue;
		for (int fn = 0; fn < MU_FN_COUNT; fn++)
			sum += t.counters.bytes[fn];
	}
	return sum;
}

static uint32_t *thread_busy_word(const struct image *im, uint64_t i)
{
	const struct mu_thread *t = image_entry(im, MU_SEC_THREADS, i, sizeof(*t));

	if (!t || __atomic_load_n(&t->state, __ATOMIC_RELAXED) == MU_THREAD_FREE)
		return NULL;
	return (uint32_t *)(uintptr_t)&t->busy;
}

bool live_set_pending(const struct live *l)
{
	struct image im;
	bool all = true;

	if (live_image(l, &im, NULL) < 0)
		return false;
	for (uint64_t i = 0; i < image_count(&im, MU_SEC_THREADS); i++) {
		uint32_t *busy = thread_busy_word(&im, i), expected = 0;

		if (busy && !__atomic_compare_exchange_n(busy, &expected, MU_BUSY_REQUEST, false,
							 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			all = all && expected == MU_BUSY_REQUEST;
	}
	return all;
}

bool live_is_quiet(const struct live *l)
{
	struct image im;

	if (live_image(l, &im, NULL) < 0)
		return false;
	for (uint64_t i = 0; i < image_count(&im, MU_SEC_THREADS); i++) {
		const uint32_t *busy = thread_busy_word(&im, i);

		if (busy && __atomic_load_n(busy, __ATOMIC_SEQ_CST) != MU_BUSY_REQUEST)
			return false;
	}
	return true;
}

/* A process that is asleep looks for a request only when it is woken. It may fall asleep again if
 * it finds none, unless the number has changed meanwhile. */
static void wake(const struct live *l, uint32_t serial)
{
	if (l->view.head.config.flags & MU_CFG_START_PAUSED)
		__atomic_store_n(&l->shared->recorded.awake, serial ? serial : UINT32_MAX,
				 __ATOMIC_SEQ_CST);
}

bool live_is_asleep(const struct live *l)
{
	return l->view.head.config.flags & MU_CFG_START_PAUSED &&
	       !__atomic_load_n(&l->shared->recorded.awake, __ATOMIC_ACQUIRE);
}

enum live_result live_request(struct live *l, enum mu_request request)
{
	const struct timespec pause = { 0, TURN_NS };
	struct mu_image *im = l->shared;
	uint32_t serial = __atomic_load_n(&im->request_serial, __ATOMIC_RELAXED) + 1;
	unsigned int quiet = 0;

	__atomic_store_n(&im->request_serial, serial, __ATOMIC_RELAXED);
	__atomic_store_n(&im->request, (uint32_t)request, __ATOMIC_SEQ_CST);
	if (request == MU_REQUEST_START)
		wake(l, serial);
	for (unsigned int turn = 0; turn < TURNS; turn++) {
		if (__atomic_load_n(&im->served_serial, __ATOMIC_ACQUIRE) == serial)
			return LIVE_SERVED;
		quiet = live_set_pending(l) ? quiet + 1 : 0;
		if (quiet > TURNS_IDLE)
			return LIVE_IDLE;
		nanosleep(&pause, NULL);
	}
	return LIVE_STUCK;
}

bool live_withdraw(struct live *l, enum mu_request request)
{
	uint32_t expected = (uint32_t)request;

	return __atomic_compare_exchange_n(&l->shared->request, &expected, MU_REQUEST_NONE, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}
