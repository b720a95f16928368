#!/bin/sh
# attach_family.t -- children that a process forks while memusage has attached to it are recorded, and
# left like it, also those that live longer; a program that it executes is not recorded, which is said.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/attach.sh"
need_bin memusage memusageprint attached_family
need mkfifo
need_attach
PATH=$WORKLOADS:$PATH

# tell WORD ANSWER: waits until the program's last line begins with ANSWER
says() { tail -n 1 output | grep -q "^$1"; }
tell() {
	echo "$1" >&3
	until_true says "$2" || bail "$1: $(cat output errors)"
}
begin() {
	rm -f orders
	mkfifo orders
	exec 9<>orders
	begin_stranger attached_family
}
child_of() { sed -n 's/^child \([0-9][0-9][0-9]*\)$/\1/p' output | tail -n 1; }
is_clean() { kill -0 "$1" && ! grep -q memfd:memusage "/proc/$1/maps"; }
has_ended() { ! kill -0 "$1" 2>/dev/null; }

# ---- a child that lives longer than the recording ------------------------------------------------

begin
tell keep kept
attach "$program" -o report --record=run.mur --children=lines
tell keep kept
tell fork 'child [1-9]'
child=$(child_of)
ok 'a forked child is recorded' grep -q memfd:memusage "/proc/$child/maps"
tell spawn 'child 0'
detach
is "$status" 0 'the process and its child are left'
ok '... the process' is_clean "$program"
ok '... and the child' is_clean "$child"
like "$(cat report)" "^memusage: process $child attached_family \\(since its fork\\): heap total: 5000, .*calls: 5," \
	"the child's blocks are its own"
like "$(cat report)" ' \(.*\): heap total: 150, .*calls: 3, ' \
	'... as are those of one that executed another program'
like "$(cat report)" 'heap total: 700,.*|heap total: [0-9]+, ' "the program's are in the summary"
printf f >&9
tell finish 'child 7'
pass 'the child goes on as alone'
end_stranger
is "$ended" 0 '... and so does the process'

# ---- ... and longer than the process -----------------------------------------------------------------

begin
attach "$program" -o report --record=run.mur --children=lines
tell fork 'child [1-9]'
child=$(child_of)
end_stranger
is "$ended" 0 'a process that ends before its child'
status=0
wait "$attacher" || status=$?
is "$status" 0 '... ends the recording'
ok '... and its child is left, too' is_clean "$child"
like "$(cat report)" "^memusage: process $child .*heap total: 5000, .*calls: 5," '... with what it had'
printf f >&9
ok '... and ends' until_true has_ended "$child"
unlike "$(cat attach.err)" 'cannot' '... without a complaint'

# ---- another program -----------------------------------------------------------------------------------

begin
attach "$program" -o report --record=run.mur
tell keep kept
tell execute ready
is "$(grep -c ready output)" 2 'a process that executes another program'
status=0
wait "$attacher" || status=$?
is "$status" 0 '... ends the recording'
like "$(cat attach.err)" "process $program executes another program now, which is not recorded" \
	'... which is said'
ok '... without a trace' is_clean "$program"
like "$(cat report)" '^ *malloc\| +7 +700 ' '... there is a report until then'
attach "$program" -o report
tell keep kept
detach
is "$status" 0 'the other program can be attached to'
end_stranger
is "$ended" 0 '... and ends as alone'
done_testing
