#!/bin/sh
# detached.sh -- is a process that was recorded and left as fast as one that never was?
#
#	tests/bench/detached.sh [ROUNDS]	default 10
#
# Two processes take turns with 2 million pairs of malloc and free each, 20 times a round. Before each
# round but the first a recorder comes to one of them and goes. Prints the median CPU time of a pair in
# both, and of the ratios of neighbours, before the first recorder and after it.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -eu
MU_SRC=${MU_SRC:-$(cd "$(dirname "$0")/../.." && pwd)}
MU_BUILD=${MU_BUILD:-$MU_SRC/build}
PATH=$MU_BUILD/bin:$PATH
where=$(mktemp -d)
trap 'rm -rf "$where"' EXIT
cd "$where"
cat >pairs.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(void)
{
	static char line[16];
	struct timespec a, b;
	setbuf(stdout, NULL);
	while (fgets(line, sizeof(line), stdin)) {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
		for (int i = 0; i < 2000000; i++) {
			void *block = malloc(16 + i % 500);
			__asm__ volatile("" : : "r"(block) : "memory");
			free(block);
		}
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
		printf("%.3f\n", ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / 2e6);
	}
	return 0;
}
END
"${CC:-cc}" -O2 -o pairs pairs.c
mkfifo in1 out1 in2 out2
./pairs <in1 >out1 &
visited=$!
./pairs <in2 >out2 &
exec 3>in1 4<out1 5>in2 6<out2

# turns FILE: 20 lines "NS NS" of both processes
turns() {
	for _ in $(seq 20); do
		echo >&3
		read -r first <&4
		echo >&5
		read -r second <&6
		echo "$first $second $(echo "$first $second" | awk '{ print $1 / $2 }')"
	done >>"$1"
}
median() { cut -d' ' -f"$1" "$2" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

for _ in $(seq "${1:-10}"); do
	turns before
done
for _ in $(seq "${1:-10}"); do
	memusage --attach="$visited" --duration=50ms -q --record=run.mur 3>&- 5>&-
	turns after
done
for when in before after; do
	echo "$when: visited $(median 1 $when) ns, other $(median 2 $when) ns, ratio $(median 3 $when)"
done
exec 3>&- 5>&-
wait
