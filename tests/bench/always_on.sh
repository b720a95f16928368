#!/bin/sh
# always_on.sh -- what it costs a server to be sampled, served and pushed for an hour.
#
#	tests/bench/always_on.sh [SECONDS]	default 3600; as root or not; wants redis and curl
#
# Two servers of redis are at work, one of them under `memusage --sample --serve`, and with --push
# to a receiver that counts if memusageserve can push. They get the same rounds of requests in turn,
# the first of a round being the one that was second before. A client reads /metrics each second,
# and a profile each 15 s. Of each round the CPU time of both servers is known to the nanosecond
# (/proc/PID/schedstat): the middle ratio of a request's time is printed, and between which two, in
# order, the true one lies with 95 % (binomial). Every request must be answered, as the servers
# count. The memory of the collector and of memusageserve is printed for each tenth of the time;
# after the first tenth neither may grow by more than 1 MiB.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -eu
MU_SRC=${MU_SRC:-$(cd "$(dirname "$0")/../.." && pwd)}
MU_BUILD=${MU_BUILD:-$MU_SRC/build}
PATH=$MU_BUILD/bin:$PATH
length=${1:-3600} requests=${REQUESTS:-20000}
for tool in redis-server redis-benchmark redis-cli curl python3; do
	command -v "$tool" >/dev/null || { echo "$tool is not installed"; exit 1; }
done
base=$(mktemp -d /tmp/memusage-always.XXXXXX)
cd "$base"
mkdir plain recorded
stop_all() {
	[ ! -e looker ] || kill "$(cat looker)" "$(cat receiver)" 2>/dev/null || :
	for one in plain recorded; do
		redis-cli -s $one/socket shutdown nosave 2>/dev/null || :
	done
	wait
	rm -rf "$base"
}
trap stop_all EXIT

# Counts what is pushed: a line of the number of bytes for each request.
cat >receiver.py <<'END'
import http.server
class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            size = 0
            while (part := int(self.rfile.readline(), 16)) > 0:
                size += len(self.rfile.read(part))
                self.rfile.readline()
        else:
            size = len(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        with open("pushed", "a") as out:
            print(size, file=out)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
    def log_message(self, *arguments):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
print(server.server_port, flush=True)
server.serve_forever()
END
python3 receiver.py >port &
echo $! >receiver
while [ ! -s port ]; do sleep 0.1; done
push=
! memusage --help=all | grep -q -- --push || push="--push=http://127.0.0.1:$(cat port)"

# serve DIRECTORY [WRAPPER...]
serve() {
	to=$1
	shift
	"$@" redis-server --port 0 --unixsocket "$base/$to/socket" --dir "$base/$to" --save '' \
		--appendonly no --maxmemory 256mb --maxmemory-policy allkeys-lru >"$to/log" 2>&1 &
	started=$!
	until redis-cli -s "$to/socket" ping >/dev/null 2>&1; do
		kill -0 "$started" 2>/dev/null || { echo "$to: the server did not start"; cat "$to/log"; exit 1; }
		sleep 0.1
	done
	redis-cli -s "$to/socket" info server | tr -d '\r' | sed -n 's/^process_id://p' >"$to/pid"
}
serve plain
# shellcheck disable=SC2086  # $push: one option or none
serve recorded memusage -q --sample "--serve=unix:$base/http" $push
(
	n=0
	while :; do
		curl -sS --unix-socket http http://localhost/metrics >metrics 2>>curl.err || echo failed
		[ $((n % 15)) -ne 0 ] ||
			curl -sS --unix-socket http http://localhost/debug/pprof/heap >profile \
				2>>curl.err || echo failed
		n=$((n + 1))
		echo read
		sleep 1
	done >looks
) &
echo $! >looker

cpu_ns() { cat "/proc/$(cat "$1/pid")/task/"*/schedstat | awk '{ n += $1 } END { printf "%.0f\n", n }'; }
# load DIRECTORY: prints the CPU time per request, in ns
load() {
	before=$(cpu_ns "$1")
	redis-benchmark -s "$1/socket" -c 8 -n "$requests" -r 200000 -d 300 -q \
		set key:__rand_int__ __rand_int__ >/dev/null 2>>"$1/errors"
	after=$(cpu_ns "$1")
	echo $(((after - before) / requests))
}
# memory NAME: resident KiB of the process of that name that runs in our directory
memory() {
	for pid in $(pgrep "$1"); do
		[ "$(readlink "/proc/$pid/cwd")" = "$base" ] || continue
		awk '/^Rss(Anon|Shmem|File):/ { n += $2 } END { printf "%d", n }' "/proc/$pid/status"
		return
	done
	printf 0
}

began=$(date +%s)
: >ratios
: >pushed
next=$began round=0
while now=$(date +%s) && [ $((now - began)) -lt "$length" ]; do
	if [ $((round % 2)) -eq 0 ]; then
		a=$(load plain) b=$(load recorded)
	else
		b=$(load recorded) a=$(load plain)
	fi
	echo "$a $b" >>ratios
	round=$((round + 1))
	if [ "$now" -ge "$next" ]; then
		next=$((now + length / 10 + 1))
		echo "$((now - began)) $(memory memusage-collec) $(memory memusageserve)" | tee -a sizes |
			awk '{ printf "after %5d s: collector %6d KiB, memusageserve %6d KiB\n", $1, $2, $3 }'
	fi
	sleep "${PAUSE:-0.2}"
done

echo "$round rounds of $requests requests for each server"
awk '{ print $2 / $1 }' ratios | sort -n | awk '{ r[NR] = $1 } END {
	half = 1.96 * sqrt(NR) / 2; low = int(NR / 2 - half); high = int(NR / 2 + half) + 1
	printf "CPU time of a request: %.4f (%.4f to %.4f with 95 %%)\n", r[int((NR + 1) / 2)],
		r[(low < 1 ? 1 : low)], r[(high > NR ? NR : high)] }'
lost=0
for one in plain recorded; do
	done=$(redis-cli -s $one/socket info commandstats | tr -d '\r' |
		sed -n 's/^cmdstat_set:calls=\([0-9]*\),.*/\1/p')
	[ "$done" -eq $((round * requests)) ] || lost=1
	echo "$one: $done of $((round * requests)) requests were answered; $(wc -l <$one/errors) errors"
done
echo "looked $(grep -c read looks) times, $(grep -c failed looks || :) failed"
[ -z "$push" ] || echo "pushed $(wc -l <pushed) times, $(awk '{ n += $1 } END { print n }' pushed) bytes"
sed -n '2p;$p' sizes | awk '{ for (i = 2; i < 4; i++) { if (NR == 1) at[i] = $i; else if ($i - at[i] > 1024) bad = 1 } }
	END { print bad ? "one of them GREW by more than 1 MiB" : "neither grew by more than 1 MiB"; exit bad }' &&
	[ $lost -eq 0 ]
