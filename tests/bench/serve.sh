#!/bin/sh
# serve.sh -- what it costs a program to be served by HTTP.
#
#	MU_BUILD=... tests/bench/serve.sh
#
# sqlite3 fills a table. All variants in turn, BENCH_ROUNDS times (5), the smallest figure of each:
# alone, with samples, served as well but without a client, and with one that asks each second, or all
# the time. The columns are CPU time and wall time of sqlite3 alone; the CPU time of memusage,
# its collector and memusageserve with all that they start; and of that, for each answer, what is more
# than without a client.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/bench.sh"
for need in sqlite3 curl "$MU_BUILD/bin/memusageserve"; do
	command -v "$need" >/dev/null || { echo "serve.sh: skipped: no $need" && exit 0; }
done
cat >bulk.sql <<'END'
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000000)
	insert into t select i, 'row number ' || i, i / 3.0 from n;
select count(*), sum(length(b)) from t where c > 10;
END
# The program itself is measured from within, its figures are on a line of `inner`.
cat >program <<'END'
#!/bin/sh
exec "$BENCH/measure" sqlite3 -init /dev/null -batch :memory: '.read bulk.sql' >inner
END
chmod +x program
export BENCH

# ask PATH PAUSE: asks until the socket is gone; adds a byte to `answers` for each
ask() {
	until curl -sf -o answer --unix-socket s.http "http://localhost$1"; do sleep 0.05; done
	while curl -sf -o answer --unix-socket s.http "http://localhost$1"; do
		printf . >>answers
		sleep "$2"
	done
}
# serve NAME [PATH PAUSE]: a run with this client
serve() {
	: >answers
	until ! [ -e s.http ]; do sleep 0.05; done # of the last run
	[ $# = 1 ] || ask "$2" "$3" &
	"$BENCH/measure" "$ours" -q --sample --serve=unix:s.http ./program >outer
	wait
	note "$1"
}
# note NAME: CPU and wall time of the program, CPU time of all, answers
note() {
	echo "$(cut -d' ' -f1,2 inner) $(cut -d' ' -f1 outer) $(wc -c <answers)" >>"figures.$1"
}

round=0
while [ $((round += 1)) -le "$ROUNDS" ]; do
	: >answers
	"$BENCH/measure" ./program >outer
	note alone
	"$BENCH/measure" "$ours" -q --sample ./program >outer
	note sampled
	serve served
	serve metrics /metrics 1
	serve heap /debug/pprof/heap 1
	serve page / 1
	serve always /debug/pprof/heap 0
done

least() { sort -n -k "$2,$2" "figures.$1" | awk -v k="$2" '{ print $k; exit }'; }
cpu=$(least alone 1) wall=$(least alone 2)
# The CPU time of the tools is that of all but the program.
tools() { awk '{ print $3 - $1, $4 }' "figures.$1" | sort -n | head -n 1; }
idle=$(tools served | cut -d' ' -f1)
echo '| sqlite3, 3 million rows | CPU | wall | CPU of the tools | answers | CPU of each |'
echo '|---|---|---|---|---|---|'
row() {
	# shellcheck disable=SC2046  # words are wanted
	set -- "$1" "$2" $(tools "$1")
	awk -v name="$2" -v c="$(least "$1" 1)" -v w="$(least "$1" 2)" -v cpu="$cpu" -v wall="$wall" \
		-v tools="$3" -v n="$4" -v idle="$idle" 'BEGIN {
		printf "| %s | %.2f s, %.3fx | %.2f s, %.3fx | %.0f ms | %d | ", name, c / 1e6, c / cpu,
			w / 1e6, w / wall, tools / 1e3, n
		if (n) printf "%.1f ms |\n", (tools - idle) / n / 1e3; else print "|" }'
}
row alone 'alone'
row sampled '`--sample`'
row served '... `--serve`, no client'
row metrics '... /metrics each second'
row heap '... /debug/pprof/heap each second'
row page '... the page each second'
row always '... /debug/pprof/heap all the time'
