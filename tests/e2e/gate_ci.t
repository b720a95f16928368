#!/bin/sh
# gate_ci.t -- --ci writes what the formats' own schemas and parsers take, whatever names are in it, with
# the file and line of the place; GitHub is recognised by itself.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint budget
need_libdw
unset GITHUB_ACTIONS GITHUB_WORKSPACE GITHUB_STEP_SUMMARY CI_PROJECT_DIR

budget=$WORKLOADS/budget
all='gitlab junit sarif markdown json openmetrics'
cat >budget.txt <<'EOF2'
heap peak > 100k
leaks > 0
rss peak > 1G
mmap peak > 1
calls at /"|\\|x{2}/ > 0
heap peak > +1%
stack peak > +0
EOF2
# judge FILE [OPTION]...: by all conditions, of each state
judge() {
	file=$1
	shift
	run memusageprint --baseline=base.mur --budget=budget.txt "$@" "$file"
}

# A function and a file whose names mean something in every format.
mkdir -p src
name='a"b,c:d%25<e>&f|g`h\i #.c'
sed 's/read_line/read_line_of_a_name/' "$MU_SRC/tests/workloads/budget.c" >"src/$name"
if compiled gcc -g -O1 -o strange "src/$name"; then
	memusage -q --leak-check=full -o checks --record=base.mur ./strange 200 3 >/dev/null
	memusage -q --leak-check=full -o checks --record=strange.mur ./strange 300 4 >/dev/null
else
	memusage -q --leak-check=full -o checks --record=base.mur "$budget" 200 3 >/dev/null
	memusage -q --leak-check=full -o checks --record=strange.mur "$budget" 300 4 >/dev/null
fi
for format in $all; do
	judge strange.mur --ci="$format:out.$format"
	is "$status" 100 "$format: the status is that of the conditions"
	like "$out" '^heap peak > 100k: 294 KiB, 194 KiB over the limit$' '... and the text is printed'
	is "$(stat -c %a "out.$format")" 600 '... and only its user may read the file'
	judge strange.mur --ci="$format"
	is "$status" 100 '... without a file'
	same "$MU_TMP/.out" "out.$format" '... it is on standard output instead of the text'
done
like "$(cat out.json)" '"state":"broken"' 'a condition is broken'
like "$(cat out.json)" '"state":"holds"' 'one holds'
for format in junit markdown json; do
	like "$(cat out.$format)" 'no call stack has a function that fits' "$format: so does a remark"
done
like "$(cat out.json)" '"state":"unknown"' 'one cannot be judged'

# ---- schemas and parsers -------------------------------------------------------------------------

if command -v xmllint >xmllint.path; then
	ok 'JUnit: the schema' xmllint --noout --schema "$MU_SRC/tests/lib/junit.xsd" out.junit
	is "$(xmllint --xpath 'string(//testsuite/@failures)' out.junit)" 3 '... counts failures'
	is "$(xmllint --xpath 'count(//failure)' out.junit)" 3 '... which are there'
	is "$(xmllint --xpath 'count(//error)' out.junit)" 1 '... and errors'
	like "$(xmllint --xpath 'string(//failure)' out.junit)" '^    at read_line' '... with stacks'
	sed 's/<testcase/<testcases/' out.junit >wrong.junit
	nok '... and the schema knows a mistake' xmllint --noout \
		--schema "$MU_SRC/tests/lib/junit.xsd" wrong.junit
else
	skip 'no xmllint here' 6
fi
python=
for candidate in python3 /usr/bin/python3; do
	"$candidate" -c 'import prometheus_client' 2>/dev/null && python=$candidate && break
done
if [ -n "$python" ]; then
	cat >parse.py <<'EOF2'
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
for family in text_string_to_metric_families(open(sys.argv[1]).read()):
    for sample in family.samples:
        print(sample.name, sample.labels['condition'], sample.labels['unit'], float(sample.value))
EOF2
	"$python" parse.py out.openmetrics >figures 2>&1
	like "$(cat figures)" '^memusage_figure heap peak > 100k bytes 301200\.0$' 'OpenMetrics: a figure'
	like "$(cat figures)" '^memusage_broken calls at /"\|\\\\\|x\{2\}/ > 0 count 0\.0$' \
		'... a name with quotes'
	is "$(wc -l <figures)" 18 '... and all others'
	sed 's/# EOF//' out.openmetrics >cut.prom
	nok '... and the parser knows a mistake' "$python" parse.py cut.prom
else
	skip 'no python3-prometheus-client here' 4
fi
python=
for candidate in python3 /usr/bin/python3; do
	"$candidate" -c 'import jsonschema' 2>/dev/null && python=$candidate && break
done
if [ -n "$python" ]; then
	is "$("$python" "$MU_SRC/tests/lib/json_schema.py" validate "$MU_SRC/docs/json.schema.json" \
		out.json 2>&1)" '' 'JSON: the schema'
else
	skip 'no python3-jsonschema here'
