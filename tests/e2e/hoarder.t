#!/bin/sh
# hoarder.t -- processes of one user that ask for leak checks, and take no answer, keep no process of
# another user from its end, and leave it no answer.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage
need_bin memusageprint
need perl setpriv unshare
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

# The answer that one of them has left is not for the next process with its ID.
cat >reused <<'END'
setpriv --reuid=64123 --regid=64123 --clear-groups hoarder 1 >ready &
read -r first <ready
read -r child _ </proc/$!/task/$!/children
kill -9 $!
wait $!
while [ -d /proc/$child ]; do :; done
echo $((child - 1)) >/proc/sys/kernel/ns_last_pid
setpriv --reuid=64124 --regid=64124 --clear-groups ./loser &
echo $(($! - child)) >said
wait $!
END
cat >loser.c <<'END'
#include <stdlib.h>
int main(void)
{
	static void *volatile lost;
	lost = malloc(4321);
	lost = NULL;
	return 0;
}
END
compile "${CC:-cc}" -w -o loser loser.c
chmod 755 . loser
rm -f said
run unshare --pid --fork --mount-proc memusage -q --leak-check=full --record=kept.mur sh reused
if [ "$(cat said)" = 0 ]; then
	pid=$(memusageprint --processes kept.mur | awk '$NF ~ /loser$/ { print $1; exit }')
	memusageprint --to=json --pid="$pid" kept.mur | tr -d ' \n' >json
	like "$(grep -o '"losses":[^]]*' json)" '"bytes":4321,' \
		"a process with the ID of one that was killed gets a check of its own"
else
	skip 'the ID was not used again'
fi
done_testing
