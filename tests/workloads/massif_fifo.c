/* CFLAGS: -O0 -fno-inline */
/* massif_fifo.c -- a queue: what came first goes first.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

static void *queue[300];

static void *produce(int i) { return malloc(i % 2 ? 960 : 480); }
static void consume(int i) { free(queue[i]); }

int main(void)
{
	for (int i = 0; i < 300; i++) {
		queue[i] = produce(0);
		if (i >= 50)
			consume(i - 50);
	}
	return 0;
}
