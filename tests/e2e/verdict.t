#!/bin/sh
# verdict.t -- reports say of a place whether it still grows, has settled or churns, and whether RSS
# rises while live bytes do not. The time is the byte clock, so the order of events decides.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint memusagestat trends
need jq
PATH=$WORKLOADS:$PATH

# verdict FUNCTION: the end of its line in the list of places that grew
verdict() { printf '%s\n' "$out" | sed -n "/grown by/,/^\$/s/^.* $1 ([^)]*)//p"; }
# verdicts: those of a list on standard input, in its order
verdicts() { grep -oE '(still growing|settled|churns)$'; }
# trend FILE BYTES: that of the site which allocated so many bytes, in JSON
trend() { memusageprint --to=json "$1" | jq -r ".sites[] | select(.total_bytes == $2) | .trend"; }

memusage -q --time-unit=B --record=run.mur trends 400
run memusageprint --growth=start..end run.mur
is "$(verdict keep_entry)" ', still growing' 'a place that keeps blocks to the end still grows'
is "$(verdict fill_cache)" ', settled' 'a place that filled up before has settled'
is "$(verdict use_buffer)" ', churns' 'a place that replaces its blocks churns'
is "$(verdict make_late)" '' 'a place of young blocks has no verdict'
like "$out" '[0-9]  make_late ' '... but is in the list'
like "$out" '^Verdicts ' 'the words are explained'
unlike "$out" 'RSS' 'no memory but that of the places rises'
run memusageprint --growth=start..end --group=file run.mur
like "$out" '  .*trends\.c, still growing$' 'places are judged as they are grouped'
is "$(trend run.mur 400000) $(trend run.mur 300000) $(trend run.mur 40000000) $(trend run.mur 100000)" \
	'grows settled churns null' 'JSON has the verdicts'
run memusageprint --top run.mur
like "$(printf '%s\n' "$out" | sed -n 2,3p)" 'keep_entry .*
It was still growing\.$' '--top says that the largest place still grows'
run memusageprint --top --grep=fill_cache run.mur
unlike "$out" 'still growing' '... only if it does'

run memusage -q --time-unit=B --growth=start..end trends 400
like "$err$out" 'keep_entry .*, still growing' 'memusage says it after the run'

if has_page "$MU_BUILD" && command -v node >/dev/null; then
	memusagestat --html=run.html run.mur
	for group in function file; do
		run memusageprint --growth=start..end --group=$group run.mur
		list=$(printf '%s\n' "$out" | sed -n '/grown by/,/^$/p' | verdicts)
		is "$(node "$MU_SRC/tests/lib/page_lists.mjs" "$MU_SRC" run.html growth-all $group |
			verdicts)" "$list" \
			"the page has the verdicts of the text by $group"
	done
else
	skip 'this build has no HTML page' 2
fi

memusage -q --time-unit=B --record=short.mur trends 4
run memusageprint --growth=start..end short.mur
is "$(verdict keep_entry)" '' 'four blocks are no evidence'

# Errors of estimates, larger than the changes.
memusage -q --time-unit=B --sample=100000 --record=few.mur trends 400
run memusageprint --growth=start..end few.mur
is "$(verdict keep_entry)$(verdict fill_cache)" '' 'estimates of few samples are none either'

# The collector samples RSS by the clock: on a machine that starves it, the series has holes.
for step in 30 60 120 250 500; do
	memusage -q --record=holes.mur trends fragment $step
	[ "$(memusageprint --to=json holes.mur | jq .resident_rise)" = null ] || break
done
run memusageprint --growth=start..end holes.mur
like "$out" '^Private memory \(RSS\) rises from [0-9.]+ MiB to [0-9.]+ MiB, live bytes do not' \
	'fragmentation is told, with both figures'
is "$(memusageprint --to=json holes.mur | jq '.resident_rise | .to - .from > 4 * (.heap_to - .heap_from)')" \
	true '... also in JSON'
if has_page "$MU_BUILD"; then
	memusagestat --html=holes.html holes.mur
	page() { perl "$MU_SRC/tests/lib/page.pl" holes.html "$1"; }
	is "$(page resident_rise.from) $(page resident_rise.to)" \
		"$(memusageprint --to=json holes.mur | jq -r '.resident_rise | "\(.from) \(.to)"')" \
		'... and on the page'
else
	skip 'this build has no HTML page'
fi
is "$(memusageprint --to=json run.mur | jq .resident_rise)" null '... which else has none'

# ---- real programs --------------------------------------------------------------------------

# real LARGEST WANTED WHAT PROGRAM...: the verdict on the site that has the largest LARGEST
real() {
	largest=$1 wanted=$2 what=$3 program=$4
	shift 3
	command -v "$program" >/dev/null || { skip "no $program here"; return; }
	PERL_HASH_SEED=0 PYTHONMALLOC=malloc memusage -q --time-unit=B --record=real.mur "$@" >/dev/null
	is "$(memusageprint --to=json real.mur | jq -r ".sites | max_by(.$largest).trend")" \
		"$wanted" "$program: $what"
}
cat >keep.pl <<'END'
for my $i (1 .. 3000) { push @kept, "x" x 1000; my @lines = map { "y" x 200 } 1 .. 20; }
END
cat >keep.py <<'END'
kept = []
for i in range(5000):
	kept.append(b"x" * (1000 + i % 7))
	line = [b"y" * (2000 + k) for k in range(5)]
END
cat >cache.sql <<'END'
create table t(a integer primary key, b text);
with recursive c(i) as (select 1 union all select i + 1 from c where i < 3000)
	insert into t select i, hex(zeroblob(100)) from c;
END
for i in $(seq 1200); do
	echo "select count(*) from t where b like '%$i%';"
done >>cache.sql
real peak_bytes grows 'a list that keeps its strings' perl keep.pl
real peak_bytes grows 'a list that keeps its bytes' python3 keep.py
real peak_bytes settled 'the pages of a table that is only read' sqlite3 \
	-lookaside 0 0 :memory: '.read cache.sql'
done_testing
