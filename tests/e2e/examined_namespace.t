#!/bin/sh
# examined_namespace.t -- a process in another PID namespace, where it has the number 1, is examined as
# any other, by its number outside.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/leaks.sh"
need_bin memusage memusageprint leaks
need mkfifo unshare
need_tracing
PATH=$WORKLOADS:$PATH
enter='-Urpf'
unshare $enter true 2>/dev/null || enter=-pf
unshare $enter true 2>/dev/null || skip_all 'no PID namespaces here'

mkfifo input
memusage -q --record=run.mur --leak-check=full unshare $enter leaks lost_list wait <input >output \
	2>errors &
launcher=$!
exec 3>input
until_true grep -q ready output
program=$(pids leaks "$(pids unshare "$launcher")")
is "$(awk '$1 == "NSpid:" { print $NF }' "/proc/$program/status")" 1 'the process has another number'
run memusage --pid="$program" leak_check full
is "$status" 0 'leak_check' || diag "$err"
printf '%s\n' "$out" >log
is "$(leak_sums log)" '40/1 1160/29 0/0 0/0' '... finds what is lost'
run memusage --pid="$program" holders
like "$out" '^100\.0% of the live heap .* held by nothing: they are lost$' 'holders'
run memusage --pid="$program" pages
like "$out" 'resident memory' 'pages'
exec 3>&-
wait "$launcher"
is $? 0 'the process ends as alone'
run memusageprint --leak-check=full --pid="$program" run.mur
like "$out" 'definitely lost: 40 bytes in 1 blocks' '... and was examined at its end' || diag "$err"
done_testing
