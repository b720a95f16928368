# bench_programs.sh -- Real programs for the scripts of tests/bench: what they are run on, in the
# directory of tests/lib/bench.sh. $cc1 and $python are programs. $laps is how often each does its work
# in a run (1): a run of many seconds costs the same at its start and its end as a short one.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
# shellcheck disable=SC2034  # they are for the script
laps=${laps:-1}
export laps
repeated() { # TEXT: on standard output, $laps times
	for _ in $(seq "$laps"); do printf '%s\n' "$1"; done
}
repeated "drop table if exists t;
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200000)
	insert into t select i, 'row number ' || i, i / 3.0 from n;
select count(*), sum(length(b)) from t where c > 10;" >bulk.sql
awk -v laps="$laps" 'BEGIN { for (lap = 0; lap < laps; lap++) {
	print "drop table if exists t; create table t(a, b);"
	for (i = 0; i < 150000; i++) print "insert into t values(" i ", \047text" i "\047);" } }' >many.sql
awk -v laps="$laps" 'BEGIN { for (i = 0; i < 150 * laps; i++)
	printf "int f%d(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) " \
		"{ if (a[i] %% %d) s += a[i] * %d; else s ^= a[i] >> %d; } " \
		"switch (s & 7) { case 1: return s; case 3: return -s; } " \
		"return n ? f%d(a + 1, n - 1) : s; }\n", i, i + 2, i, i % 31, i ? i - 1 : 0 }' >big.c
cat >maps.cc <<'END'
#include <map>
#include <string>
#include <vector>
int main()
{
	std::map<std::string, std::vector<std::string>> map;
	size_t sum = 0;

	for (int i = 0; i < 1500000; i++)
		map["a key that is long enough " + std::to_string(i % 50000)].push_back(
			"and a value that is, too: " + std::to_string(i));
	for (auto &entry : map) {
		try {
			sum += entry.second.at(30).size();
		} catch (const std::exception &) {
			sum++;
		}
	}
	return sum == 0;
}
END
cat >lists.pl <<'END'
for (1 .. $ENV{laps}) {
	for my $i (1 .. 1000000) { push @{$h{"key " . $i % 50000}}, "value $i" }
	for my $k (sort keys %h) { $n += length for @{$h{$k}} }
	%h = ();
}
END
cat >document.py <<'END'
import json, os
for lap in range(int(os.environ["laps"])):
    data = [{"id": i, "name": "name %d" % i, "tags": ["a", "b%d" % i], "value": i * 1.5}
            for i in range(100000)]
    assert json.loads(json.dumps(data)) == data
END
cat >messages.py <<'END'
import json, os
for i in range(250 * int(os.environ["laps"])):
    text = json.dumps([{"a": [k, 2.5, 3], "b": "x" * (k % 90)} for k in range(900)])
    assert len(json.loads(text)) == 900
END
cat >parse.py <<'END'
import ast, os
library = os.path.dirname(ast.__file__)
for name in sorted(os.listdir(library)) * int(os.environ["laps"]):
    if name.endswith(".py") and name < "e":
        text = open(os.path.join(library, name), encoding="latin-1").read()
        compile(ast.parse(text), name, "exec")
END
# Each run orders its tables alike.
PERL_HASH_SEED=0 PERL_PERTURB_KEYS=0 PYTHONHASHSEED=0
export PERL_HASH_SEED PERL_PERTURB_KEYS PYTHONHASHSEED
${CXX:-c++} -O2 -o maps maps.cc 2>/dev/null || :
cc1=$(${CC:-cc} -print-prog-name=cc1)
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) || python=''
[ ! -x /usr/bin/python3 ] || python=/usr/bin/python3
