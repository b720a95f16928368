#!/bin/sh
# impostor.t -- a process that names the collector, or another process, as that of an image in its
# recorder's memory does not have it examined: it could read the result, and what examines may be root.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage
need perl setpriv
need_tracing
PATH=$WORKLOADS:$PATH

# names_none WHAT OPTIONS...: the process that $names leads to is not examined
names_none() {
	what=$1
	shift
	# shellcheck disable=SC2086  # words
	run memusage -o report "$@" impostor $names
	is "$status,$out" 0,refused "$what: nothing is examined"
	like "$(cat report)" 'LEAK SUMMARY|total calls' '... and the program itself is reported'
}

names=collector
names_none 'the collector' --leak-check=full
sleep 100 &
names=$!
names_none 'a process that is not recorded' --leak-check=full
kill $!
if [ "$(id -u)" = 0 ]; then
	for names in 'collector 64123' '1 64123'; do
		names_none "process $names" --leak-check=full
	done
	# A right that setpriv has left lets a process of one user become another one's.
	run memusage -q --leak-check=full -o report setpriv --reuid=64123 --inh-caps=+setuid \
		--ambient-caps=+setuid perl -e '($<, $>) = (64124, 64124)'
	like "$status,$err" '^0,.*no leak check of process [0-9]*: it has changed its user' \
		'why a process that has changed its user is not examined'
	# In a container root may not look into the processes of others: it does not know which have the
	# memory in which a process names them.
	cat >both <<-'END'
		setpriv --reuid=64124 --regid=64124 --clear-groups perl -e '$| = 1; print "begun\n"; <STDIN>' \
			<go >begun &
		exec 3>go
		for _ in $(seq 100); do
			grep -q begun begun && break
			sleep 0.1
		done
		setpriv --reuid=64123 --regid=64123 --clear-groups impostor $! >said
		exec 3>&-
		wait
	END
	mkfifo go
	run setpriv --bounding-set=-all,+setuid,+setgid,+kill,+chown,+dac_override --inh-caps=-all \
		memusage -o report sh both
	is "$status,$(cat said)" 0,refused 'a process that names one of another user, in a container'
	like "$(cat report)" 'process [0-9]* perl: .* exit status 0' '... whose recording goes on to its end'
else
	skip 'only root can take the rights of another user' 7
fi
done_testing