fi
if command -v jq >jq.path; then
	is "$(jq -c '[.[] | [.check_name, .severity]] | .[0:2]' out.gitlab)" \
		'[["heap peak","major"],["leaks","major"]]' 'GitLab: the issues'
	is "$(jq '[.[].fingerprint] | unique | length' out.gitlab)" "$(jq length out.gitlab)" \
		'... have fingerprints of their own'
	is "$(jq -c '[.runs[0].results[] | .kind] | sort' out.sarif)" \
		'["fail","fail","fail","fail"]' 'SARIF: the results'
	is "$(jq -r '.runs[0].results[0].stacks[0].frames[0].location.logicalLocations[0].fullyQualifiedName' \
		out.sarif | cut -c1-9)" read_line '... have stacks'
	if [ -x strange ]; then
		is "$(jq -r '.[0].location.path' out.gitlab)" "src/$name" 'GitLab: the file'
		is "$(jq -r '.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri' \
			out.sarif)" 'src/a%22b%2Cc%3Ad%2525%3Ce%3E%26f%7Cg%60h%5Ci%20%23.c' 'SARIF: its URI'
	fi
else
	skip 'no jq here' 6
fi
like "$(sed -n 1p out.markdown)" '^### Memory: 3 of 7 limits broken$' 'Markdown: a title'
if [ -x strange ]; then
	is "$(grep -o 'src/a[^)]*' out.markdown | sed q)" \
		'src/a"b,c&#58;d%25&#60;e&#62;&#38;f&#124;g&#96;h&#92;i &#35;.c&#58;18' \
		'... in which no name is markup'
fi

# ---- GitHub ----------------------------------------------------------------------------------------

judge strange.mur --ci=github
is "$status" 100 'GitHub: the status'
if [ -x strange ]; then
	at='file=src/a"b%2Cc%3Ad%2525<e>&f\|g`h.i #\.c,line=18'
	like "$out" "^::error $at,title=heap peak > 100k::heap peak > 100k: 294 KiB" '... an annotation'
fi
like "$out" '^::error .*title=leaks > 0::.*%0A.* at read_line.*%0A  called by lose \(' '... with stacks'
like "$out" '^::error title=mmap peak > 1::.*cannot be judged' '... one without a line'
like "$out" '^::notice title=calls at .*; no call stack has a function that fits /' \
	'... a remark on a function that is not there'
is "$(printf '%s\n' "$out" | grep -c '^::')" 5 '... and no more'

cd "$MU_TMP" || exit 1
run env GITHUB_ACTIONS=true GITHUB_WORKSPACE="$MU_SRC" GITHUB_STEP_SUMMARY="$MU_TMP/summary" \
	memusage -q --fail-if='heap peak > 100k' "$budget" 200
is "$status" 100 'GitHub is recognised'
like "$err" '^memusage: heap peak > 100k: 195 KiB' '... the text is there'
like "$err" '^::error file=tests/workloads/budget\.c,line=[0-9]+,title=heap peak > 100k::' \
	'... and the annotation, with the path in the repository'
like "$(cat summary)" '^### Memory: 1 of 1 limits broken$' '... and the summary of the step'
run env GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY="$MU_TMP/summary" \
	memusage -q --fail-if='heap peak > 1M' "$budget" 200
is "$status" 0 'a step without a broken limit'
unlike "$err" '^::' '... has no annotation'
is "$(grep -c '^###' summary)" 2 '... and adds to the summary'
run env GITHUB_ACTIONS=true memusageprint --ci=json --fail-if='heap peak > 1k' base.mur
unlike "$out" '^::' 'annotations are not in JSON'
like "$err" '^::error ' '... but on standard error'

run memusageprint --ci=json --ci=github --ci=sarif --fail-if='heap peak > 1k' base.mur
is "$status,$out" 2, 'two formats have no room on standard output'
like "$err" "--ci=json and --ci=sarif cannot both .* --ci=sarif:FILE" '... and it says what to do'

# ---- from a run ------------------------------------------------------------------------------------

run memusage -q --ci=junit:run.xml --ci=json:run.json --fail-if='heap peak > 1k' "$budget" 10
is "$status" 100 'a run with two formats'
like "$(cat run.xml)" '<testsuite name="memusage" tests="1" failures="1"' '... one of them'
like "$(cat run.json)" '"format":"memusage-gate"' '... the other'
# refused PATTERN OPTION...
refused() {
	pattern=$1
	shift
	run memusage "$@" sh -c 'echo ran'
	is "$status$out" 125 "$*: refused before the program runs"
	like "$err" "$pattern" '... with the reason'
}
refused "'teamcity' is none of github, gitlab, junit, sarif, markdown, json, openmetrics" \
	--ci=teamcity --fail-if='heap peak > 1'
refused "'junit' needs a file" --ci=junit --fail-if='heap peak > 1'
refused "'junit:' has no name of a file" --ci=junit: --fail-if='heap peak > 1'
refused "'github:x' annotates the log" --ci=github:x --fail-if='heap peak > 1'
refused 'cannot write no/where: ' --ci=junit:no/where --fail-if='heap peak > 1'
refused '--ci reports on conditions' --ci=github
refused '--ci names same twice' --ci=junit:same --ci=json:same --fail-if='heap peak > 1'
run memusageprint --ci=junit:same --ci=json:same --fail-if='heap peak > 1k' base.mur
is "$status" 2 'memusageprint refuses two formats in one file'
like "$err" '--ci names same twice' '... too'
done_testing
