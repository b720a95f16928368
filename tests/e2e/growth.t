#!/bin/sh
# growth.t -- memusageprint --growth names the places that grew between two moments, with exact bytes.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint grower
need_libdw
need jq
PATH=$WORKLOADS:$PATH

# growth [OPTION]...: of the recording
growth() { run memusageprint "$@" run.mur; }
# lines FUNCTION: the lines of the first list that have it
lines() { printf '%s\n' "$out" | sed -n '/grown by/,/^$/p' | grep "$1"; }

memusage -q --record=run.mur grower >truth
num "$(wc -c <run.mur)" -gt 10000 'there is a recording'
is "$(sed -n 1p truth)" 'steady..done entry=36000 name=100 pool=-50000' 'and a truth'

growth --growth=steady..done
is "$status" 0 'growth between two marks'
like "$(printf '%s\n' "$out" | sed -n 2p)" \
	'^put_entry .*grew by 38\.1 KiB from steady \([0-9.]+ [a-z]*s\) to done \(.*: 99\.7% of all growth$' \
	'... the headline comes first; the last of several marks ends it'
like "$(lines put_entry)" '^ *38\.1 KiB +99\.7% +13 ' '... bytes and blocks'
like "$(lines make_name)" '^ *100 B +0\.3% +1 ' '... of every place'
like "$(lines shrank)" '^ *-48\.8 KiB +-5  1 place that shrank$' '... what shrank is one line'
like "$out" '^In all, the heap shrank by 10\.6 KiB\.$' '... and the sum is that of the heap'
like "$out" 'called by main' '... with callers'
# On a busy machine the event that makes the snapshot comes some milliseconds later: a line for each
# of the two marks.
printf '%s\n' "$out" | sed -n \
	's/^The places at \(.*s\) are not known: those at \(.*s\), the nearest moment.*/\1 \2/p' |
	awk '{ printf "%d\n", $3 * ($4 == "s" ? 1000 : 1) - $1 * ($2 == "s" ? 1000 : 1) }' |
	sort -n >off
# Times of a second and more are rounded to 10 ms.
most=$(tail -1 off) least=$(head -1 off)
num "${most:-0}" -le $(($(sed -n 's/^late=//p' truth) + 10)) '... the snapshots were at the marks'
num "${least:-0}" -ge 0 '... after them'
growth --growth=done..done
like "$(lines put_entry)" '^ *2\.93 KiB +100\.0% +1 ' 'the mark before the last begins it'
growth --growth=start..mark:done
like "$(lines fill_pool)" '^ *146 KiB .* 15 ' 'from the start, net of what was freed'
like "$out" 'from the start to done' '... in words'
growth --growth=start..peak --group=function
like "$out" '^fill_pool \(grower.c:[0-9]+\) grew by 195 KiB from the start to the peak' \
	'to the peak, by function'
growth --growth
part=$(printf '%s\n' "$out" | sed -n 's/.* from \(.*s\) to the end (\([^)]*\)).*/\1 \2/p' |
	awk 'NR == 1 { printf "%d", 100 * $1 * ($2 == "s" ? 1000 : 1) / ($3 * ($4 == "s" ? 1000 : 1)) }')
num "${part:-0}" -ge 10 'moments that are not given are the middle'
num "${part:-0}" -le 90 '... and the end'
growth --growth=0.2s..end
like "$(lines put_entry)" '^ *38\.1 KiB ' 'a time'
growth '--growth=0 min 200 ms..'
like "$(lines put_entry)" '^ *38\.1 KiB ' '... in several units'
growth --growth=0..2 --grep=fill_pool
like "$out" '^fill_pool.* grew by ' 'snapshots by number, and --grep'
growth --growth=peak..end
like "$out" '^put_entry|^nothing grew' 'the peak may be the beginning'
growth --growth=start --top=1
is "$(printf '%s\n' "$out" | grep -c 'of all growth$')" 1 'beside other reports'

run memusage -q --growth=steady..done grower
like "$err$out" 'put_entry .*grew by 38\.1 KiB from steady' 'memusage prints it after the run'

run memusage -q --growth=5000s..6000s grower
like "$err" '^memusageprint: --growth: 6000s is after the last moment that is known, [0-9.]+ s$' \
	'... or says which option of the run was wrong'
run memusage -q --growth=done..steady grower
is "$err" 'memusageprint: --growth: done is after steady' '... without a name of its file'

# What is freed at the end has grown all the same.
memusage -q --record=free.mur grower free >/dev/null
run memusageprint --growth=0 free.mur
like "$out" '^fill_pool.* to the peak' 'a process that frees its memory at its end is compared with its peak'

for moment in nonsense 99999 1000h 5parsecs mark:peak ..nonsense; do
	growth "--growth=$moment"
	is "$status" 1 "--growth=$moment is an error"
	like "$err" 'no mark is called|no snapshot 99999|after the last moment' '... with the reason'
done
json() { memusageprint --to=json "$@" run.mur | jq -r '.growth | "\(.from) \(.to) \(.bytes) \(.blocks)"'; }
is "$(json --growth=steady..done)" 'snapshot snapshot -10900 9' 'JSON has the moments of --growth'
like "$(json)" '^snapshot end ' '... without it those that it chooses'
is "$(memusageprint --to=json --growth=nonsense run.mur 2>/dev/null)" '' '... and no others'
growth --growth=done..steady
like "$err" 'done is after steady' 'so are moments in the wrong order'
memusage -q -d run.dat grower >/dev/null
run memusageprint --growth run.dat
isnt "$status" 0 'another kind of file has no growth'
done_testing
