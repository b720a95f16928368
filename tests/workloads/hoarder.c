/* hoarder.c -- processes that ask their collector for leak checks, and take no answer.
 *
 * hoarder COUNT  forks COUNT processes; says "ready" when as many answers wait as will, and waits until
 *                it is killed, with all of them
 *
 * Without a recorder it fails.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "recording/collector_query.h"
#include "recording/recording.h"
#include "tests/lib/own_recording.h"

enum { QUIET_MS = 2000 };

/* Tells through TO when the answer waits for room, which it never gets. */
static void ask(int to)
{
	const struct timespec nap = { .tv_nsec = 10000000 };
	struct mu_segment *s;
	struct mu_image *image;
	uint32_t own;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	free(malloc(1));
	s = find_segment();
	own = s ? find_own_slot(s) : 0;
	if (!s || own == s->slot_count)
		_exit(1);
	image = (void *)((uint8_t *)s + s->slots + own * s->slot_size);
	image->query_wanted = MU_QUERY_LEAKS;
	__atomic_store_n(&image->query_state, MU_QUERY_WANTED, __ATOMIC_RELEASE);
	while (__atomic_load_n(&image->query_state, __ATOMIC_ACQUIRE) != MU_QUERY_COUNTED) {
		/* The recorder's calls make the collector look. */
		free(malloc(1000000));
		nanosleep(&nap, NULL);
	}
	if (write(to, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* The collector keeps some answers, and the others have to wait for those. */
static void await_answers(int from, int count)
{
	struct pollfd answer = { .fd = from, .events = POLLIN };
	char bytes[256];

	for (int got = 0; got < count && poll(&answer, 1, QUIET_MS) > 0;)
		got += (int)read(from, bytes, sizeof(bytes));
}

int main(int argc, char **argv)
{
	const int count = argc == 2 ? atoi(argv[1]) : 0;
	int answers[2];

	if (count <= 0 || pipe(answers) < 0)
		return 2;
	for (int i = 0; i < count; i++) {
		if (fork() == 0)
			ask(answers[1]);
	}
	await_answers(answers[0], count);
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
