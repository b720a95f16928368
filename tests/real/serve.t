#!/bin/sh
# serve.t -- The programs that fleets run read what memusageserve serves: go tool pprof by HTTP, and
# Prometheus, which scrapes it for a minute without a failure, while the program works.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
. "$MU_SRC/tests/lib/serve.sh"
has_program memusageserve || skip_all 'this build has no memusageserve'
need curl python3
need_bin memusage memusageserve live
PATH=$WORKLOADS:$PATH
HOME=$MU_TMP
export HOME

rm -f err
begin_live memusage -o report --serve=127.0.0.1:0 live
until_true is_served_in err
tell alloc 1000 1000
tell spike 50 200
find_collector

# ---- pprof

if command -v go >/dev/null && go tool pprof -h 2>&1 | grep -q -- '-raw'; then
	shown() { # SAMPLE FUNCTION URL
		go tool pprof -sample_index="$1" -unit=B -top -nodefraction=0 "$3" 2>pprof.err |
			awk -v f="$2" '$6 == f { sub(/B$/, "", $1); print $1 }'
	}
	is "$(shown inuse_space keep "http://$at/debug/pprof/heap")" 1000000 'pprof: heap'
	is "$(shown alloc_objects spike "http://$at/debug/pprof/allocs")" 50 'pprof: allocs'
	get '/debug/pprof/heap?debug=1'
	go tool pprof -symbolize=none -sample_index=inuse_space -unit=B -top body >text 2>&1
	like "$(cat text)" ' of 1000000B total' 'pprof: the text'
	go tool pprof -tags "http://$at/debug/pprof/heap" >tags 2>&1
	like "$(cat tags)" "$pid" 'pprof: the label'
	go tool pprof -raw "http://$at/debug/pprof/heap" >raw 2>&1
	like "$(cat raw)" 'inuse_space/bytes\[dflt\]' 'pprof: what is live comes first'
	(
		exec 3>&- 4<&-
		go tool pprof -raw -seconds 3 "http://$at/debug/pprof/heap" >change 2>&1
	) &
	change=$!
	has_kept() {
		server=$(pids memusageserve "$job")
		ls -l "/proc/$server/fd" | grep -q '(deleted)' && [ -z "$(pids memusageserve "$server")" ]
	}
	until_true has_kept
	tell alloc 10 300
	tell free 20
	wait $change
	like "$(cat change)" '^ +10 +3000 +-10 +-17000' 'pprof: a change'
else
	skip 'no go with pprof here' 6
fi

# ---- Prometheus

if command -v promtool >/dev/null; then
	get /metrics
	promtool check metrics <body >checked 2>&1
	is "$?,$(cat checked)" 0, 'promtool has no complaint about the figures'
else
	skip 'no promtool here'
fi
if command -v prometheus >/dev/null; then
	cat >prometheus.yml <<EOF2
global: { scrape_interval: 5s, scrape_timeout: 5s }
scrape_configs:
  - job_name: live
    static_configs: [{ targets: ['$at'] }]
EOF2
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	prometheus --config.file=prometheus.yml --storage.tsdb.path=data \
		--web.listen-address="127.0.0.1:$port" >prometheus.log 2>&1 3>&- 4<&- &
	prometheus=$!
	# query EXPRESSION: its first value, without a fraction
	query() {
		curl -sg --data-urlencode "query=$1" "http://127.0.0.1:$port/api/v1/query" |
			python3 -c 'import json, sys
r = json.load(sys.stdin)["data"]["result"]
print(r[0]["value"][1].split(".")[0] if r else "none")' 2>/dev/null
	}
	scrapes() { [ "$(query 'count_over_time(up[5m])')" -ge 12 ]; }
	tell busy 100 64
	for blocks in 100 110 120 130 140 150; do
		tell alloc $blocks 1000
		sleep 5
	done
	ok 'twelve scrapes' until_true scrapes
	scraped=$(query 'count_over_time(up[5m])') good=$(query 'sum_over_time(up[5m])')
	num "$good" -eq "$scraped" 'all of them succeed'
	is "$(query 'memusage_heap_blocks{process="live"} > 1500')" "$(query memusage_heap_blocks)" \
		'the figures are the last ones'
	num "$(query 'delta(memusage_heap_peak_bytes[5m])')" -gt 400000 '... and have a history'
	num "$(query 'rate(memusage_calls_total{function="malloc"}[1m])')" -gt 1 '... and rates'
	kill "$prometheus"
	wait "$prometheus"
else
	skip 'no prometheus here' 5
fi
end
is "$?" 0 'the end'
done_testing
