#!/bin/sh
# durable.t -- --durable: a kill of a whole run, memusage and its collector included, loses nothing.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
. "$MU_SRC/tests/lib/durable.sh"
need perl setsid
need_bin memusageprint tally
perl -MJSON::PP -e 1 2>/dev/null || skip_all 'no JSON::PP here'

# ---- without a kill it is a recording like any other

profiled 'with --durable' --durable --record=kept.mur -- family plain
nok '... and the arena is gone' test -e kept.mur.arena
ok '... the recording is whole' memusageprint --top kept.mur
run memusage -q --durable '--record=kept.%p.mur' sh -c 'echo $$; ls'
pid=$(printf '%s\n' "$out" | head -1)
like "$out" "^kept\.$pid\.mur\.arena\$" 'while it runs the arena is beside the recording'
is "$(ls -- *.arena* 2>/dev/null)" '' '... and later gone'

# ---- kills

kill_runs "${MU_KILLS:-16}"
if make_cgroup; then
	kill_runs "${MU_KILLS:-16}"
	remove_cgroup
else
	skip 'no cgroup can be made here' 2
fi
done_testing
