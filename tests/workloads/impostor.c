/* impostor.c -- a process that says of an image in its recorder's memory that it is of another process,
 * and asks for a leak check of it: that process must not be examined for it.
 *
 * impostor collector [UID]  it is the collector; with the rights of user UID
 * impostor PID [UID]        it is process PID
 *
 * Prints "examined" if an answer is being made within 1 s, or something traces that process, else
 * "refused"; without a recorder "no recording", and fails.
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

enum { COPIED = 65536, TRIES = 100 };

static long read_tracer(long pid)
{
	char path[64], line[256];
	long tracer = 0;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%ld/status", pid);
	in = fopen(path, "r");
	while (in && fgets(line, sizeof(line), in))
		sscanf(line, "TracerPid: %ld", &tracer);
	if (in)
		fclose(in);
	return tracer;
}

/* The kernel maps shared memory once more, and beyond what was mapped. */
static uint8_t *map_up_to(uint8_t *image, uint64_t bytes)
{
	uint8_t *again = mremap(image, 0, bytes, MREMAP_MAYMOVE);

	return again == MAP_FAILED ? NULL : again;
}

static int is_examined(const struct mu_image *im, long pid)
{
	const struct timespec nap = { .tv_nsec = 10000000 };

	for (int i = 0; i < TRIES; i++) {
		uint32_t state = __atomic_load_n(&im->query_state, __ATOMIC_ACQUIRE);

		/* The recorder's calls make the collector look. */
		free(malloc(1000000));
		if (state == MU_QUERY_WORKING || state == MU_QUERY_COUNTED || read_tracer(pid))
			return 1;
		nanosleep(&nap, NULL);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct mu_segment *s;
	struct mu_slot *slot;
	struct mu_image *forged;
	uint32_t own, other;
	uint8_t *memory;
	long pid;

	if (argc < 2 || (argc > 2 && !become_user(argv[2])))
		return 2;
	free(malloc(1));
	s = find_segment();
	slot = s ? (void *)((uint8_t *)s + s->slot_table) : NULL;
	own = s ? find_own_slot(s) : 0;
	if (!s || own == s->slot_count) {
		puts("no recording");
		return 1;
	}
	pid = strcmp(argv[1], "collector") == 0 ? (long)s->collector_pid : atol(argv[1]);
	for (other = own + 1; other < s->slot_count && slot[other].state != MU_SLOT_FREE; other++)
		;
	memory = map_up_to((uint8_t *)s + s->slots + own * s->slot_size,
			   (other - own) * s->slot_size + COPIED);
	if (!memory)
		return 3;
	forged = (void *)(memory + (other - own) * s->slot_size);
	memcpy(forged, memory, COPIED);
	forged->process.pid = (uint32_t)pid;
	forged->slot = other;
	forged->query_state = MU_QUERY_WANTED;
	forged->query_wanted = MU_QUERY_LEAKS;
	slot[other].pid = (uint32_t)pid;
	slot[other].claimed_by = slot[own].pid;
	slot[other].parent_slot = 0;
	slot[other].claimed_ns = slot[own].claimed_ns;
	__atomic_store_n(&slot[other].state, MU_SLOT_LIVE, __ATOMIC_RELEASE);
	puts(is_examined(forged, pid) ? "examined" : "refused");
	return 0;
}
