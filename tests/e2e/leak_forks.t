#!/bin/sh
# leak_forks.t -- with --leak-check-forks=yes forked children are examined at their end, however they
# end, and the program and they run as alone.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/leaks.sh"
need_bin memusage memusageprint leak_forks
need_tracing
PATH=$WORKLOADS:$PATH

# lost FILE...: what is definitely lost in each report, ascending
lost() {
	tr -d ',' <"$1" | sed -n 's/.*definitely lost: \([0-9]*\) bytes in \([0-9]*\) blocks$/\1\/\2/p' |
		sort -n | paste -sd' '
}
leak_forks >alone.out
memusage --leak-check=full --leak-check-forks=yes --children=none -o mu.log --record=run.mur \
	leak_forks >mu.out 2>mu.err
same mu.out alone.out 'parent and children end as alone'
# The parent's block is lost in each of them. The child that is killed says nothing, nor does the one
# that has allocated nothing.
is "$(lost mu.log)" '1000/1 1033/4 1150/6 1200/21 1233/24' 'each has a report'
is "$(sed -n 's/^==\([0-9]*\)== LEAK SUMMARY.*/\1/p' mu.log | sort -u | grep -c .)" 5 \
	'... with its own process ID'
is "$(grep -c 'no leak check was made, because it was killed by SIGKILL$' mu.err)" 1 \
	'the one that is killed is named'
memusage --leak-check=full --children=none -o mu.log leak_forks >mu.out
is "$(lost mu.log)" '1000/1' 'without the option the program has one'
memusageprint --leak-check run.mur >one.log
memusageprint --leak-check --leak-check-forks run.mur >all.log
is "$(lost one.log)" '1000/1' 'memusageprint prints one'
is "$(lost all.log)" '1000/1 1033/4 1150/6 1200/21 1233/24' '... or all of a recording'
run memusage --leak-check=full --leak-check-forks=yes -o mu.log --error-exitcode=9 leak_forks
is "$status" 9 'errors of all count'
memusage -q --xtree-leak=yes --leak-check-forks=yes --xtree-leak-file=tree leak_forks >mu.out
is "$(sed -n 's/^totals: //p' tree* | cut -d' ' -f4 | sort -n | paste -sd' ')" \
	'1000 1033 1150 1200 1233' '--xtree-leak writes a file for each'

run memusage --leak-check=summary --leak-check-forks=yes --children=none -o mu.log leak_forks 60
is "$out" '60 ended' '60 children that end at once end as alone'
is "$(lost mu.log | tr ' ' '\n' | grep -c 1100/2)" 60 '... and are all examined'
run timeout 120 memusage --leak-check=summary --leak-check-forks=yes --children=none -o mu.log \
	leak_forks 10 ask
is "$out" '10 ended' 'a thread of the parent asks for checks meanwhile'
is "$(lost mu.log | tr ' ' '\n' | grep -c 1200/21)" 10 '... which keeps no child from its own'

if ! command -v valgrind >/dev/null || ! is_at_least "$(valgrind --version)" 3.19; then
	skip 'a comparison with Memcheck: no Valgrind 3.19 is installed' 1
	done_testing
	exit
fi
valgrind --leak-check=full --run-libc-freeres=no --log-file=vg.%p leak_forks >/dev/null
cat vg.* >vg.log
is "$(lost all.log)" "$(lost vg.log | sed 's,^1000/1 ,,; s, 1490/8,,')" \
	'Memcheck finds the same, and also reports on those two'
done_testing
