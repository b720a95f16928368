/* squatter.c -- processes that take all slots of each memory that their collector gives them.
 *
 * squatter COUNT  executes itself in COUNT children, each the child of the one before, with the slots of
 *                 another memory; the last one, or one that has got no memory, says "ready". They
 *                 wait until the first one is killed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recording/recording.h"
#include "tests/lib/own_recording.h"

enum { NO_STATE = 99 };

static int take_slots(void)
{
	struct mu_segment *s = find_segment();
	struct mu_slot *slot;

	if (!s)
		return 0;
	slot = (void *)((uint8_t *)s + s->slot_table);
	for (uint32_t k = 0; k < s->slot_count; k++) {
		uint32_t expected = MU_SLOT_FREE;

		__atomic_compare_exchange_n(&slot[k].state, &expected, NO_STATE, 0,
					    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	}
	return 1;
}

int main(int argc, char **argv)
{
	const int count = argc == 2 ? atoi(argv[1]) : 0;
	char next[16];
	pid_t child;

	free(malloc(1));
	if (!take_slots())
		return 2;
	snprintf(next, sizeof(next), "%d", count - 1);
	child = count > 0 ? fork() : getpid();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl("/proc/self/exe", argv[0], next, NULL);
		return 2;
	}
	if (count == 0 || waitpid(child, NULL, 0) == child) {
		puts("ready");
		fflush(stdout);
	}
	for (;;)
		pause();
}
