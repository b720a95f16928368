#!/bin/sh
# merge.t -- memusageprint --merge adds up ten thousand recordings of 1 MB: its time grows with their
# number alone, it needs less than 1 GB, the sums are right, and several readers say what one says.
#
# The recordings are real ones of python3, sixteen different ones, under many names.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint
need python3
python=$(python3 -c 'import sys; print(sys.executable)')

variants=16
for i in $(seq $variants); do
	memusage -q --record="v$i.mur" "$python" -c "
import argparse, asyncio, decimal, email.message, http.server, json, re, unittest, xml.dom.minidom
words = [str(k) for k in range(2000 * $i)]
table = {k: [k] * 3 for k in words}
patterns = [re.compile('a%d|b' % k) for k in range(10 * $i)]" || fail "python3 $i"
done
num "$(find . -name 'v*.mur' -size +500k | wc -l)" -eq $variants 'recordings are about 1 MB'

cat >measure.py <<'EOF'
# measure.py NUMBER: merges so many; prints CPU and elapsed milliseconds, KiB of memory, and whether sums are right
import json, os, resource, subprocess, sys, time
number, variants = int(sys.argv[1]), int(sys.argv[2])
os.mkdir('many')
names = []
for k in range(number):
    names.append('many/r%d.mur' % k)
    os.link('v%d.mur' % (k % variants + 1), names[-1])
def report(*args):
    return subprocess.run(['memusageprint', '--to=json', *args], check=True,
                          stdout=subprocess.PIPE).stdout
def load(*args):
    return json.loads(report(*args))
def total(j):
    return sum(s['total_bytes'] for s in j['sites'])
want = sum(total(load('v%d.mur' % (i + 1))) * ((number - i + variants - 1) // variants)
           for i in range(variants))
one = report('--merge', '--readers=1', *names) if number <= 1000 else None
began = time.monotonic()
before = resource.getrusage(resource.RUSAGE_CHILDREN)
# The list of names is longer than a command line may be.
text = report('--merge', *names)
elapsed = time.monotonic() - began
after = resource.getrusage(resource.RUSAGE_CHILDREN)
merged = json.loads(text)
for name in names:
    os.unlink(name)
os.rmdir('many')
cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
right = total(merged) == want and (one is None or one == text)
print(int(cpu * 1000), int(elapsed * 1000), after.ru_maxrss, 'right' if right else
      'wrong: %d for %d' % (total(merged), want))
EOF
sed -i '/longer than a command line/d' measure.py

for number in 100 1000 10000; do
	run python3 measure.py "$number" "$variants"
	diag "$number recordings: CPU ms, elapsed ms, KiB, sums: $out"
	is "${out##* }" right "$number recordings: sums are right, with any number of readers"
	eval "ms_$number=${out%% *}"
	rest=${out#* * }
	eval "kib_$number=${rest%% *}"
done
# shellcheck disable=SC2154 # of eval
{
	num "$ms_10000" -lt "$((ms_1000 * 16))" 'ten times as many cost about ten times as much'
	num "$kib_10000" -lt 1048576 'they need less than 1 GiB'
	diag "10,000 recordings: $((ms_10000 / 1000)) s of CPU time"
	num "$ms_10000" -lt 120000 '... and a minute of two cores'
}
done_testing
