#!/bin/sh
# requests_header.t -- what a program says by memusage.h is in the reports, exactly, whatever it is
# compiled and linked with; what it says wrong is counted and harms nobody.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin requests memusageprint

for part in plain tiny nested pools threads pause child; do
	profiled "$part" requests $part
done
for part in nested pools threads; do
	profiled "$part with stacks" --record=rec -- requests $part
done
profiled 'a shared object loaded later' requests x "$WORKLOADS/librequests.so"
nested=$(memusage requests nested 2>&1)
like "$nested" ' client requests: 104 blocks announced inside others, .* 0 errors' \
	'nested blocks are told'

# ---- nested blocks are shown and not counted -----------------------------------------------

memusage -q -o report --record=rec --leaks requests nested >/dev/null
unlike "$(cat report)" 'take \(' 'what was nested ends with the block around it'
memusage -q -o report --top requests nested >/dev/null
unlike "$(cat report)" ' take \(requests.c' '... and is in no list of the heap'
memusage -q -o report --top requests plain >/dev/null
like "$(cat report)" '^ *4.69 KiB .* 100  take \(requests.c:' 'announced blocks have a place'

# ---- errors, too much of everything --------------------------------------------------------

run memusage -o report requests hostile
is "$status" 0 'hostile requests: the program goes on'
truths 'hostile' .out report
want=$(sed -n 's/^errors //p' .out)
like "$(cat report)" " client requests: 0 blocks .*; $want errors" '... errors are counted'
like "$(cat report)" 'not recorded: 4467 marks' '... marks are bounded, and the rest counted'
like "$(memusage requests pause 2>&1)" \
	'recording was paused for .*: 52 allocations of .* are left out' 'a pause is told'

# ---- every way to compile and link ---------------------------------------------------------

cat >user.c <<'END'
#include <stdlib.h>
#include "memusage.h"
static char room[100];
void other(void *at);
int main(void)
{
	MEMUSAGE_MALLOCLIKE_BLOCK(room, 32);
	other(room + 50);
	return MEMUSAGE_IS_RECORDING() ? 3 : 4;
}
END
cat >other.c <<'END'
#include "memusage.h"
void other(void *at)
{
	MEMUSAGE_MALLOCLIKE_BLOCK(at, 33);
}
END
cp user.c user.cc
cp other.c other.cc
# builds COMPILER SUFFIX OPTION...
builds() {
	cc=$1 suffix=$2
	shift 2
	command -v "$cc" >/dev/null 2>&1 || {
		skip "no $cc here" 4
		return
	}
	case "$cc $*" in
	clang*-static-pie | clang*-masm=intel)
		if ! is_at_least "$("$cc" -dumpversion)" 14; then
			skip "$cc before 14 does not know $*" 4
			return
		fi
		;;
	esac
	rm -f user
	if ! "$cc" -I"$MU_SRC/include" -Wall -Wextra -Werror -Wshadow -pedantic "$@" -o user \
		"user.$suffix" "other.$suffix" 2>.err; then
		if echo 'int main(){return 0;}' | "$cc" "$@" -x c - -o empty 2>/dev/null; then
			fail "$cc $*: compiles"
			sed 's/^/# /' .err
		else
			skip "$cc $*: not on this machine" 4
		fi
		return
	fi
	pass "$cc $*: compiles"
	run ./user
	is "$status" 4 '... and runs alone'
	case $* in *-static* | *-m32*) want=4 ;; *) want=3 ;; esac
	run memusage -o report ./user
	is "$status" "$want" '... and with memusage'
	if [ $want = 3 ]; then
		is "$(report_field 32-47 count)" 2 '... which records'
	else
		like "$(cat report)" 'static|32-bit' '... which cannot, and says so'
	fi
}
for cc in gcc clang; do
	builds "$cc" c -O0
	builds "$cc" c -O2
	builds "$cc" c -O2 -no-pie -fno-pic
	builds "$cc" c -O2 -static
	builds "$cc" c -O2 -static-pie
	builds "$cc" c -O3 -flto -fno-plt -ffunction-sections -fdata-sections -Wl,--gc-sections
	builds "$cc" c -O2 -masm=intel
	builds "$cc" c -O2 -fuse-ld=gold
	builds "$cc" c -std=c99 -O1 -fuse-ld=lld -pie -fPIE
done
builds g++ cc -std=c++11 -O2
builds clang++ cc -std=c++17 -O2 -flto
builds gcc c -m32

done_testing
