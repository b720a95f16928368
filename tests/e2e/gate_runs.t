#!/bin/sh
# gate_runs.t -- memusage --runs=N runs a program N times, shows how its figures vary, and judges all runs
# together; a run that fails ends it.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint budget

budget=$WORKLOADS/budget
mkdir tmp
export TMPDIR="$MU_TMP/tmp"

run memusage --runs=3 "$budget" 200 3
is "$status" 0 'three runs'
is "$(printf '%s\n' "$out" | grep -c '^peak=200900')" 3 'the program ran so often'
like "$err" '^ +least +median +most +of 3 runs$' 'a table is printed'
like "$err" '^ *196 KiB +196 KiB +196 KiB  heap peak: exact$' '... of the heap'
like "$err" '^ *206 +206 +206  calls: exact$' '... of calls'
like "$err" '^ .*  rss peak: depends on the machine$' '... of resident memory'
is "$(ls tmp)" '' 'no recording is left'

# Its argument is larger in each run.
cat >growing <<EOF2
#!/bin/sh
echo x >>count
exec "$budget" "\$((100 * \$(wc -l <count)))"
EOF2
chmod +x growing
run memusage --runs=3 --fail-if='heap peak > 150k' ./growing
is "$status" 0 'not every run breaks the condition'
like "$err" 'heap peak > 150k: 195 KiB, .*; the limit is passed in 2 of 3 runs \(97\.7 KiB to 293 KiB\)' \
	'... as it says'
like "$err" '^ *97\.7 KiB +195 KiB +293 KiB  heap peak: depends on the machine$' \
	'a figure that varies is not called exact'
rm count
run memusage -q --runs=2 --record=quiet.%n.mur "$budget" 200
is "$status: $err" '0: ' '-q without a condition prints nothing'
ok '... and records' test -s quiet.2.mur
run memusage -q --runs=3 --fail-if='heap peak > 90k' ./growing
is "$status" 100 'every run breaks the condition'
is "$(printf '%s\n' "$err" | sed -n 1p | cut -c1-58)" \
	'memusage: heap peak > 90k: 195 KiB, 105 KiB over the limit' 'the sentence comes first'
unlike "$err" 'least' '... without a table with -q'
rm count

memusage -q --record=old.mur "$budget" 200
run memusage -q --runs=3 --baseline=old.mur --fail-if='heap peak > +1%' "$budget" 200
is "$status" 0 'nothing grew'
run memusage -q --runs=3 --baseline=old.mur --fail-if='heap peak > +1%' "$budget" 203
is "$status" 100 'growth by 1.5 %'
run memusage -q --runs=3 --record=kept.%n.mur --fail-if='heap peak > 10k' "$budget" 200
is "$status" 100 'runs that are kept are judged'
is "$(echo kept.*)" 'kept.1.mur kept.2.mur kept.3.mur' '... each in a file of its own'
run memusageprint --runs kept.1.mur kept.2.mur kept.3.mur
like "$out" '^ *195 KiB +195 KiB +195 KiB  heap peak: exact$' '... which are recordings'
run memusage -q --runs=2 --record='100%%.%n.mur' "$budget" 10
ok '... with a percent sign in the name' [ -s '100%.2.mur' ]
run memusage --runs=3 --record=one.mur "$budget" 10
is "$status" 125 'a name for all runs is refused'
like "$err" 'as in --record=run\.%n\.mur' '... with the way out'
run memusage --runs=3 --record "$budget" 10
is "$status" 125 '... and so is the usual name'

for size in 100 101 102 200 201 202; do
	memusage -q --record="$size.mur" "$budget" "$size"
done
baselines='--baseline=100.mur --baseline=101.mur --baseline=102.mur'
# shellcheck disable=SC2086 # several words
{
	run memusageprint --ci=json:p.json --fail-if='heap peak > +1%' $baselines 200.mur 201.mur 202.mur
	is "$status" 100 'growth of a figure that varies'
	like "$out" 'heap peak > \+1%: grew by .*, p = 0\.100 \(3 \+ 3 runs\)' '... how likely it is chance'
	like "$(cat p.json)" '"p":0\.100000,' '... in JSON'
	run memusageprint --fail-if='heap peak > +1%' $baselines 101.mur
	unlike "$out" ', p = ' '... not of one run'
}
run memusage -q --runs=2 --fail-if='leaks > 0' "$budget" 10 1
is "$status" 100 'the leak check is made in each run'
run memusage -o report.txt --runs=2 --ci=json:run.json --fail-if='calls > 5' "$budget" 10
is "$status$err" 100 'the report goes to its file'
like "$(cat report.txt)" 'calls > 5: 10, 5 over the limit, in each of 2 runs' '... as it is'
like "$(cat run.json)" '"runs":2' '... and the format has all runs'

run memusage --runs=3 "$budget" 10 0 4
is "$status" 4 'a run that fails ends it'
is "$(printf '%s\n' "$out" | grep -c '^peak')" 1 '... at once'
run sh -c "memusage --runs=3 sh -c 'kill -TERM \$\$'"
is "$status" 143 'so does a signal'
run timeout 1 memusage --runs=1000 sleep 0.2
is "$status" 124 'SIGTERM ends all runs'
# A signal right at the start of a run leaves the run's empty folder for sockets, memusage-XXXXXX.
is "$(find tmp -name 'memusage.*')" '' '... and no recording is left'
for option in --top --record=x.mur --html=x.html --leaks --massif --mode=copy; do
	run memusage --runs=2 "$option" echo ran
	is "$status$out" 125 "$option is refused"
done
run memusageprint --runs old.mur old.mur
like "$out" '^ *195 KiB +195 KiB +195 KiB  heap peak: exact$' 'memusageprint compares recordings'
done_testing
