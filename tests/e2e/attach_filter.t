#!/bin/sh
# attach_filter.t -- a process with a seccomp filter is attached to if the filter allows what the
# recorder does, and refused otherwise, with the name of the call.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/attach.sh"
need_bin memusage memusageprint confined live attached without
need mkfifo
need_attach
PATH=$WORKLOADS:$PATH

[ -r /proc/sys/kernel/seccomp/actions_avail ] || skip_all 'this kernel has no seccomp filters'

# shellcheck disable=SC2317 # is called by nok
has_recorder() { grep -q memfd:memusage "/proc/$program/maps"; }

begin_stranger confined all
if [ "$(id -u)" != 0 ]; then
	run memusage --attach="$program"
	is "$status" 125 'a process with a filter'
	like "$err" 'only root can read the filter' '... is refused to users'
	end_stranger
	is "$ended" 5 '... and not harmed'
	done_testing
	exit 0
fi
ok 'a filter that allows enough' attach "$program" --record=run.mur
printf ab >&3
all_there() {
	memusage -q --pid="$program" record now.mur >/dev/null 2>&1 &&
		memusageprint --to=json now.mur | grep -q '"malloc":{"calls":2000,"bytes":1000000,'
}
ok '... lets all be recorded' until_true all_there
detach
is "$status" 0 '... and the recorder be taken away'
nok '... which is gone' has_recorder
end_stranger
is "$ended" 5 'the process has not noticed'

for what in madvise thread; do
	begin_stranger confined "$what"
	run memusage --attach="$program"
	is "$status" 125 "a filter without madvise ($what)"
	like "$err" 'does not allow madvise' '... is refused by name'
	nok '... and nothing is changed' has_recorder
	[ "$what" = thread ] || end_stranger
	[ "$what" = thread ] || is "$ended" 5 '... nor noticed'
done
end_stranger
is "$ended" 5 '... nor noticed'

# As docker's usual filter does. Children that share the memory are known without it.
begin_stranger without kcmp attached children
for round in 1 2 3; do
	run memusage --attach="$program" --duration=50ms -o report
	is "$status" 0 "a filter that answers kcmp with an error, $round"
done
nok '... and no trace is left' has_recorder
end_stranger
is "$ended" 0 '... nor is it noticed'
like "$(cat output)" '^done=[1-9][0-9]* bad=0' '... by any child'
done_testing
