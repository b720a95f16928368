#!/bin/sh
# aarch64.t -- the suite builds for aarch64, and its recorder counts there, in an emulator.
#
# A script between them makes qemu run the program: the kernel cannot.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
CROSS=aarch64-linux-gnu-gcc
need $CROSS qemu-aarch64 make
[ -e /usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1 ] || skip_all 'no C library for aarch64 here'

# Neither is linked with zlib, which need not be there for aarch64.
make -s -C "$MU_SRC" -j2 CC=$CROSS CXX= B="$PWD/built" LIBGD=no LIBDW=no HTML=no SAN= \
	"$PWD/built/bin/memusage" "$PWD/built/lib/memusage/libmemusage.so" >log 2>&1
is $? 0 'it builds' || diag "$(tail -n 5 log)"
cat >guest <<'END'
#!/bin/sh
exec qemu-aarch64 -L /usr/aarch64-linux-gnu "$@"
END
chmod +x guest

# profiled PROGRAM ARGUMENT...: the program's own output and the report must agree.
profiled() {
	compiled $CROSS -D_GNU_SOURCE -w -O0 -fno-builtin -pthread -I"$MU_SRC" -o "$1" \
		"$MU_SRC/tests/workloads/$1.c" -ldl || return
	./guest ./built/bin/memusage -o report ./guest "./$1" "$2" >truths 2>/dev/null
	is $? 0 "$*: it runs"
	for row in malloc calloc realloc free; do
		sed -n "s/^truth $row calls=\\([0-9]*\\) bytes=\\([0-9]*\\).*/\\1 \\2/p" truths >want
		[ -s want ] || continue
		tr '|' ' ' <report | awk -v row="$row" '$1 == row { print $2, $3 }' >got
		is "$(cat got)" "$(cat want)" "$*: $row"
	done
	want=$(sed -n 's/^truth heap total=\([0-9]*\) peak=\([0-9]*\)$/\1 \2/p' truths)
	[ -z "$want" ] || is "$(sed -n \
		's/^Memory.*heap total: \([0-9]*\), heap peak: \([0-9]*\),.*/\1 \2/p' report)" \
		"$want" "$*: heap"
}
profiled family plain
profiled threads churn
profiled threads crowd
profiled forks fork

./guest ./built/bin/memusage -q --record=run.mur ./guest ./family plain >out 2>/dev/null
need_bin memusageprint
like "$(memusageprint --summary run.mur 2>&1)" 'heap total: 1500' 'a recording made there is read here'
like "$(memusageprint --top run.mur 2>&1)" 'unknown' '... its call stacks are not known'
done_testing
