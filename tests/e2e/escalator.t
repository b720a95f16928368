#!/bin/sh
# escalator.t -- a process of a user that executes a program with the setuid bit while root's collector
# examines it gains nothing: its code is not run there, and nothing is told of its memory.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage
need_tracing
need_machine x86_64 'copies of a process are made on x86-64 only'
PATH=$WORKLOADS:$PATH
[ "$(id -u)" = 0 ] || skip_all 'only root can take the rights of another user'
chmod 755 .
# Where the setuid bit has no effect: of this mount, or of this process.
if findmnt -n -o OPTIONS -T . | grep -qw nosuid || grep -q '^NoNewPrivs:[[:space:]]*1' /proc/self/status; then
	skip_all 'the setuid bit has no effect in this folder (nosuid)'
fi
cp "$WORKLOADS/escalator" victim && chmod 4755 victim

run memusage -q --holders --snapshot-when='heap>20M' --snapshot-file=snapshot.%p \
	escalator copy 64123 ./victim
is "$out" 'left alone, user 0' 'the call by which the copy is reaped: the program is left alone'
is "$status" 0 '... and ends as alone'
run memusage -q -o report --leak-check=full escalator trace 64123 ./victim
is "$(printf '%s\n' "$out" | sort)" "$(printf '%s\n' 'left alone, user 0' refused)" \
	'a program that takes the place of a traced process: no check is made'
is "$status" 0 '... and it ends as alone'
done_testing
