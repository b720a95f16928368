#!/bin/sh
# lists.t -- lists of places by line, function, source file and object; of some stacks only; with
# lifetimes.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint
[ "${LIBDW:-yes}" = yes ] || skip_all 'lines need libdw'
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
is "$(figures --top)" '2.93 KiB, 1, fill (one.c:7)
1.95 KiB, 1, two (two.c:4)
1000 B, 1, fill (one.c:6)' 'by line'
is "$(figures --top --group=function)" '3.91 KiB, 2, fill
1.95 KiB, 1, two' 'by function'
is "$(figures --top --group=file | sed 's|, [^,]*/|, |')" '3.91 KiB, 2, one.c
1.95 KiB, 1, two.c' 'by source file'
is "$(figures --top --group=object | sed 's|, [^,]*/|, |')" '5.86 KiB, 3, prog' 'by object'
is "$(figures --leaks --group=function)" '3.91 KiB, 2, fill' 'of what is left'
is "$(figures --top --grep=two)" '1.95 KiB, 1, two (two.c:4)' 'stacks with a function'
is "$(figures --top --grep=one.c | wc -l)" 3 'stacks with a file: main is on all'
run memusageprint --top --grep=nowhere r.mur
like "$out" 'nothing was live' 'none with a text that is nowhere'
run memusageprint --tree --grep=two r.mur
like "$out" 'two' 'a tree of some stacks'
unlike "$out" 'fill' '... has no others'
run memusageprint --top --lifetimes r.mur
is "$(printf '%s\n' "$out" | grep -c 'lived .* on average')" 3 'each place has its lifetime'
run memusageprint --top --group=colour r.mur
is "$status" 2 'a group that is none is refused'
done_testing
