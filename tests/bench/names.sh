#!/bin/sh
# names.sh -- how long one waits for names: from the end of the program to the end of memusage --top.
#
#	MU_BUILD=... tests/bench/names.sh [wait] [both]
#
# Three variants in turn, BENCH_ROUNDS times (5): without the names cache, with an empty one, and
# the second time. Programs are python3, whose library may have debug information, and one in C++
# with some 130 MB of it, which is made here: a unit that uses templates, assembled BENCH_UNITS (30)
# times with a namespace of its own each. Each program runs some milliseconds, too short for names to
# be looked up meanwhile, and again for 3 seconds.
#
# The last table ("both" of them at work) is about a program that keeps all CPUs busy, with a fixed
# amount of work: its time while its names are looked up, divided by that without, in BENCH_PAIRS (15)
# pairs, the middle ratio and the extremes.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/bench.sh"
UNITS=${BENCH_UNITS:-30}

cat >unit.cc <<'EOF'
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>
namespace zz000 {
template <int N> struct item { int value = N; std::string name = std::to_string(N); };
template <int N> bool operator<(const item<N> &a, const item<N> &b) { return a.value < b.value; }
template <int N> struct user {
	static int use(int n)
	{
		std::map<std::string, std::vector<item<N>>> groups;
		std::unordered_map<int, std::shared_ptr<item<N>>> index;
		std::set<item<N>> ordered;
		std::vector<std::function<int(const item<N> &)>> calls;
		std::variant<int, item<N>, std::string> any;
		int sum = 0;

		for (int i = 0; i < n; i++) {
			item<N> one{ i };

			groups[one.name].push_back(one);
			index[i] = std::make_shared<item<N>>(one);
			ordered.insert(one);
			calls.push_back([i](const item<N> &x) { return x.value + i; });
			any = one;
		}
		for (auto &g : groups)
			std::sort(g.second.begin(), g.second.end());
		for (auto &c : calls)
			sum += c(*ordered.begin());
		return sum + user<N - 1>::use(n);
	}
};
template <> struct user<0> { static int use(int n) { return n; } };
}
int run_zz000(int n) { return zz000::user<12>::use(n); }
EOF

# The time of its end is the last thing that a program writes.
make_big() {
	"${CXX:-g++}" -g -O1 -S -o unit.s unit.cc || return
	{
		cat <<'EOF'
#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>
#include <thread>
#include <time.h>
#include <vector>
EOF
		for u in $(seq -w "$UNITS"); do echo "int run_zz0$u(int);"; done
		echo 'static void round() {'
		for u in $(seq -w "$UNITS"); do echo "	run_zz0$u(3);"; done
		cat <<'EOF'
}
static double seconds()
{
	timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
/* big SECONDS, or big 0 ROUNDS THREADS */
int main(int, char **argv)
{
	double until = seconds() + atof(argv[1]);
	std::vector<std::thread> threads;

	do
		round();
	while (seconds() < until);
	for (int t = 0; argv[2] && t < atoi(argv[3]); t++)
		threads.emplace_back([=] { for (int i = 0; i < atoi(argv[2]); i++) round(); });
	for (auto &t : threads)
		t.join();
	rusage used;
	getrusage(RUSAGE_SELF, &used);
	FILE *end = fopen("end", "w");
	fprintf(end, "%.6f %.6f\n", seconds(), used.ru_utime.tv_sec + used.ru_stime.tv_sec +
		(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
	fclose(end);
}
EOF
	} >main.cc
	"${CXX:-g++}" -g -O1 -c main.cc || return
	for u in $(seq -w "$UNITS"); do
		sed "s/zz000/zz0$u/g" unit.s | "${CXX:-g++}" -c -x assembler -o "unit$u.o" - || return
	done
	"${CXX:-g++}" -g -o big main.o unit??.o -pthread && rm -f unit*
}

# wait_of COMMAND...: seconds from the end of the program to that of memusage
wait_of() {
	rm -f end
	"$ours" --top "$@" >/dev/null 2>&1
	date +%s.%N | awk -v end="$(sed 's/ .*//' end)" '{ printf "%.3f\n", $1 - end }'
}

middle() { sort -n "$1" | awk '{ v[NR] = $1 } END { printf "%.2f s", v[int((NR + 1) / 2)] }'; }

# row TEXT COMMAND...
row() {
	text=$1
	shift
	rm -f w.*
	rounds=0
	while [ $((rounds += 1)) -le "$ROUNDS" ]; do
		wait_of --no-names-cache "$@" >>w.none
		rm -rf "$XDG_CACHE_HOME"
		wait_of "$@" >>w.first
		wait_of "$@" >>w.second
	done
	printf '| %s | %s | %s | %s |\n' "$text" "$(middle w.none)" "$(middle w.first)" \
		"$(middle w.second)"
}

tell_waits() {
	printf '| from the end of the program to the end of memusage | no cache | first run | %s |\n' \
		'second run'
	printf '|---|---|---|---|\n'
	if command -v python3 >/dev/null; then
		cat >loads.py <<'EOF'
import json, sys, time
until = time.time() + float(sys.argv[1])
while True:
    for i in range(200):
        json.loads('{"a": [1, 2, 3], "b": "c"}')
    if time.time() >= until:
        break
open("end", "w").write("%.6f 0\n" % time.time())
EOF
		python=$(python3 -c 'import sys; print(sys.executable)')
		row 'python3, short' "$python" loads.py 0
		row 'python3, 3 s' "$python" loads.py 3
	fi
	row "C++, $size MB, short" ./big 0
	row "C++, $size MB, 3 s" ./big 3
}

# The wall and CPU seconds of the program alone, not of the tool.
busy_run() {
	rm -rf "$XDG_CACHE_HOME" end
	start=$(date +%s.%N)
	"$ours" --top "$@" ./big 0 "${BENCH_CALLS:-2000}" "$(getconf _NPROCESSORS_ONLN)" >/dev/null 2>&1
	awk -v start="$start" '{ print $1 - start, $2 }' end
}

tell_both() {
	pairs=0
	while [ $((pairs += 1)) -le "${BENCH_PAIRS:-15}" ]; do
		# Which one goes first changes, as the second finds a warmer machine.
		if [ $((pairs % 2)) = 0 ]; then
			without=$(busy_run --no-names-cache)
			with=$(busy_run)
		else
			with=$(busy_run)
			without=$(busy_run --no-names-cache)
		fi
		echo "$with $without"
	done | awk '{ print $1 / $3, $2 / $4 }' >ratios
	printf '| names are looked up meanwhile / not | pairs | middle ratio | least | most |\n'
	printf '|---|---|---|---|---|\n'
	for column in 1 2; do
		sort -n -k $column,$column ratios | awk -v c=$column '{ v[NR] = $c } END {
			printf "| %s | %d | %.3f | %.3f | %.3f |\n", c == 1 ? "wall time" : "CPU time",
				NR, v[int((NR + 1) / 2)], v[1], v[NR] }'
	done
}

make_big || exit 1
size=$(($(stat -c %s big) / 1000000))
[ $# -gt 0 ] || set -- wait both
for table in "$@"; do
	case $table in
	wait) tell_waits ;;
	both) tell_both ;;
	*) echo "names.sh: no table $table" >&2; exit 2 ;;
	esac
	echo
done
