#!/bin/sh
# live_denied.t -- a client that the kernel does not let trace a process, as under Yama, has it examined
# by its collector: the answers are those that another client gets.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/leaks.sh"
. "$MU_SRC/tests/lib/steps.sh"
need_bin memusage memusageprint leak_hidden
need mkfifo jq perl
need_tracing
PATH=$WORKLOADS:$PATH
without ptrace true
[ "$?" != 77 ] || skip_all 'the kernel takes no filter of system calls'

# ---- who may trace ------------------------------------------------------------------------------

# named OPTIONS... -- COMMAND...: processes that name a tracer, and tracers that are named
named() { named_tracers memusage -q -o named "$@" | awk '
	$2 == "names" { by[$1] = to[$3] = 1 }
	END { printf "%d %d\n", length(by), length(to) }'; }
named_tracers true
if [ "$?" = 77 ]; then
	skip 'the kernel does not show system calls to a tracer' 3
else
	is "$(named --record=named.mur forks fork 3)" '4 1' \
		'a program and its children name the collector as their tracer'
	is "$(named forks fork 3)" '0 0' '... but not without call stacks'
	if unshare -pf true 2>/dev/null; then
		is "$(named --record=named.mur unshare -pf forks fork 3)" '1 1' \
			'... nor where that has no number'
	else
		skip 'no PID namespaces for this user' 1
	fi
fi

# ---- answers ------------------------------------------------------------------------------------

# begin OPTIONS: run it recorded
begin() {
	begin_steps memusage -q -o whole --record=run.mur "$@" leak_hidden
	program=$(pids leak_hidden "$launcher" | head -1)
	await_input
}
# ask COMMAND...: as any client; denied COMMAND...: as one that cannot trace
ask() { run memusage --pid="$program" "$@"; }
denied() { run without ptrace memusage --pid="$program" "$@"; }
# alike WHAT COMMAND...: both get the same, but for the times
alike() {
	what=$1
	shift
	ask "$@"
	expected=$status,$(echo "$out" | sed -E 's/[0-9.]+ m?s after/T after/')
	denied "$@"
	is "$status,$(echo "$out" | sed -E 's/[0-9.]+ m?s after/T after/')" "$expected" "$what"
	is "$err" '' '... without a message'
}

begin
run without ptrace may_trace "$program"
isnt "$status" 0 'the client cannot trace the process'
denied leak_check full any
is "$status" 0 'a leak check is made'
like "$out" 'definitely lost: 4,000 bytes in 225 blocks' '... with its sums'
alike 'another one tells the same' leak_check full any
alike 'so does a list of blocks' block_list 1
address=$(echo "$out" | sed -n 's/^==[0-9]*== \(0x[0-9A-F]*\)\[.*/\1/p' | head -1)
alike 'and a search for pointers' who_points_at "$address" 32
alike 'and a check without a copy' --snapshot=stop leak_check summary any
ask pages
alone=$(echo "$out" | grep 'live blocks, as')
denied pages
like "$alone" 'KiB' 'pages are looked at'
is "$(echo "$out" | grep 'live blocks, as' | sed 's/ *[0-9.]*%//')" \
	"$(echo "$alone" | sed 's/ *[0-9.]*%//')" '... with the same live blocks'
ask holders
denied holders
like "$out" '^ *800 B .* 25 x lose ' 'holders are found'
step
denied leak_check summary any
like "$out" 'earlier checks called lost: 4,000 bytes in 225 blocks' \
	'the next check knows what the ones before called lost'
denied record copy.mur
is "$(memusageprint --to=json copy.mur | jq -c '[(.leak_checks | length), (.holders | length)]')" \
	'[2,1]' 'the collector keeps the results'

# ---- a client that leaves -----------------------------------------------------------------------

for turn in 1 2 3 4 5 6 7 8 9 10 11 12; do
	without ptrace memusage --pid="$program" leak_check any >/dev/null 2>&1 &
	client=$!
	# shellcheck disable=SC2034
	for spin in $(seq $((turn * 40))); do :; done
	kill -KILL "$client" 2>/dev/null || :
	wait "$client" 2>/dev/null || :
done
# An examination whose client has gone may still be under way.
is_answered() { denied leak_check summary any && [ "$status" = 0 ]; }
ok 'clients that are killed leave room for others' until_true is_answered
like "$out" 'definitely lost: 2,560' '... which get the answer'

# ---- the program, and the end -------------------------------------------------------------------

step
denied leak_check summary any
end_steps
is "$?" 0 'the program is unharmed'
like "$(memusageprint --leak-check run.mur 2>/dev/null)" 'definitely lost: 800 bytes in 25 blocks' \
	'the recording of the run has the last check'

begin --leak-check=full
denied leak_check summary any
is "$status" 0 'a check of a run that is examined at its end'
step
step
end_steps
is "$(memusageprint --to=json run.mur | jq '.leak_checks | length')" 2 '... which is examined then, too'

# ---- a large process, and then many --------------------------------------------------------------

begin_steps memusage -q -o whole --record=large.mur perl -e '$| = 1; @a = map { [$_] } 1 .. 300000;
	print "ready\n"; sysread STDIN, $_, 1; $#a = 30000;
	for (1 .. 11) { last if !fork } @b = map { [$_] } 1 .. 100;
	print "ready\n"; sysread STDIN, $_, 1'
first=$(pids perl "$launcher")
is_stopped() { grep -q '^State:[[:space:]]*t' "/proc/$first/status"; }
runs() { ! is_stopped; }
without ptrace memusage --pid="$first" --snapshot=stop leak_check any >/dev/null 2>&1 &
client=$!
ok 'a check without a copy stops the process' until_true is_stopped
kill -KILL "$client"
wait "$client" 2>/dev/null || :
sleep 0.3
ok '... which runs on when the client has gone' runs
printf x >&3
ok 'the process forks' until_true has_taken 13
clients=
for i in $first $(pids perl "$first"); do
	without ptrace memusage --pid="$i" leak_check summary any >"of-$i" 2>&1 &
	clients="$clients $!"
done
# shellcheck disable=SC2086  # words
wait $clients
is "$(cat of-* | grep -c 'definitely lost')" 12 'more are answered than are examined at a time'
is "$(cat of-* | grep 'memusage:')" '' '... and none is refused'
end_steps
# ---- a process that has given up root's rights, as the workers of a server do

if [ "$(id -u)" = 0 ]; then
	cat >drops.c <<'END'
#include <grp.h>
#include <unistd.h>
__attribute__((constructor)) static void drop(void)
{
	if (setgroups(0, NULL) || setgid(64123) || setuid(64123))
		_exit(99);
}
END
	compile "${CC:-cc}" -w -D_GNU_SOURCE -shared -fPIC -o drops.so drops.c
	# shellcheck disable=SC2016 # for the inner shell
	begin_steps memusage -q -o whole --record=run.mur \
		sh -c 'LD_PRELOAD=$LD_PRELOAD:$0 exec leak_hidden' "$PWD/drops.so"
	until_true pids leak_hidden "$launcher" >/dev/null
	program=$(pids leak_hidden "$launcher" | head -1)
	await_input
	is "$(awk '$1 == "Uid:" { print $2 }' "/proc/$program/status")" 64123 'it has another user'
	isnt "$(stat -c %u "/proc/$program/maps")" 64123 '... which may not trace it'
	ask leak_check full any
	is "$status,$err" 0, "root has its collector make the check"
	like "$out" 'definitely lost: 4,000 bytes in 225 blocks' '... with its sums'
	ask pages
	like "$out" 'KiB .*live blocks, as' '... and pages'
	ask holders
	like "$out" '^ *800 B .* 25 x lose ' '... and holders'
	run setpriv --reuid=64123 --regid=64123 --clear-groups memusage --pid="$program" leak_check
	isnt "$status" 0 'the user gets no answer from it'
	end_steps
	is "$?" 0 'the program is unharmed'
else
	skip 'only root can give up its rights' 8
fi
done_testing
