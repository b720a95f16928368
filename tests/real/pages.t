#!/bin/sh
# pages.t -- pages as heap: in the end the sum is that of the kernel, on programs that map a lot: a
# database, interpreters with threads, a Java machine, a browser.
#
# What the kernel says is looked at twice: by the recorder, which says what it missed, and by an
# object that is loaded into the program and prints /proc/self/maps as it ends.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint
need "${CC:-cc}"

cat >last.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
__attribute__((destructor)) static void last(void)
{
	static char part[65536];
	const char *preloaded = getenv("LD_PRELOAD");
	/* It is loaded into the tools, too. */
	if (!preloaded || !strstr(preloaded, "libmemusage"))
		return;
	int in = open("/proc/self/maps", O_RDONLY), out = open("maps", O_WRONLY | O_CREAT | O_TRUNC, 0666);
	for (ssize_t n; (n = read(in, part, sizeof(part))) > 0;)
		if (write(out, part, (size_t)n) != n)
			break;
	close(in);
	close(out);
}
END
compile "${CC:-cc}" -shared -fPIC -o last.so last.c

# The kernel's sum in bytes, without the main stack.
kernel() {
	python3 - <<'END'
import re, sys
total = 0
for line in open("maps"):
    fields = line.split(None, 5)
    name = fields[5].strip() if len(fields) > 5 else ""
    if name in ("[stack]", "[vsyscall]"):
        continue
    start, end = (int(x, 16) for x in fields[0].split("-"))
    total += end - start
print(total)
END
}

# program NAME MISSED COMMAND...: MISSED bytes at most may be said to be missed
program() {
	name=$1 most=$2
	shift 2
	command -v "$1" >/dev/null || { skip "$name is not there" 5; return; }
	rm -f maps kept.mur report
	"$@" >want 2>/dev/null
	status=$?
	LD_PRELOAD=$PWD/last.so timeout 250 memusage -o report -v --pages-as-heap=yes \
		--record=kept.mur "$@" >got 2>/dev/null
	is $? "$status" "$name: ends as alone"
	same got want "$name: prints as alone"
	missed=$(sed -n 's/^memusage: \([0-9]*\) bytes of pages were .*/\1/p' report |
		awk '{ sum += $1 } END { print sum + 0 }')
	num "$missed" -le "$most" "$name: what the recorder finds missing"
	ours=$(memusageprint --tree=end --to=folded kept.mur 2>/dev/null |
		awk '{ sum += $NF } END { printf "%.0f", sum }')
	theirs=$(kernel)
	read -r own stack <<-END
		$(sed -n 's/^memusage: mapped at the end: .* counted \([0-9]*\) .*stack \([0-9]*\) .*/\1 \2/p' report)
	END
	num "${own:-0}" -gt 0 "$name: memusage's own is told"
	echo "# $name: the kernel has $theirs, counted $ours, own $own, of the stack $stack"
	is $((theirs - own + stack - ours)) "$missed" "$name: the sum is the kernel's"
}

program sqlite3 0 sqlite3 :memory: 'create table t(a); with recursive n(i) as (select 1 union all
	select i + 1 from n where i < 200000) insert into t select randomblob(100) from n;
	select count(*) from t;'
program python3 0 python3 -c 'import ctypes, json, mmap, socket, threading
def work():
    for i in range(50):
        bytearray(300000 + i * 9000)
        mmap.mmap(-1, 10000 + i * 4096)
threads = [threading.Thread(target=work) for i in range(20)]
[t.start() for t in threads]
[t.join() for t in threads]
kept = [bytearray(200000) for i in range(300)]
print(len(kept))'
program java 0 java -XX:+UseSerialGC -version
program java-G1 0 java -XX:+UseG1GC -version
program node 100000 node -e 'let a = []; for (let i = 0; i < 300000; i++) a.push({ i });
	console.log(a.length)'
program git 0 git --version

# A database: many processes that fork, shared memory, files; as another user where root may not. Also
# where no code can be changed.
if command -v pg_config >/dev/null || ls -d /usr/lib/postgresql/*/bin >/dev/null 2>&1; then
	. "$MU_SRC/tests/lib/servers.sh"
	for refuse in '' "$WORKLOADS/refuse"; do
		server_base
		name=PostgreSQL${refuse:+, no code changed}
		# shellcheck disable=SC2086
		pg_as timeout 200 memusage -o "$base/initdb.report" --pages-as-heap=yes \
			--trace-children=yes --record="$base/initdb.mur" $refuse \
			"$PG_BINARIES/initdb" -D "$base/data" -A trust -U me --no-locale -E UTF8 -N \
			>initdb.out 2>&1
		is $? 0 "$name: initdb ends well"
		like "$(cat initdb.out)" '^Success' "$name: ... and says so"
		# shellcheck disable=SC2086
		postgres_start timeout 250 memusage -o "$base/report" --pages-as-heap=yes \
			--record="$base/kept.mur" $refuse
		postgres_bench -c 4 -j 2 -t 250 >bench.out
		like "$(cat bench.out)" 'processed: 1000/1000$' "$name: no transaction is lost"
		postgres_stop
		is $? 0 "$name: the server ends well"
		memusageprint --to=folded "$base/kept.mur" >stacks 2>/dev/null
		like "$(cat stacks)" '^.*;_?_?(mmap|mmap64|shmat) [0-9]{8,}' "$name: its shared memory has a place"
		if [ -z "$refuse" ]; then
			unlike "$(cat "$base/initdb.report" "$base/report")" 'not seen|not recorded' \
				"$name: all that the kernel has was seen"
		else
			like "$(cat "$base/report")" 'code cannot be changed here' "$name: said"
		fi
		rm -rf "$base"
	done
else
	skip 'no PostgreSQL' 12
fi
program perl 0 perl -e 'my %h; $h{$_} = "x" x 50 for 1 .. 50000; print scalar keys %h'
done_testing
