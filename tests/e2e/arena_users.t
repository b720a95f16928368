#!/bin/sh
# arena_users.t -- processes of different users share no memory of the recorder, though they are of one
# tree and all are recorded; and where that memory lies is chance.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage
[ "$(id -u)" = 0 ] || skip_all 'only root has processes of several users'
need setpriv

# grep shows its own memory: where it begins, and the number of the memory file.
cat >tree <<'END'
set -- grep -m 1 'rw-s .*memfd:memusage' /proc/self/maps
"$@" >maps.root
setpriv --reuid=64123 --regid=64123 --clear-groups "$@" >maps.user
setpriv --reuid=64123 --regid=64123 --clear-groups "$@" >maps.user.again
setpriv --reuid=64124 --regid=64124 --clear-groups "$@" >maps.other
"$@" >maps.root.again
END
run memusage -o report --children=lines sh tree
is "$status" 0 'the programs run'
for who in root user user.again other root.again; do
	num "$(wc -l <maps.$who)" -eq 1 "$who: has memory of the recorder"
done
num "$(grep -c '^memusage: process [0-9]* grep' report)" -eq 5 'all five are recorded'

file() { awk '{ print $5 }' "maps.$1"; }
is "$(file root.again)" "$(file root)" "root's processes share theirs"
is "$(file user.again)" "$(file user)" "a user's share theirs"
isnt "$(file user)" "$(file root)" '... but not with root'
isnt "$(file other)" "$(file root)" '... nor another'
isnt "$(file other)" "$(file user)" '... nor one user with another'

# Of eight million places two of the five are the same by chance once in a million runs.
num "$(cut -d - -f 1 maps.* | sort -u | wc -l)" -ge 4 'each has it at another place'
done_testing
