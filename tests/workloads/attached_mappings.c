/* LDLIBS: -pthread */
/* attached_mappings.c -- knows exactly what it maps between a recorder's coming and its going.
 *
 * For each line of its standard input threads come, map, move, unmap and go, and it prints what they
 * did, and then "done". 3 writable mappings of a file stay, and the 3 of the line before are unmapped.
 * At all times other threads come and go, whose large stacks libc maps and unmaps, and which have
 * malloc map blocks: also in the moments in which the recorder does.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/lib/workload.h"

enum { PAGE = 4096, AT_ONCE = 3, STEPS = 300, KEPT = 3, KEPT_PAGES = 1000, LARGE = 1 << 20 };

/* More than libc keeps of the stacks of threads that are gone. */
#define LARGE_STACK (64UL << 20)

enum { READ, WRITE, ANONYMOUS, KINDS };

static atomic_bool must_end;
static atomic_ulong calls[KINDS], bytes[KINDS], failed[KINDS], moves, moves_bytes, unmaps,
	unmaps_bytes, unmaps_failed;
static int file;

static char *map(int kind, size_t length)
{
	const int prot = kind == READ ? PROT_READ : PROT_READ | PROT_WRITE;
	const int flags = kind == ANONYMOUS ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	char *start = mmap(NULL, length, prot, flags, kind == ANONYMOUS ? -1 : file, 0);

	check(start != MAP_FAILED && (kind == READ || (start[0] = 'a')), "mmap");
	calls[kind]++;
	bytes[kind] += length;
	return start;
}

static void unmap(char *start, size_t length)
{
	check(munmap(start, length) == 0, "munmap");
	unmaps++;
	unmaps_bytes += length;
}

static void fail(void)
{
	check(mmap(NULL, 0, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED, "length 0");
	calls[READ]++;
	failed[READ]++;
	check(munmap((void *)1, PAGE) == -1, "no page");
	unmaps++;
	unmaps_failed++;
}

static void *work(void *arg)
{
	for (int i = 0; i < STEPS; i++) {
		const int kind = i % KINDS;
		size_t pages = 1 + (size_t)i % 7;
		char *start = map(kind, pages * PAGE);

		if (i % 5 == 0) {
			start = mremap(start, pages * PAGE, (pages + 2) * PAGE, MREMAP_MAYMOVE);
			check(start != MAP_FAILED, "mremap");
			pages += 2;
			moves++;
			moves_bytes += 2 * PAGE;
		}
		if (i % 50 == 0)
			fail();
		unmap(start, pages * PAGE);
	}
	return arg;
}

static void *use_malloc(void *arg)
{
	char *volatile block = malloc(LARGE);

	check(block != NULL, "malloc");
	block[0] = 1;
	block = realloc(block, (size_t)LARGE * 4);
	free(block);
	return arg;
}

/* libc maps here, and unmaps: nothing of that counts. */
static void *come_and_go(void *arg)
{
	pthread_attr_t large;
	pthread_t thread;

	pthread_attr_init(&large);
	pthread_attr_setstacksize(&large, LARGE_STACK);
	while (!must_end) {
		check(!pthread_create(&thread, &large, use_malloc, NULL), "thread");
		pthread_join(thread, NULL);
	}
	pthread_attr_destroy(&large);
	return arg;
}

static void work_at_once(void)
{
	pthread_t thread[AT_ONCE];

	for (int i = 0; i < AT_ONCE; i++)
		check(!pthread_create(&thread[i], NULL, work, NULL), "thread");
	for (int i = 0; i < AT_ONCE; i++)
		pthread_join(thread[i], NULL);
}

static void tell_truth(void)
{
	static const char *const names[KINDS] = { "mmap(r)", "mmap(w)", "mmap(a)" };

	for (int i = 0; i < KINDS; i++) {
		say("truth %s calls=%lu bytes=%lu failed=%lu", names[i], calls[i], bytes[i],
		    failed[i]);
		calls[i] = bytes[i] = failed[i] = 0;
	}
	say("truth mremap calls=%lu bytes=%lu failed=0", moves, moves_bytes);
	say("truth munmap calls=%lu bytes=%lu failed=%lu", unmaps, unmaps_bytes, unmaps_failed);
	say("done");
	moves = moves_bytes = unmaps = unmaps_bytes = unmaps_failed = 0;
}

int main(void)
{
	char *kept[KEPT] = { NULL };
	pthread_t other;
	char byte;

	file = memfd_create("attached_mappings", 0);
	check(file >= 0 && ftruncate(file, KEPT_PAGES * PAGE) == 0, "file");
	check(!pthread_create(&other, NULL, come_and_go, NULL), "thread");
	say("done");
	while (read(0, &byte, 1) == 1) {
		work_at_once();
		for (int i = 0; i < KEPT; i++) {
			if (kept[i])
				unmap(kept[i], KEPT_PAGES * PAGE);
			kept[i] = map(WRITE, KEPT_PAGES * PAGE);
		}
		tell_truth();
	}
	must_end = true;
	pthread_join(other, NULL);
	return 0;
}
