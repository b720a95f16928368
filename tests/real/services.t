#!/bin/sh
# services.t -- a browser, a database with its clients, and programs in java and node do under call
# stacks what they do without, and the report names functions.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint

n='[0-9]+'

# The memory of at least one place, and no crash of ours.
readable() {
	like "$(cat "$1")" "^ +[0-9.]+ [KMG]?i?B +$n%  [^ ]" "$2: a tree with places"
}

# ---- a browser; its own allocator is not seen, and that is said
if command -v chromium >/dev/null; then
	cat >page.html <<'END'
<html><body><h1 id=x>start</h1><script>let a = []; for (let i = 0; i < 10000; i++) a.push({ i });
document.getElementById('x').textContent = 'sum ' + a.reduce((s, o) => s + o.i, 0);</script></body></html>
END
	set -- chromium --headless --no-sandbox --disable-gpu --dump-dom
	timeout 60 "$@" --user-data-dir="$PWD/plain" "file://$PWD/page.html" >want 2>err
	if grep -q 'sum 49995000' want; then
		timeout 100 memusage -o report --tree "$@" --user-data-dir="$PWD/measured" \
			"file://$PWD/page.html" >got 2>err
		is $? 0 'chromium: its status'
		same got want 'chromium: the same page'
		like "$(cat report)" 'Memory usage summary|calls the malloc of' 'chromium: a report'
	else
		skip 'chromium does not run here' 3
	fi
else
	skip 'no chromium' 3
fi

# ---- a database: not as root
binaries=$(printf '%s\n' /usr/lib/postgresql/*/bin | tail -1)
as() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME="$base" TMPDIR="$base" "$@"
	else
		"$@"
	fi
}

# database NAME [WRAPPER...]: makes one, starts it, fills it, asks it, stops it
database() {
	name=$1
	shift
	mkdir "$base/$name" && chmod 777 "$base/$name"
	as "$@" "$binaries/initdb" -D "$base/$name/data" -A trust -U me --no-locale -E UTF8 -N \
		>"$base/$name/initdb.out" 2>&1 || return 1
	as "$@" "$binaries/postgres" -D "$base/$name/data" -k "$base/$name" -c listen_addresses= \
		-c fsync=off >"$base/$name/server.out" 2>&1 &
	server=$!
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		as "$binaries/pg_isready" -q -h "$base/$name" && break
		sleep 0.5
	done
	as "$binaries/pgbench" -h "$base/$name" -U me -i -q postgres >"$base/$name/fill" 2>&1
	as "$binaries/pgbench" -h "$base/$name" -U me -c 4 -j 2 -t 100 postgres >"$base/$name/bench" 2>&1
	as "$binaries/psql" -h "$base/$name" -U me -At postgres >"$base/$name/answer" -c \
		'select count(*), sum(aid) from pgbench_accounts; select count(*) from pgbench_history'
	as "$binaries/pg_ctl" -D "$base/$name/data" -m fast stop >/dev/null 2>&1
	wait $server
}

# Nobody can come into the test's own directory.
base=$(mktemp -d /tmp/memusage-test.XXXXXX)
chmod 777 "$base"
cd "$base" || exit 1
if [ -x "$binaries/initdb" ] && as test -w . && as test -x "$MU_BUILD/bin/memusage"; then
	database plain_db
	is $? 0 'postgres: runs without us'
	printf '100000|5000050000\n400\n' >want
	same plain_db/answer want 'postgres: the answer'
	database tree_db "$MU_BUILD/bin/memusage" --tree --children=lines -o "$base/tree_report"
	is $? 0 'postgres --tree: the same status'
	same tree_db/answer plain_db/answer 'postgres --tree: the same answer'
	readable tree_report 'postgres'
	like "$(cat tree_report)" 'AllocSet|Aset|malloc' 'postgres: its functions'
	database massif_db "$MU_BUILD/bin/memusage" --massif --massif-out-file="$base/massif.%p" -q
	is $? 0 'postgres --massif: the same status'
	same massif_db/answer plain_db/answer 'postgres --massif: the same answer'
	num "$(printf '%s\n' massif.* | wc -l)" -gt 5 'postgres --massif: a profile per process'
else
	skip 'no PostgreSQL server that a user other than root can run' 9
fi
cd "$MU_TMP" || exit 1
rm -rf "$base"

# ---- programs that make code at run time
if command -v node >/dev/null; then
	cat >work.js <<'END'
const m = new Map(); for (let i = 0; i < 20000; i++) m.set('k' + i, Buffer.alloc(10));
console.log(m.size, require('zlib').deflateSync(Buffer.alloc(100000, 'ab')).length);
END
	node work.js >want
	memusage -o report --tree node work.js >got
	is $? 0 'node: its status'
	same got want 'node: the same output'
	readable report 'node'
	memusage -q --massif --massif-out-file=node.out node work.js >got
	same got want 'node --massif: the same output'
	ok '... and a profile that can be printed' memusageprint node.out
else
	skip 'no node' 5
fi
if command -v javac >/dev/null; then
	cat >Work.java <<'END'
import java.util.*;
public class Work {
	public static void main(String[] a) throws Exception {
		Map<String, byte[]> m = new HashMap<>();
		for (int i = 0; i < 20000; i++)
			m.put("k" + i, new byte[10]);
		java.util.zip.Deflater d = new java.util.zip.Deflater();
		d.setInput(new byte[100000]);
		d.finish();
		System.out.println(m.size() + " " + d.deflate(new byte[100000]));
	}
}
END
	javac Work.java && java -cp . Work >want
	memusage -o report --tree java -cp . Work >got
	is $? 0 'java: its status'
	same got want 'java: the same output'
	readable report 'java'
	memusage -q --massif --massif-out-file=java.out java -cp . Work >got
	same got want 'java --massif: the same output'
	ok '... and a profile that can be printed' memusageprint java.out
else
	skip 'no java compiler' 5
fi

done_testing
