#!/bin/sh
# record_size.t -- what --record keeps depends on the places that allocate and on what is live at the
# end, not on how long the program ran or how many threads came and went.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint

cat >rounds.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static long rounds;
static void *volatile kept[64];
static __attribute__((noinline)) void step(long i)
{
	free(kept[i % 64]);
	kept[i % 64] = malloc(1 + i * 7919 % 5000);
}
static __attribute__((noinline)) void nest(long i, int depth)
{
	if (depth > 0)
		nest(i, depth - 1);
	else
		step(i);
	__asm__ volatile("");
}
static void *work(void *unused)
{
	for (long i = 0; i < rounds; i++)
		nest(i, (int)(i % 20));
	return unused;
}
int main(int argc, char **argv)
{
	rounds = atol(argv[1]);
	for (int threads = atoi(argv[2]); threads > 0; threads--) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL))
			return 1;
	}
	return 0;
}
END
compile "${CC:-cc}" -O1 -w -pthread -o rounds rounds.c
size() { # OPTIONS -- ROUNDS THREADS
	memusage -q --record=kept.mur "$1" ./rounds "$2" "$3" && wc -c <kept.mur
}
# Of the first thousand events many a snapshot keeps all; then they are culled.
for unit in ms B; do
	short=$(size --time-unit=$unit 100000 2)
	long=$(size --time-unit=$unit 1000000 2)
	num "$short" -gt 10000 "--time-unit=$unit: something was recorded"
	num "$long" -le $((short * 2)) "... and ten times the events take no more room ($short, $long)"
	many=$(size --time-unit=$unit 1000 200)
	num "$many" -le $((short * 2)) "... nor do 100 times the threads ($many)"
done
done_testing
