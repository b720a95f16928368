#!/bin/sh
# undumpable.t -- a process whose memory only root may read runs and is recorded as any other. Who may
# not examine it is told why; root examines it at its end.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint
need_tracing
PATH=$WORKLOADS:$PATH

# as_user COMMAND...: as one without root's rights
as_user() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=64123 --regid=64123 --clear-groups --inh-caps=-all \
			env -u XDG_RUNTIME_DIR TMPDIR="$PWD" "$@"
	else
		"$@"
	fi
}

if [ "$(id -u)" = 0 ]; then
	run memusage --leak-check=full undumpable
	is "$status,$out" '7,not dumpable' 'root: the program runs as alone'
	like "$err" 'definitely lost: 1,000 bytes' '... and is examined at its end'
	need setpriv
	as_user test -x "$(command -v memusage)" || skip_all 'another user cannot reach this build'
fi
mkdir -m 777 user
cd user || exit
for option in --leak-check=full --fragmentation --holders; do
	run as_user memusage -o report $option undumpable
	is "$status,$out" '7,not dumpable' "$option: the program runs as alone"
	like "$(cat report)" 'undumpable: .* calls: [1-9]' '... and is recorded to its end'
	like "$err" 'the kernel does not let us stop it .* it has changed its user, is not dumpable' \
		'... and memusage says why it was not examined'
	like "$err" 'when it ended. memusage has said why' '... and the report leads there'
done
mkfifo input
as_user memusage -o report --record=r.mur undumpable wait <input >output &
exec 5>input
until_true grep -q dumpable output
pid=$(pids undumpable "$(pids memusage "$!")")
run as_user memusage --pid="$pid" leak_check
is "$status" 125 'a check while it runs is refused'
like "$err" 'it has changed its user, is not dumpable' '... with the reason'
like "$err" 'in a run that root starts, root can ask' '... and with what to do'
run as_user memusage --pid="$pid" status
is "$status" 0 'what needs no right is answered'
exec 5>&-
wait $!
is "$?" 7 'the program ends as alone'
done_testing
