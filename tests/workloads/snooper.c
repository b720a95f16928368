/* snooper.c -- a program that says of itself that it is another one, which it may not read, and asks
 * what holds its blocks: the names of the other one's variables.
 *
 * snooper FILE TEXT  FILE has no longer a path than it has itself. Prints "told" if TEXT is in the
 *                    answer, "not told" if it is not, or "refused" without an answer
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "recording/collector_query.h"
#include "recording/recording.h"
#include "tests/lib/own_recording.h"

enum { PART = 16 << 20, ANSWER_AT = 12 << 20, TURNS = 10000, HELD = 1 << 16 };

/* Wherever the other one's variables are, there is one of these. */
static void *volatile held[HELD];

static uint8_t *map_own_image(void)
{
	struct mu_segment *s = find_segment();
	const uint32_t own = s ? find_own_slot(s) : 0;

	if (!s || own == s->slot_count)
		return MAP_FAILED;
	return mremap((uint8_t *)s + s->slots + own * s->slot_size, 0, PART, MREMAP_MAYMOVE);
}

static void change_path(uint8_t *image, const char *self, const char *file)
{
	const struct mu_table *t = &((const struct mu_image *)image)->table[MU_SEC_MODULES];
	const uint64_t count = t->count < UINT64_C(1) << t->first_log2 ?
				       t->count : UINT64_C(1) << t->first_log2;

	for (uint64_t i = 0; i < count; i++) {
		struct mu_module *m = (void *)(image + t->extent[0] + i * t->entry_size);
		char *path = (char *)image + m->path.offset;

		if (m->path.length != strlen(self) || memcmp(path, self, strlen(self)) != 0)
			continue;
		m->build_id_length = 0;
		m->path.length = (uint32_t)strlen(file);
		memcpy(path, file, strlen(file));
	}
}

static int await(struct mu_image *im, uint32_t wanted)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	uint32_t state = MU_QUERY_WANTED;

	for (int i = 0; i < TURNS && state != wanted && state != MU_QUERY_FAILED; i++) {
		/* The recorder's calls make the collector look. */
		free(malloc(100000));
		nanosleep(&nap, NULL);
		state = __atomic_load_n(&im->query_state, __ATOMIC_ACQUIRE);
	}
	return state == wanted;
}

int main(int argc, char **argv)
{
	char self[4096] = "";
	struct mu_image *im;

	for (int i = 0; i < HELD; i++)
		held[i] = malloc(16);
	if (argc != 3 || readlink("/proc/self/exe", self, sizeof(self) - 1) < 0 ||
	    strlen(argv[1]) > strlen(self))
		return 2;
	im = (void *)map_own_image();
	if (im == MAP_FAILED)
		return 1;
	change_path((uint8_t *)im, self, argv[1]);
	im->query_wanted = MU_QUERY_HOLDERS;
	__atomic_store_n(&im->query_state, MU_QUERY_WANTED, __ATOMIC_RELEASE);
	if (!await(im, MU_QUERY_COUNTED)) {
		puts("refused");
		return 0;
	}
	im->query_offset = ANSWER_AT;
	__atomic_store_n(&im->query_state, MU_QUERY_ROOM, __ATOMIC_RELEASE);
	if (!await(im, MU_QUERY_DONE))
		puts("refused");
	else
		puts(memmem((uint8_t *)im + ANSWER_AT, PART - ANSWER_AT, argv[2], strlen(argv[2])) ?
			     "told" : "not told");
	fflush(stdout);
	/* Without a question at its end. */
	syscall(SYS_exit_group, 0);
}
