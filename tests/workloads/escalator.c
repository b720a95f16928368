/* escalator.c -- a program of a user that executes one with the setuid bit while root examines it.
 *
 * escalator copy UID PROGRAM   ... as soon as there is a copy of it, and nothing traces it
 * escalator trace UID PROGRAM  ... while it is traced, in the middle of an event by its image. A
 *                              child prints "answered" or "refused": what became of its question
 * escalator victim             is that PROGRAM: prints "changed" if anything writes to its memory
 *                              at AREA within 3 s, else "left alone", with its effective user
 *
 * The examiner's calls are to use AREA as their stack, and code that is in no process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "recording/collector_query.h"
#include "recording/recording.h"
#include "tests/lib/own_recording.h"

#define AREA ((unsigned char *)UINT64_C(0x5a0000000000))
enum { AREA_SIZE = 65536, BLOCKS = 600000, ROOM = 4 << 20, TURNS = 10000 };

static void pause_a_little(void)
{
	const struct timespec nap = { .tv_nsec = 1000000 };

	nanosleep(&nap, NULL);
}

static int map_area(void)
{
	return mmap(AREA, AREA_SIZE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == AREA;
}

static int be_victim(void)
{
	int changed = 0;

	for (int i = 0; i < 3000; i++)
		pause_a_little();
	for (int i = 0; i < AREA_SIZE; i++)
		changed |= AREA[i];
	printf("%s, user %d\n", changed ? "changed" : "left alone", (int)geteuid());
	return 0;
}

/* Mapped once more, since a child has its own image at the first address. */
static struct mu_image *find_own_image(void)
{
	struct mu_segment *s = find_segment();
	const uint32_t k = s ? find_own_slot(s) : 0;
	void *again;

	if (!s || k == s->slot_count)
		exit(3);
	again = mremap((uint8_t *)s + s->slots + k * s->slot_size, 0, 2 * ROOM, MREMAP_MAYMOVE);
	return again == MAP_FAILED ? exit(3), NULL : again;
}

static int has_child(void)
{
	char path[64], text[16];
	size_t length = 0;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	in = fopen(path, "r");
	if (in) {
		length = fread(text, 1, sizeof(text), in);
		fclose(in);
	}
	return length > 0;
}

static int is_traced(void)
{
	char line[256];
	long tracer = 0;
	FILE *in = fopen("/proc/self/status", "r");

	while (in && fgets(line, sizeof(line), in))
		sscanf(line, "TracerPid: %ld", &tracer);
	if (in)
		fclose(in);
	return tracer > 0;
}

/* As if the thread were moving a block all the time. */
static void be_in_event(struct mu_image *im)
{
	const struct mu_table *t = &im->table[MU_SEC_THREADS];

	for (uint64_t i = 0; i < t->count && i < UINT64_C(1) << t->first_log2; i++) {
		struct mu_thread *one =
			(void *)((uint8_t *)im + t->extent[0] + i * t->entry_size);

		if (one->tid == (uint32_t)getpid())
			one->flags |= MU_THREAD_MOVES;
	}
}

static void show_answer(struct mu_image *im)
{
	for (int i = 0; i < TURNS; i++) {
		uint32_t state = __atomic_load_n(&im->query_state, __ATOMIC_ACQUIRE);

		if (state == MU_QUERY_COUNTED || state == MU_QUERY_FAILED) {
			puts(state == MU_QUERY_COUNTED ? "answered" : "refused");
			exit(0);
		}
		free(malloc(100000));
		pause_a_little();
	}
	exit(1);
}

static void ask_for_check(struct mu_image *im)
{
	be_in_event(im);
	if (fork() == 0)
		show_answer(im);
	__atomic_store_n(&im->query_wanted, MU_QUERY_LEAKS, __ATOMIC_RELEASE);
	__atomic_store_n(&im->query_state, MU_QUERY_WANTED, __ATOMIC_RELEASE);
	while (!is_traced())
		;
}

static void await_copy(struct mu_image *im)
{
	im->examined.stack = (uint64_t)AREA;
	im->examined.call = 4096;
	for (int i = 0; i < BLOCKS; i++) {
		void *volatile block = malloc(64);

		(void)block;
	}
	for (int i = 0; i < TURNS && (!has_child() || is_traced()); i++) {
		free(malloc(100));
		pause_a_little();
	}
}

int main(int argc, char **argv)
{
	struct mu_image *im;

	if (!map_area())
		return 4;
	if (argc < 4)
		return be_victim();
	if (!become_user(argv[2]))
		return 2;
	free(malloc(1));
	im = find_own_image();
	if (strcmp(argv[1], "copy") == 0)
		await_copy(im);
	else
		ask_for_check(im);
	execl(argv[3], argv[3], "victim", (char *)NULL);
	return 5;
}
