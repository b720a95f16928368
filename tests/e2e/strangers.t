#!/bin/sh
# strangers.t -- whoever is not the user of a run, nor root, nor of its process tree gets nothing of
# its collector, and takes nothing from it; nor do descriptors that anybody sends stay open there.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
. "$MU_SRC/tests/lib/users.sh"
need_bin memusage live stranger
PATH=$WORKLOADS:$PATH

# start COMMAND...: a run of `live`; $pid, $name (the collector's), $collector
start() {
	begin_live "$@"
	tell alloc 10 1000
	find_collector
}
# has_open N: what the last connection had is closed a moment after its answer.
has_open() { [ "$(open_files)" = "$1" ]; }
open_files() { find "/proc/$collector/fd" -type l | wc -l; }

start memusage -o report live
before=$(open_files)
run stranger descriptors "$name" 200
is "$out" 'answers ok=200 denied=0 none=0' 'questions with two descriptors each'
ok '... leave none behind' until_true has_open "$before"
run stranger descriptors "$name" 200 hello
is "$out" 'answers ok=0 denied=200 none=0' 'hellos with two descriptors each'
ok '... leave none behind' until_true has_open "$before"
end
like "$(cat report)" 'heap total: 10000' '... and the run is the run'

if has_users; then
	start memusage -o report live
	before=$(open_files)
	run as_other stranger descriptors "$name" 200
	is "$out" 'answers ok=0 denied=0 none=200' "another user's questions are not answered"
	ok '... and leave no descriptor behind' until_true has_open "$before"
	run as_other stranger descriptors "$name" 200 hello
	is "$out" 'answers ok=0 denied=0 none=200' '... nor hellos'
	ok '... which leave none, either' until_true has_open "$before"
	is "$(as_other stranger question "$name" "$pid")" 'question closed' 'a question that is right'
	is "$(as_other stranger hello "$name")" 'hello closed' 'a hello that is right'
	# Nobody's place in the queue is taken.
	is "$(stranger question "$name" "$pid")" 'question status=0' 'root is answered'
	end
	start as_user memusage -o "$user_dir/report" live
	is "$(as_other stranger question "$name" "$pid")" 'question closed' "a user's collector likewise"
	is "$(as_user stranger question "$name" "$pid")" 'question status=0' '... answers that user'
	is "$(stranger question "$name" "$pid")" 'question status=0' '... and root'
	is "$(stranger hello "$name")" 'hello refused' '... whose programs it does not record'
	end
else
	skip "$no_users" 10
fi

# In a user namespace all who are not mapped are 65534 for it, and so may it be itself.
if has_users && unshare --user --map-user=65534 true 2>/dev/null; then
	start unshare --user --map-user=65534 memusage -o report live
	is "$(as_other stranger question "$name" "$pid")" 'question closed' \
		'in a user namespace: who is not mapped is nobody'
	is "$(as_other stranger hello "$name")" 'hello closed' '... also for a hello'
	end
	like "$(cat report)" 'heap total: 10000' '... and the run is the run'
	start unshare --user --map-root-user memusage -o report live
	is "$(stranger question "$name" "$pid")" 'question status=0' 'who is mapped is known'
	end
else
	skip "${no_users:-cannot make user namespaces here}" 4
fi
done_testing
