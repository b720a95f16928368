#!/bin/sh
# squatter.t -- processes of one user that take all slots of each memory that they get leave some for
# the processes of other users.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage
need perl setpriv
PATH=$WORKLOADS:$PATH
[ "$(id -u)" = 0 ] || skip_all 'only root can take the rights of another user'

mkfifo ready
cat >both <<'END'
setpriv --reuid=64123 --regid=64123 --clear-groups squatter 150 >ready &
read -r first <ready
setpriv --reuid=64124 --regid=64124 --clear-groups perl -e 'exit 3'
echo "$first,$?" >said
kill -9 $!
END
run memusage -o report --children=lines sh both
is "$status,$(cat said)" 0,ready,3 'the programs run'
like "$(cat report)" 'process [0-9]* perl: .* exit status 3' "another user's program is recorded"
done_testing
