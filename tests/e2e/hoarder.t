#!/bin/sh
# hoarder.t -- processes of one user that ask for leak checks, and take no answer, keep no process of
# another user from its end.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage
need perl setpriv
need_tracing
PATH=$WORKLOADS:$PATH
[ "$(id -u)" = 0 ] || skip_all 'only root can take the rights of another user'

# What the shell would start would have a check of its own, at its end. An answer is waited for for
# 30 seconds.
mkfifo ready
cat >both <<'END'
setpriv --reuid=64123 --regid=64123 --clear-groups hoarder 70 >ready &
read -r first <ready
read -r before _ </proc/uptime
setpriv --reuid=64124 --regid=64124 --clear-groups perl -e 'exit 3'
status=$?
read -r after _ </proc/uptime
echo "$first,$status,$((${after%.*} - ${before%.*} < 20))" >said
kill -9 $!
END
run memusage -q --leak-check=full -o report sh both
is "$status" 0 'the programs run'
is "$(cat said)" ready,3,1 "another user's program ends in time, whatever waits for an answer"
done_testing
