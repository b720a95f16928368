#!/bin/sh
# live_servers.t -- snapshots of nginx and PostgreSQL while they serve: each is a whole profile, and
# no request is lost.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/servers.sh"
need_bin memusage memusageprint

load_tool=$MU_BUILD/tests/bench/httpload
server_base
cd "$base" || exit 1

# look COMMAND VICTIMS: snapshots into shot.1, shot.2, ... until there are 40 or the load is over
look() {
	n=0
	while [ $n -lt 40 ] && [ ! -e enough ]; do
		for pid in $($2); do
			n=$((n + 1))
			"$MU_BUILD/bin/memusage" -q --pid="$pid" "$1" "shot.$n" 2>>look.err ||
				rm -f "shot.$n"
		done
	done
}

# judged NAME LEAST: the files are profiles, each with its tree
judged() {
	bad=0 count=0
	for file in shot.*; do
		[ -e "$file" ] || continue
		count=$((count + 1))
		grep -q '^heap_tree=detailed$' "$file" && grep -q '^n[1-9]' "$file" &&
			memusageprint "$file" >/dev/null 2>&1 || bad=$((bad + 1))
	done
	num "$count" -ge "$2" "$1: $count snapshots"
	is $bad 0 "$1: each a whole profile with a tree"
	rm -f shot.* enough
}

# ---- nginx

if [ -n "$NGINX" ] && [ -x "$load_tool" ]; then
	nginx_start "$MU_BUILD/bin/memusage" -o "$base/report" --record="$base/r.mur" \
		--snapshot-signal=RTMIN+5 --snapshot-file="$base/signal.%p.%n"
	isnt "$(nginx_workers)" '' 'nginx runs'
	{
		"$load_tool" "$port" /text $NGINX_BODY 8 24000 2000
		touch enough
	} >answers &
	loader=$!
	look detailed_snapshot nginx_workers
	worker=$(nginx_workers)
	kill -s RTMIN+5 "$worker"
	wait $loader
	like "$(cat answers)" 'requests=24000 answered=24000 lost=0' 'nginx: every request is answered'
	judged nginx 20
	nginx_stop
	is $? 0 'nginx: its status'
	is "$(cat error.log)" '' 'nginx: has nothing to complain of'
	like "$(cat signal.*)" 'heap_tree=detailed' 'nginx: a signal makes one, too'
	like "$(cat report)" 'snapshot of process [0-9]+ \(signal [0-9]+\)' 'nginx: which the report names'
else
	skip 'no nginx, or no httpload' 7
fi

# ---- PostgreSQL

if [ -x "$PG_BINARIES/postgres" ] && pg_as test -x "$MU_BUILD/bin/memusage"; then
	postgres_start "$MU_BUILD/bin/memusage" -o "$base/pg_report" --record="$base/p.mur" \
		--snapshot-when='heap>1M' --snapshot-file="$base/when.%p.%n"
	{
		postgres_bench -c 4 -j 2 -S -R 400 -t 1500
		touch enough
	} >answers &
	loader=$!
	sleep 1
	look detailed_snapshot postgres_backends
	wait $loader
	like "$(cat answers)" 'actually processed: 6000/6000' 'PostgreSQL: every transaction is done'
	like "$(cat answers)" 'failed transactions: 0 ' '... and none has failed'
	judged PostgreSQL 20
	postgres_stop
	is $? 0 'PostgreSQL: its status'
	ok 'PostgreSQL: a threshold makes one of each process, too' test -n "$(ls when.*)"
else
	skip 'no PostgreSQL server that a user other than root can run' 6
fi
cd "$MU_TMP" || exit 1
rm -rf "$base"
done_testing
