#!/bin/sh
# modules.t -- what a recording says of objects is what the kernel had mapped: paths of any form,
# addresses, links; and names are taken from the file that ran, or it is said that they are not.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint
need perl
perl -MJSON::PP -e 1 2>/dev/null || skip_all 'no JSON::PP here'
PATH=$WORKLOADS:$PATH

mkdir 'a dir' 'two
lines' elsewhere
for name in 'a dir/lib one.so' 'two
lines/lib.so' gone.so swapped.so 'back\slash (deleted)' plain.so; do
	cp "$WORKLOADS/libplain.so" "$name"
done
ln -s plain.so link.so
cp "$WORKLOADS/libearly.so" other.so
memusage -q --record=run.mur --massif --detailed-freq=1 --massif-out-file=out objects maps \
	'./a dir/lib one.so' './two
lines/lib.so' rm:./gone.so swap:./swapped.so:other.so './back\slash (deleted)' ./link.so \
	memfd:plain.so >out.err 2>&1
is $? 0 'it runs'

cd elsewhere || exit 1
run memusageprint --to=json -o ../run.json ../run.mur
cd ..
modules='10 modules'
# Before glibc 2.34 dlopen is in one of its own.
! readelf -d "$WORKLOADS/objects" | grep -q 'libdl\.so' || modules='11 modules'
is "$(perl "$MU_SRC/tests/lib/objects.pl" run.json maps)" "$modules" 'all are where the kernel had them'
# Lines of a file whose names are not those of the library that ran would be worse than none.
like "$err" 'swapped.so: no names: the file has changed since: its build-id differs' \
	'a file that was replaced is not read'
like "$err" 'gone.so: no names: the file is not there' 'of a file that was removed it is said'
like "$err" 'memfd:a copy .deleted.: no names' '... and of one that never was'
is "$(printf '%s\n' "$err" | grep -c 'no names')" 3 '... and of no other'
memusageprint --to=folded run.mur 2>/dev/null >folded
is "$(grep -c ';own_give ' folded)" 4 'the four others have theirs'

# A name that is odd breaks no line of any format.
strip 'two
lines/lib.so' 2>/dev/null
memusage -q --record=strip.mur --massif --detailed-freq=1 --massif-out-file=out objects maps './two
lines/lib.so' 2>/dev/null
ok 'a file name of two lines breaks no massif.out' memusageprint out
ok '... no list' memusageprint --top strip.mur
memusageprint --to=folded strip.mur 2>/dev/null >folded
is "$(grep -cv ' [0-9][0-9]*$' folded)" 0 '... no folded stacks'

# ---- without a build-id nothing tells but time

cat >late.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void *named_so(int n) { return malloc(n); }
int main(int argc, char **argv)
{
	void *p = named_so(777);

	/* The clock of files may be behind by 10 ms. */
	if (argc > 2 && usleep(50000) == 0)
		rename(argv[1], argv[2]);
	return !p;
}
END
if compile "${CC:-cc}" -w -O0 -g -Wl,--build-id=none -o late late.c; then
	run memusage --top ./late
	like "$err" 'named_so' 'a program without a build-id has names'
	unlike "$err" 'may be wrong' '... without a word'
	sed 's/named_so/another/; s/777/778/' late.c >other.c
	compile "${CC:-cc}" -w -O0 -g -Wl,--build-id=none -o other other.c
	cp late runs
	run memusage --top ./runs other runs
	like "$err" 'runs: names may be wrong: the file was changed since, and has no build-id' \
		'if its file is changed meanwhile, that is said'
fi

# What is remembered of a library is given up with it: each turn used to cost 9 KiB.
run memusage --temporary reopen "$WORKLOADS/libplain.so"
is "$status" 0 'a library is opened 2,100 times'
is "$out" 'no larger than before' '... and the recorder does not grow by that'
like "$err" "own_work" '... and knows its function'

done_testing
