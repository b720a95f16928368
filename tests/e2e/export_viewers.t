#!/bin/sh
# export_viewers.t -- files for speedscope and Perfetto have the sums that JSON has, and lead nowhere
# outside.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint phases
need python3

memusage -q --record=run.mur "$WORKLOADS/phases" 1000 10 </dev/null >/dev/null
memusageprint --to=json -o run.json run.mur

ok 'speedscope: written' memusageprint --to=speedscope -o run.speedscope.json run.mur
cat >speedscope.py <<'EOF'
import json
want = json.load(open('run.json'))
got = json.load(open('run.speedscope.json'))
frames = got['shared']['frames']
print(got['$schema'], got['activeProfileIndex'])
for p in got['profiles']:
    assert p['type'] == 'sampled' and len(p['samples']) == len(p['weights'])
    assert p['startValue'] == 0 and p['endValue'] == sum(p['weights'])
    assert all(0 <= n < len(frames) for s in p['samples'] for n in s)
by_name = {p['name']: p for p in got['profiles']}
for name, member in (('live at the peak', 'peak_bytes'), ('live at the end', 'live_bytes'),
                     ('allocated in all', 'total_bytes'), ('allocations', 'total_blocks')):
    sums = by_name[name]['endValue'], sum(s[member] for s in want['sites'])
    print(name, 'ok' if sums[0] == sums[1] else sums)
heaviest = by_name['live at the peak']
stack = heaviest['samples'][heaviest['weights'].index(max(heaviest['weights']))]
print(' '.join(frames[n]['name'] for n in stack), frames[stack[-1]]['file'].split('/')[-1])
EOF
run python3 speedscope.py
is "$out" "https://www.speedscope.app/file-format-schema.json 0
live at the peak ok
live at the end ok
allocated in all ok
allocations ok
main hold_big phases.c" '... with the sums and stacks of all profiles'
[ "$status" -eq 0 ] || diag "$err"

ok 'Perfetto: written' memusageprint --to=perfetto -o run.pftrace run.mur
if command -v protoc >protoc.path; then
	# What this test looks at, by the numbers of Perfetto's own definitions.
	cat >trace.proto <<'EOF'
syntax = "proto2";
message Sample { optional uint64 stack = 1; optional uint64 allocated = 2;
  optional uint64 freed = 3; optional uint64 most = 8; }
message Dump { optional uint64 pid = 1; repeated Sample sample = 2; optional string heap = 11; }
message Profile { repeated Dump dump = 5; }
message Counter { optional uint32 kind = 9; optional uint64 track = 11; optional int64 value = 30; }
message Packet { optional uint64 timestamp = 8; optional Counter counter = 11;
  optional Profile profile = 37; }
message Trace { repeated Packet packet = 1; }
EOF
	protoc --decode=Trace trace.proto <run.pftrace >trace.txt 2>protoc.err
	is "$?" 0 '... protoc decodes it'
	cat >trace.py <<'EOF'
import json, re
want = json.load(open('run.json'))
dumps, heap = [], None
for line in open('trace.txt'):
    word, _, value = line.strip().partition(': ')
    if line.strip() == 'dump {':
        heap = {'allocated': 0, 'freed': 0, 'most': 0}
        dumps.append(heap)
    elif heap is not None and word in heap:
        heap[word] += int(value)
    elif word == 'heap':
        heap['name'] = value
end = [d for d in dumps if d['name'] == '"malloc"'][-1]
peak = dumps[-1]
def total(member):
    return sum(s[member] for s in want['sites'])
print(end['allocated'] == total('total_bytes'),
      end['allocated'] - end['freed'] == total('live_bytes'),
      peak['name'], peak['most'] == total('peak_bytes'), len(dumps) > 2)
EOF
	is "$(python3 trace.py)" 'True True "malloc, at the peak" True True' \
		'... with the sums of the end and of the peak'
	like "$(cat trace.txt)" 'kind: 4' '... and counters'
else
	skip 'no protoc' 3
fi
done_testing
