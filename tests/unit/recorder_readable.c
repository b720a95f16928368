/* recorder_readable.c -- the kernel tells which pages can be read, in each way that it can be asked,
 * and nobody who waits at such an address notices.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/readable.c"

#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/recorder.h"

static const char *const ways[] = { "by signal mask", "by futex", "by mincore" };

static uint32_t word; /* that a thread waits for */
static bool is_woken;

static void test_pages(int way)
{
	uint8_t *pages = mmap(NULL, 4 * MU_PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t at = (uint64_t)pages;

	asked_by = way;
	mprotect(pages + MU_PAGE, MU_PAGE, PROT_NONE);
	munmap(pages + 2 * MU_PAGE, MU_PAGE);
	for (uint64_t odd = 0; odd < MU_PAGE; odd += 1021) {
		OK(readable_page(at + odd), "%s: a page, at %u", ways[way], (unsigned)odd);
		if (way != BY_MINCORE)
			OK(!readable_page(at + MU_PAGE + odd), "... one that may not be read");
		OK(!readable_page(at + 2 * MU_PAGE + odd), "... a gap");
		OK(readable_page(at + 3 * MU_PAGE + odd), "... the page above");
	}
	OK(!readable_page(NO_MEMORY) && !readable_page(0), "... where nothing can be");
	sandbox.is_on = true;
	OK(!readable_page(at), "... in a sandbox none is asked for");
	sandbox.is_on = false;
}

static void *wait_for_word(void *unused)
{
	struct timespec most = { .tv_sec = 60 };

	(void)unused;
	while (!__atomic_load_n(&word, __ATOMIC_ACQUIRE))
		if (!syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &most, NULL, 0) &&
		    !__atomic_load_n(&word, __ATOMIC_ACQUIRE))
			is_woken = true;
	return NULL;
}

static void test_waiter(void)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	pthread_t thread;

	asked_by = BY_FUTEX;
	pthread_create(&thread, NULL, wait_for_word, NULL);
	for (int i = 0; i < 50; i++) {
		OK(readable_page((uint64_t)&word), "a word that a thread waits for");
		nanosleep(&pause, NULL);
	}
	__atomic_store_n(&word, 1, __ATOMIC_RELEASE);
	OK(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 9, NULL, NULL, 0) == 1,
	   "the thread still waited");
	pthread_join(thread, NULL);
	OK(!is_woken, "and was not woken before");
}

int main(void)
{
	for (int way = BY_SIGNAL_MASK; way <= BY_MINCORE; way++)
		test_pages(way);
	asked_by = BY_MINCORE;
	readable_init();
	OK(asked_by != BY_MINCORE, "the kernel can tell more than mincore()");
	test_waiter();
	return done_testing();
}
