#!/bin/sh
# examined.t -- a process does not notice that it is examined, nor that its examiner is killed at any
# moment; and a check says why it cannot be made.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/leaks.sh"
. "$MU_SRC/tests/lib/examined.sh"
need_bin memusage memusageprint examined leaks
need mkfifo
need_tracing
PATH=$WORKLOADS:$PATH

# all_run: no thread of it is stopped
all_run() { ! cat "/proc/$program/task"/*/status | grep -q '^State:[[:space:]]*[tT]'; }

begin_examined examined
memusage --pid="$program" leak_check summary >first.log 2>&1
like "$(cat first.log)" 'still reachable: [0-9,]+ .* bytes in [0-9,]+ .* blocks$' 'a process at work'
lost=0
for i in $(seq "$(attempts 12 40)"); do
	memusage --pid="$program" leak_check summary >log 2>&1
	[ "$(leak_sums log | cut -d' ' -f1-2)" = '0/0 0/0' ] || lost=$((lost + 1))
	memusage --snapshot=stop --pid="$program" leak_check summary >log 2>&1
	[ "$(leak_sums log | cut -d' ' -f1-2)" = '0/0 0/0' ] || lost=$((lost + 1))
done
is "$lost" 0 'no block of threads that pass pointers on seems lost'
end_examined
is "$ended" 0 'the process ends as alone'
is "$(tail -1 output)" 'interrupted=0 wrong=0 children=0 signals=0' '... and has noticed nothing'
is "$(cat errors)" '' '... nor said so'

begin_examined examined
killed=0
# A client whose predecessor was killed just now may be told that it is busy, and end at once.
for i in $(seq 1 200); do
	[ "$killed" -le 40 ] || break
	memusage --pid="$program" leak_check summary >/dev/null 2>&1 &
	client=$!
	sleep "0.00$((i * 37 % 10))"
	for examiner in $(pids memusage "$client") "$client"; do
		kill -9 "$examiner" 2>/dev/null && killed=$((killed + 1))
	done
	wait "$client" 2>/dev/null
done
num "$killed" -gt 20 "clients and examiners were killed: $killed"
ok '... nothing traces the process' until_true grep -q '^TracerPid:[[:space:]]*0$' \
	"/proc/$program/status"
ok '... none of its threads is stopped' until_true all_run
ok '... it can be examined again' memusage --pid="$program" leak_check summary
end_examined
is "$ended" 0 '... it ends as alone'
# A call that has been ended in the moment of the kill is not made again.
like "$(tail -1 output)" '^interrupted=[0-9]+ wrong=0 children=0 signals=0$' '... and is unharmed'

begin_examined leaks lost_list wait
program=$(pids leaks "$launcher" | head -1)
memusage --pid="$program" leak_check full >log
is "$(leak_sums log)" '40/1 1160/29 0/0 0/0' 'a process that waits'
is "$(pids leaks "$program" | wc -l)" 0 '... has no copy afterwards'
# The kernel counts the page faults of children that a process has waited for: the copies of it.
faults_of_copies() { sed 's/.*) //' "/proc/$program/stat" | cut -d ' ' -f 9; }
proc_read_only() { unshare -m sh -c 'mount -o remount,bind,ro /proc && exec "$@"' sh "$@"; }
if proc_read_only true 2>/dev/null; then
	before=$(faults_of_copies)
	run proc_read_only memusage --pid="$program" leak_check summary
	is "$status" 0 'a client whose /proc is read-only'
	num "$(faults_of_copies)" -gt "$before" '... has a copy made, too'
else
	skip '/proc cannot be mounted read-only here' 2
fi
memusage --pid="$program" leak_check any kinds indirect >log
like "$(cat log)" '1,160 bytes in 29 blocks are indirectly lost in loss record 1 of 2$' \
	'... the kinds that are asked for'
run memusage --pid="$program" leak_check everything
is "$status" 125 'an unknown word'
like "$err" 'leak_check: unknown word everything' '... is named'
cat >trace.c <<'EOF'
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <unistd.h>

/* trace PID NAME: traces the process under that name until its input ends */
int main(int argc, char **argv)
{
	char byte;

	prctl(PR_SET_NAME, argv[2]);
	if (ptrace(PTRACE_SEIZE, atoi(argv[1]), 0, 0) < 0 || write(STDOUT_FILENO, "traces\n", 7) != 7)
		return 1;
	return (int)read(STDIN_FILENO, &byte, 1);
}
EOF
if compiled "${CC:-cc}" -w -o trace trace.c; then
	for name in tracer memusage; do
		rm -f hold traced
		mkfifo hold
		./trace "$program" $name <hold >traced &
		tracer=$!
		exec 8>hold
		until_true grep -q traces traced
		run memusage --pid="$program" leak_check
		is "$status" 125 "what $name traces is not examined"
		case $name in
		tracer) like "$err" "process $tracer traces it already \(a debugger" '... and it is named' ;;
		*) like "$err" 'memusage examines it already, .*: ask again$' '... and not called a debugger' ;;
		esac
		exec 8>&-
		wait $tracer
	done
fi
run memusage --pid="$program" leak_check kinds some
like "$err" 'leak_check kinds some: it is none of all' '... and an unknown kind'
end_examined

rm -f input output errors
mkfifo input
memusage -q leaks lost_list wait <input >output 2>errors &
launcher=$!
exec 3>input
until_true grep -q ready output
run memusage --pid="$(pids leaks "$launcher" | head -1)" leak_check
is "$status" 125 'without call stacks'
like "$err" 'no call stacks are recorded: start it with --leak-check' '... it says how to get them'
end_examined
done_testing
