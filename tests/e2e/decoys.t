#!/bin/sh
# decoys.t -- what another user puts where root writes an output is neither waited for nor used.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
. "$MU_SRC/tests/lib/users.sh"
need perl
need_bin memusage memusageprint heap
need_users
PATH=$WORKLOADS:$PATH

# ---- pipes that nobody reads, where other users may make files

chmod 1777 "$user_dir"
chown 0:0 "$user_dir"
as_user sh -c "mkfifo $user_dir/pipe"
ok 'a recording' memusage -q --record=run.mur heap
for option in -o -d --record= --massif-out-file= --dhat-out-file= --log-file=; do
	run timeout 20 memusage "$option$user_dir/pipe" heap
	is "$status" 125 "$option: another user's pipe is refused before the run"
	like "$err" "cannot write $user_dir/pipe: it belongs to another user" '... with the reason'
done
run timeout 20 memusageprint --top -o "$user_dir/pipe" run.mur
is "$status" 1 'memusageprint refuses it'
like "$err" 'it belongs to another user' '... likewise'

# Names that are known only during the run: those of processes that come.
next=$(sh -c 'echo $$')
as_user sh -c "for i in \$(seq 1 1000); do echo $user_dir/all.\$(($next + i)); done | xargs mkfifo"
run timeout 60 memusage -q --children=files -d "$user_dir/all" sh -c 'heap; heap; exit 3'
is "$status" 3 'pipes in the place of data files: the run ends'
like "$err" 'cannot write|cannot be written|Operation not permitted' '... and says what it could not write'

# A pipe of ours is waited for.
mkfifo ours
(sleep 1 && cat ours >got) &
run timeout 20 memusage -o ours heap
wait
like "$(cat got)" 'heap total' 'a pipe of our own, whose reader comes late'

done_testing
