#!/bin/sh
# lists.t -- lists of places by line, function, source file and object; of some stacks only; with
# lifetimes.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint
need_libdw
cat >one.c <<'END'
#include <stdlib.h>
void *two(void);
void *volatile kept[8];
__attribute__((noinline)) static void fill(void)
{
	kept[0] = malloc(1000);
	kept[1] = malloc(3000);
}
int main(void)
{
	fill();
	kept[2] = two();
	free(kept[2]);
	return 0;
}
END
cat >two.c <<'END'
#include <stdlib.h>
void *two(void)
{
	void *volatile p = malloc(2000);
	return p;
}
END
compile "${CC:-cc}" -O1 -g -fno-builtin one.c two.c -o prog
memusage -q --record=r.mur ./prog

# figures OPTION...: "BYTES BLOCKS PLACE" of the first list, in bytes as they are printed
figures() {
	memusageprint "$@" r.mur | sed -n '/allocated by$/,/^$/p' |
		sed -n 's/^ *\([0-9.]* [KM]*i*B\) *[0-9.]*% *\([0-9]*\)  /\1, \2, /p'
}
is "$(figures --top --group=line)" '2.93 KiB, 1, fill (one.c:7)
1.95 KiB, 1, two (two.c:4)
1000 B, 1, fill (one.c:6)' 'by line'
is "$(figures --top)" '3.91 KiB, 2, fill
2.93 KiB, 1,   one.c:7
1000 B, 1,   one.c:6
1.95 KiB, 1, two (two.c:4)' 'by function, with the lines of each'
is "$(figures --top --group=function)" "$(figures --top)" '... which is the default'
is "$(figures --top --group=file | sed 's|, [^,]*/|, |')" '3.91 KiB, 2, one.c
1.95 KiB, 1, two.c' 'by source file'
is "$(figures --top --group=object | sed 's|, [^,]*/|, |')" '5.86 KiB, 3, prog' 'by object'
is "$(figures --leaks)" '3.91 KiB, 2, fill
2.93 KiB, 1,   one.c:7
1000 B, 1,   one.c:6' 'of what is left'
# A program that leaks blocks of 0 bytes, of one place beside others.
cat >empty.c <<'END'
#include <stdlib.h>
static void *volatile kept;
__attribute__((noinline)) static void get(size_t size)
{
	kept = malloc(size);
	__asm__ volatile("");
}
__attribute__((noinline)) static void get_nothing(void)
{
	kept = malloc(0);
	__asm__ volatile("");
}
int main(int argc, char **argv)
{
	for (int i = 0; argc > 1 && i < 10; i++)
		get(100);
	for (int i = 0; argc > 1 && i < 900; i++)
		get(0);
	for (int i = 0; i < 500; i++)
		get_nothing();
	return 0;
}
END
compile "${CC:-cc}" -O1 -g -fno-builtin empty.c -o empty
memusage -q --record=some.mur ./empty some
memusage -q --record=none.mur ./empty
run memusageprint --leaks none.mur
like "$out" '^get_nothing \(empty.c:10\) allocated 100.0% of the 500 blocks of 0 B live at the end' \
	'blocks of 0 bytes are a leak'
mv r.mur kept.mur
mv some.mur r.mur
is "$(figures --leaks | sed '/  empty.c/d')" '1000 B, 910, get (empty.c:5)
0 B, 500, get_nothing (empty.c:10)' '... and count among those of a place that has others'
mv kept.mur r.mur

is "$(figures --top --grep=two)" '1.95 KiB, 1, two (two.c:4)' 'stacks with a function'
is "$(figures --top --group=line --grep=one.c | wc -l)" 3 'stacks with a file: main is on all'
run memusageprint --top --grep=nowhere r.mur
like "$out" '^nothing matches --grep=nowhere: of 3 call stacks, none has it' 'none with a text that is nowhere'
run memusageprint --tree --grep=two r.mur
like "$out" 'two' 'a tree of some stacks'
unlike "$out" 'fill' '... has no others'
run memusageprint --top --group=line --lifetimes r.mur
is "$(printf '%s\n' "$out" | grep -c 'lived .* on average')" 3 'each place has its lifetime'
memusage -q --group=object --top ./prog 2>object
like "$(cat object)" '^/.*/prog allocated 100.0%' 'memusage --group'
memusage -q --grep=two --top ./prog 2>some
like "$(cat some)" '^two \(two.c:4\) allocated 100.0% of the 1.95 KiB' 'memusage --grep'
run memusageprint --top --group=colour r.mur
is "$status" 2 'a group that is none is refused'
# ---- what makes the names better ---------------------------------------------------------------
unlike "$(memusageprint --top r.mur)" 'Names are missing' 'a program with names gets no advice'
if command -v strip >/dev/null; then
	strip -o bare prog
	memusage -q --record=bare.mur ./bare
	like "$(memusageprint --top bare.mur)" 'Names are missing: bare was stripped' \
		'a stripped program: how to get its names'
	like "$(memusageprint --tree bare.mur)" 'Names are missing: bare was stripped' '... so does a tree'
	memusageprint --tree bare.mur >tree
	like "$(cat tree)" ': [0-9.]*% by 0x[0-9a-f]* in bare$' \
		'... which are not taken for one function in a tree'
	unlike "$(cat tree)" 'recursive' '... that calls itself'
	unlike "$(memusageprint --top --group=object bare.mur)" 'Names are missing' \
		'... which objects do not need'
	unlike "$(memusageprint --top --grep=nothing bare.mur)" 'Names are missing' '... nor an empty list'
else
	skip 'no strip here' 6
fi
# shown OPTION: how many places memusage lists
shown() { memusage -q -o report --group=line "$1" ./prog && grep -c -e ' fill (one.c:' -e ' two (two.c:' report; }
num "$(shown --leaks=1)" -lt "$(shown --leaks)" 'memusage: --leaks takes a number of places'
run memusage --leaks=0 ./prog
is "$status" 125 '... 0 is none'
like "$err" "^memusage: --leaks: '0' must be a whole number from 1 to 1000000" '... which is said'
cp prog python3.11
memusage -q -o python --top ./python3.11
like "$(cat python)" 'PYTHONMALLOC=malloc' 'functions of Python itself: how to see the script'
unlike "$(memusageprint --top r.mur)" 'PYTHON' '... of no other program'
done_testing
