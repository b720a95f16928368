#!/bin/sh
# requests_macros.t -- Valgrind's macros are served in programs that were built with them, exactly,
# and change nothing in the program but what they may: by gcc and clang, at all levels, in threads,
# in leaf functions, with all registers in use, in what dlopen brings, under signals.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin macros memusageprint
[ "$(macros blocks)" != 'no headers' ] || skip_all 'the headers of Valgrind are not installed'
R=--client-requests=yes

for part in blocks pools nested; do
	memusage -o report macros $part >/dev/null
	is "$?" 0 "$part, not asked for"
	unlike "$(cat report)" 'client requests' '... nothing is served'
done
for part in blocks pools nested copies others; do
	profiled "$part" $R -- macros $part
	profiled "$part, with stacks" $R --record=rec -- macros $part
done
for part in registers threads; do
	profiled "$part" $R --record=rec -- macros $part
done
run memusage -o report $R macros pools served
is "$status" 0 'pools exist'
like "$(cat report)" ' 0 errors' '... and no request of them was wrong'
is "$(memusage -q $R macros running)" 'running 0' 'RUNNING_ON_VALGRIND stays 0'
is "$(memusage -q --client-requests=running macros running)" 'running 1' '... unless asked for'
memusage -o report --client-requests=massif macros nested >/dev/null
is "$(report_field malloc bytes)" 11000 '=massif counts nested blocks as Massif does'
for turn in 1 2 3; do
	run memusage -o report $R --record=rec macros interrupted
	is "$status$out" 0 "signals everywhere, turn $turn"
	num "$(report_field malloc calls)" -ge 100000 '... requests are served'
	like "$(cat report)" ' 0 errors' '... and go together'
done
run memusage --client-requests=perhaps true
is "$status" 125 'another word is refused'

# ---- call stacks through the stubs ---------------------------------------------------------

if [ "${LIBDW:-yes}" = yes ]; then
	memusage -q -o report $R --top macros blocks >/dev/null
	like "$(cat report)" '^ *4.69 KiB .* 100  take \(macros.c:' 'a place is the function'
	like "$(cat report)" 'called by blocks \(macros.c:[0-9]*\), main' '... with its callers'
	memusage -q -o report $R --top macros interrupted >/dev/null
	like "$(cat report)" 'leaf.* interrupted|interrupted' 'from a leaf function'
else
	skip 'lines need libdw' 3
fi

# ---- compilers and levels ------------------------------------------------------------------

for cc in gcc clang; do
	for level in -O0 -O1 -O2 -O3 '-O2 -no-pie -fno-pic' '-O3 -march=native' \
		'-O2 -fomit-frame-pointer -fcf-protection=full' \
		'-O2 -fno-omit-frame-pointer -static-libgcc -fno-plt'; do
		command -v $cc >/dev/null || {
			skip "no $cc here" 3
			continue
		}
		# shellcheck disable=SC2086  # several options
		$cc $level -w -D_GNU_SOURCE -pthread -o built "$MU_SRC/tests/workloads/macros.c" ||
			fail "$cc $level: compiles"
		profiled "$cc $level: threads" $R -- ./built threads
		for part in blocks pools registers; do
			memusage -o report $R ./built $part >.out
			is "$?" 0 "$cc $level: $part"
			truths "$cc $level: $part" .out report
		done
	done
done

# ---- shared objects, with their constructors -----------------------------------------------

cat >lib.c <<'END'
#include <valgrind/valgrind.h>
static char room[5000];
__attribute__((constructor)) static void begin(void)
{
	VALGRIND_MALLOCLIKE_BLOCK(room, 1000, 0, 0);
}
__attribute__((destructor)) static void end(void)
{
	VALGRIND_FREELIKE_BLOCK(room, 0);
}
END
cat >load.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	for (int i = 0; i < 50; i++) {
		void *object = dlopen("./lib.so", RTLD_NOW);
		if (object)
			dlclose(object);
	}
	return 0;
}
END
if gcc -shared -fPIC -o lib.so lib.c && gcc -o load load.c; then
	memusage -o report $R ./load
	is "$(report_field 992-1007 count)" 50 'constructors of objects that are loaded later'
	like "$(cat report)" '100 client requests: .* 0 errors' '... and destructors, each time'
else
	skip 'no compiler here' 2
fi

done_testing
