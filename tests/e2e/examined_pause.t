#!/bin/sh
# examined_pause.t -- with --snapshot=stop the time for which a process is said to have stood still has
# all the reading of its memory.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint
need mkfifo
need_tracing

cat >many.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static void *volatile *all;
int main(void)
{
	all = malloc(400000 * sizeof(*all));
	for (int i = 0; i < 400000; i++)
		all[i] = calloc(1, 96);
	puts("ready");
	fflush(stdout);
	getchar();
	return 0;
}
END
compile "${CC:-cc}" -O1 -o many many.c
mkfifo input
memusage -q -o whole --top ./many <input >output 2>errors &
launcher=$!
exec 3>input
until_true grep -q ready output
memusage --snapshot=stop -v --pid=$launcher leak_check summary >log 2>&1
pause=$(awk '/stood still for/ {
	print int($(NF - 1) * ($NF == "s" ? 1000 : $NF == "ms" ? 1 : 0)) }' log)
num "$pause" -ge 10 "400,000 blocks are not read in less: the leak check says $pause ms"
exec 3>&-
wait "$launcher"
is $? 0 'the program is unharmed'
done_testing
