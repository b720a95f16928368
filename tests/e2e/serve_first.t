#!/bin/sh
# serve_first.t -- memusage --serve as the first process of a container: it waits for what others leave
# behind, and not for memusageserve.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/serve.sh"
has_program memusageserve || skip_all 'this build has no memusageserve'
need curl unshare
need_bin memusage memusageserve
unshare --map-root-user --pid --fork --mount-proc true 2>/dev/null ||
	skip_all 'no PID namespace can be made here'

cat >program.sh <<'EOF2'
(sleep 2; echo late >late) &
until [ -e asked ]; do sleep 0.1; done
exit 7
EOF2
unshare --map-root-user --pid --fork --mount-proc memusage --serve=127.0.0.1:0 -o report -- \
	sh program.sh 2>err &
job=$!
until_true is_served_in err
is_answered() { get /metrics && [ "$status" = 200 ]; }
ok 'it is served' until_true is_answered
like "$(cat body)" '^memusage_heap_bytes\{pid="[0-9]+",process="sh"\}' 'the process has the ID that it sees'
: >asked
wait "$job"
is "$?" 7 'the status is that of the program'
ok 'what it has left behind was waited for' test -e late
done_testing
