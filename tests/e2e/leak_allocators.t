#!/bin/sh
# leak_allocators.t -- a leak check finds the same lost blocks whichever allocator the program has:
# what an allocator keeps for itself, in its data or in free blocks, holds no block of the program.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/leaks.sh"
need_bin memusage memusageprint leaks leaks_cxx
PATH=$WORKLOADS:$PATH

# lost [LIBRARY] PROGRAM KIND: definitely, indirectly and possibly lost with that allocator
lost() {
	LD_PRELOAD=$1 memusage -q --children=none --leak-check=summary -o log "$2" "$3" \
		>/dev/null 2>&1 </dev/null
	leak_sums log | cut -d' ' -f1-3
}
# sum FIGURES: bytes and blocks that are lost definitely or indirectly
sum() { echo "$1" | tr '/' ' ' | awk '{ print $1 + $3 "/" $2 + $4 }'; }

for program in leaks leaks_cxx; do
	for kind in $($program); do
		# A frame of a thread's first call may keep the address of its block: which one depends
		# on the allocator, and on what the threads do at one time.
		[ "$kind" != by_waiting_threads ] || continue
		echo "$program $kind $(lost '' "$program" "$kind")"
	done
done >with_glibc
num "$(wc -l <with_glibc)" -ge 43 'programs that lose blocks'

# compare NAME LIBRARY. Each program runs with one of the three; with MU_SLOW, with all.
allocator=0
compare() {
	allocator=$((allocator + 1)) number=0
	while read -r program kind want; do
		number=$((number + 1))
		[ "${MU_SLOW:-}" ] || [ $(((number + allocator) % 3)) = 0 ] || continue
		got=$(lost "$2" "$program" "$kind")
		case $kind in
		other_functions)
			# Some have a strdup of their own, whose blocks come from no malloc.
			! nm -D --defined-only "$2" | grep -q ' strdup$' || continue ;;
		interior)
			# The end of a block is the start of the next: glibc has a header in between.
			want=$(echo "$want" | cut -d' ' -f1,2)
			got=$(echo "$got" | cut -d' ' -f1,2) ;;
		shared_cycle)
			# Which block of a cycle leads the others depends on their addresses.
			want=$(sum "$want")
			got=$(sum "$got") ;;
		esac
		[ "$got" = "$want" ] || echo "$program $kind: $got, not $want"
	done <with_glibc >differences
	is "$(cat differences)" '' "... lose the same with $1"
}
# Held by a variable, so that the library is known to be in use.
uses() {
	LD_PRELOAD=$2 memusage -q -o /dev/null sh -c "grep -q '$1' /proc/self/maps"
}
for name in jemalloc tcmalloc_minimal mimalloc; do
	library=$(find /usr/lib /usr/local/lib -name "lib$name.so.[0-9]*" 2>/dev/null | head -n 1)
	if [ ! "$library" ]; then
		skip "no $name is installed" 2
		continue
	fi
	ok "$name is used" uses "$name" "$library"
	compare "$name" "$library"
done

# ---- a library that calls malloc by its name -----------------------------------------------------

# As jemalloc 5.2 does in operator new; and as tcmalloc hides a block of its own.
cat >allocator.c <<'END'
#include <stdint.h>
#include <stdlib.h>
static uintptr_t hidden;
static __attribute__((noinline)) void *get_own(size_t size)
{
	void *volatile block = malloc(size); /* no jump to malloc */

	return block;
}
void *_Znwm(size_t size)
{
	void *volatile block;

	if (!hidden)
		hidden = ~(uintptr_t)get_own(1234);
	block = malloc(size);
	return block;
}
END
cat >loses.c <<'END'
#include <stddef.h>
#include <string.h>
void *_Znwm(size_t size);
static void *volatile kept;
static __attribute__((noinline)) void lose(void)
{
	for (int i = 0; i < 3; i++)
		kept = _Znwm(50);
	memset(kept, 0, 50);
	kept = _Znwm(60);
}
int main(void)
{
	lose();
	return 0;
}
END
compile "${CC:-cc}" -O1 -shared -fPIC -o libjemalloc_by_name.so allocator.c
compile "${CC:-cc}" -O1 -o loses loses.c ./libjemalloc_by_name.so
memusage -q --leak-check=full --show-leak-kinds=all -o log ./loses
like "$(cat log)" 'definitely lost: 150 bytes in 3 blocks' 'blocks of its operator new are lost'
like "$(cat log)" '60 bytes in 1 blocks are still reachable' '... but that which is held'
like "$(cat log)" '1,234 bytes in 1 blocks are still reachable' '... and its own'

# ---- a note of an allocator ------------------------------------------------------------------------

# As jemalloc notes in its thread-local variables which gigabytes of addresses it has looked up.
cat >notes.c <<'END'
__thread void *volatile noted[4];
void note(void *block)
{
	noted[1] = block;
}
END
cat >loses_noted.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
void note(void *block);
static __attribute__((noinline)) void lose(size_t size)
{
	void *volatile block = malloc(size);

	note(block);
	block = malloc(10);
	free(block);
	block = NULL;
}
static void *lose_in_thread(void *arg)
{
	char frames[2000];

	lose(60);
	memset(frames, 1, sizeof(frames));
	write(1, frames, 0);
	if (arg)
		for (;;)
			pause();
	return NULL;
}
int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, lose_in_thread, &thread);
	usleep(100000);
	lose(50);
	lose_in_thread(NULL);
	return 0;
}
END
for name in jemalloc_notes other_notes; do
	compile "${CC:-cc}" -O1 -w -shared -fPIC -o "lib$name.so" notes.c
	compile "${CC:-cc}" -O0 -w -pthread -o "loses_$name" loses_noted.c "./lib$name.so"
	memusage -q --leak-check=full --show-leak-kinds=all -o "log.$name" "./loses_$name"
done
like "$(cat log.jemalloc_notes)" 'definitely lost: 170 bytes in 3 blocks' \
	'what only the thread-local variables of an allocator know is lost'
like "$(cat log.other_notes)" 'definitely lost: 50 bytes in 1 blocks' '... unlike those of another library'
done_testing
