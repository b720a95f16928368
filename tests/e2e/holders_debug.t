#!/bin/sh
# holders_debug.t -- the variables of a stripped program have names if its debug file is in one of the
# usual places, in --holders and in who_points_at; a debug file of another build counts for nothing.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/steps.sh"
need_bin memusage memusageprint
need_tracing
need mkfifo objcopy strip

cat >hold.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char *hidden_cache;
static __thread char *hidden_own;
char *volatile seen;

int main(void)
{
	char byte;

	seen = hidden_cache = malloc(5000);
	seen = hidden_own = malloc(600);
	seen = NULL;
	dprintf(STDOUT_FILENO, "%p\nready\n", (void *)hidden_cache);
	read(STDIN_FILENO, &byte, 1);
	hidden_cache[0] = hidden_own[0] = 0;
	return (seen = hidden_cache) == (seen = hidden_own);
}
EOF
# separate NAME: its debug information goes to .debug/NAME.debug
separate() {
	mkdir -p .debug
	objcopy --only-keep-debug "$1" ".debug/$1.debug" &&
		strip "$1" && objcopy --add-gnu-debuglink=".debug/$1.debug" "$1"
}
compile "${CC:-cc}" -g -O1 -w -Wl,--build-id -o hold hold.c
ok 'its debug information is apart' separate hold
# examine: what holds the blocks of ./hold, in text, and what points at the first one, in pointers
examine() {
	begin_steps memusage -q --top -o whole ./hold
	program=$(pids hold "$launcher" | head -1)
	await_input
	memusage --pid="$program" --threshold=0 holders >text 2>&1
	memusage --pid="$program" holders --threshold=0 >late 2>&1
	memusage --pid="$program" who_points_at "$(head -1 output)" >pointers 2>&1
	end_steps
}
examine
like "$(cat text)" ' 4\.88 KiB .* hidden_cache in hold$' 'a variable has the name of the debug file'
like "$(cat text)" ' 600 B .* hidden_own in hold, thread-local of the main thread$' '... also a thread-local one'
like "$(cat pointers)" 'hidden_cache' 'who_points_at names it'
said="memusage: holders: options come before it: memusage --pid=$program --threshold=0 holders"
is "$(cat late)" "$said; a file of this name is ./--threshold=0" \
	'an option behind the command is no file'
ok '... and makes none' test ! -e ./--threshold=0

sed 's/static char \*hidden_cache;/static char *hidden_cache, *more[3];/; s/seen = NULL/more[1] = NULL/' \
	hold.c >other.c
compile "${CC:-cc}" -g -O1 -w -Wl,--build-id -o other other.c
objcopy --only-keep-debug other .debug/hold.debug
examine
like "$(cat text)" ' 4\.88 KiB .* variables without a name in hold$' 'that of another build is not taken'
unlike "$(cat pointers)" 'hidden_cache' '... nor here'
rm .debug/hold.debug
examine
like "$(cat text)" ' 4\.88 KiB .* variables without a name in hold$' '... nor one that is missing'
done_testing
