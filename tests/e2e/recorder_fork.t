#!/bin/sh
# recorder_fork.t -- children of every kind have their own events, their parent's history where
# it is theirs, and leave the parent's recording alone.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin forks

profiled 'fork' forks fork 3
memusage --children=summary -o report -- forks fork 1 >/dev/null
like "$(sed -n '/(with what its parent did before the fork), /,/^Histogram/p' report)" \
	' malloc\| +53 +20000 ' 'a whole summary of the child counts its history, and says so'
unlike "$(cat report)" 'since its fork' '... and does not call it since the fork'
memusage --children=lines -o report -- forks fork 1 >/dev/null
like "$(cat report)" ' forks \(since its fork\): heap total: 15000, ' 'a line has what is its own'
profiled 'forks of forks' forks nested 4
profiled 'fork with threads' forks threads 20
profiled 'raw clone()' forks raw 3
profiled 'clone(CLONE_VM)' forks shared 3
profiled 'fork, then clone(CLONE_VM)' forks shared-first 3
profiled 'raw clone(), then clone(CLONE_VM)' forks shared-first-raw 3
profiled 'vfork, and exec after it' forks vfork 3
profiled 'posix_spawn' forks spawn 3
profiled 'system, popen' forks shells 1
profiled 'fork and exec' forks exec 3
profiled 'children not wanted' --trace-children=no -- forks fork 2
truth=no
profiled 'programs not wanted' --trace-children=no -- forks exec 2
is "$(report_field child lines)" 0 'only forked children are recorded'
truth=yes
profiled 'a chain of execs' forks chain 3
profiled 'exec without our environment' forks bare

profiled 'a storm of forks' forks storm "$(attempts 200 2000)"

profiled '400 children at once' forks crowd 400

# The native run makes the file first.
profiled 'daemon()' -d 'data.%p' -- forks daemon
all_there() { [ "$(cat data.* | wc -c)" -ge $(((2 + 50 + 2 + 12) * 24)) ]; }
until_true all_there
is "$(cat data.* | wc -c)" $(((2 + 50 + 2 + 12) * 24)) 'the daemon is recorded to its end'
is "$(cat daemon.done)" 'done' 'the daemon reached its end'
done_testing
