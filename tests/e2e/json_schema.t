#!/bin/sh
# json_schema.t -- what --to=json writes of many kinds of run is what docs/json.schema.json says, with
# no member that is not in it, and docs/json.md has its tables.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint budget

# A python3 that comes first in PATH may not be Debian's, which has the module.
python=
for candidate in python3 /usr/bin/python3; do
	"$candidate" -c 'import jsonschema' 2>/dev/null && python=$candidate && break
done
schema=$MU_SRC/docs/json.schema.json
tool=$MU_SRC/tests/lib/json_schema.py
[ -n "$python" ] || skip_all 'there is no python3-jsonschema'

# is_valid TEXT FILE: it is no empty document. All are validated at the end, because that takes most
# of its time to begin.
files=
is_valid() {
	num "$(wc -c <"$2")" -gt 100 "$1 is written"
	files="$files $2"
}
# try NAME [OPTION]... PROGRAM [ARGUMENT]...: its recording, and all of it as JSON
try() {
	name=$1
	shift
	memusage -q --record="$name.mur" "$@" </dev/null >"$name.out" 2>"$name.err"
	memusageprint --to=json "$name.mur" >"$name.json" 2>>"$name.err"
	is_valid "$name" "$name.json"
}
budget=$WORKLOADS/budget

try plain "$budget" 200 20
try growing "$budget" 300 40
try listing ls -lR /usr/share/doc/base-files /etc
try killed sh -c "'$budget' 5; kill -9 \$\$"
try tree sh -c "'$budget' 5; (exec '$budget' 6); exec '$budget' 7"
try leaks --leak-check=full "$budget" 10 3
is "$(grep -c '"leak_checks"' leaks.json)" 1 '... with its leak check'
try pages --fragmentation "$budget" 1000
is "$(grep -c '"live_sites"' pages.json)" 1 '... with its pages'
try held --holders "$budget" 1000
is "$(grep -c '"shortest"' held.json)" 1 '... with what holds its blocks'
try sampled --sample=1K "$budget" 3000 20
is "$(grep -c '"sampling"' sampled.json)" 1 '... with its bounds'
try mapped --mmap ls /
try mapped_pages --pages-as-heap=yes ls /
try massif_units --massif --time-unit=B "$budget" 100
try asleep --start-paused "$budget" 10
try copies --mode=copy "$budget" 10
if has_emulator; then
	try accesses --accesses=emulate "$budget" 10 2
	like "$(cat accesses.json)" '"written_bytes":[1-9]' '... with its accesses'
else
	skip "$why" 2
fi
for workload in threads requests labels forks trends ends; do
	[ -x "$WORKLOADS/$workload" ] && try "$workload" "$WORKLOADS/$workload"
done
memusageprint --pid="$(sed -n 's/.*"pid":\([0-9]*\),"parent".*/\1/p' tree.json | tail -1)" \
	--to=json tree.mur >last.json
is_valid 'another process' last.json
memusageprint --growth=start..end --to=json growing.mur >moments.json
is_valid 'growth between moments' moments.json
memusageprint --to=massif plain.mur >plain.massif
memusageprint --to=json plain.massif >massif.json
is_valid 'a massif.out' massif.json
memusageprint --to=json plain.mur plain.massif killed.mur >array.json
is_valid 'an array' array.json
for pair in 'plain growing' 'growing plain' 'plain sampled' 'sampled sampled' 'leaks listing'; do
	memusageprint --diff --to=json "${pair% *}.mur" "${pair#* }.mur" \
		>"diff.${pair% *}.${pair#* }.json" 2>/dev/null
	is_valid "the difference of ${pair% *} and ${pair#* }" "diff.${pair% *}.${pair#* }.json"
done
memusageprint --diff --to=json plain.massif growing.mur >diff.json
is_valid 'the difference of a massif.out and a recording' diff.json

sleep 300 &
if memusage --pid=$! -q census census.json 2>/dev/null; then
	is_valid 'a census' census.json
else
	skip 'processes cannot be read here' 1
fi
kill $!

# shellcheck disable=SC2086  # a list of names
"$python" "$tool" validate "$schema" $files >complaints 2>&1
for file in $files; do
	is "$(grep "^$file: " complaints)" '' "$file is valid"
done
is "$(cat complaints)" '' 'and there is no other complaint'

# ---- the validator finds mistakes ----------------------------------------------------------------

# is_invalid TEXT SED: plain.json after an edit
is_invalid() {
	sed "$2" plain.json >edited.json
	cmp -s plain.json edited.json && fail "$1: nothing was edited"
	nok "$1" "$python" "$tool" validate "$schema" edited.json
}
is_invalid 'a member that is not documented' 's/"pid":/"surprise":1,"pid":/'
is_invalid 'a site with one' 's/"call":"malloc"/"call":"malloc","surprise":1/'
is_invalid 'a member that is missing' 's/"heap_total":[0-9]*,//'
is_invalid 'a text for a number' 's/"call_count":\([0-9]*\)/"call_count":"\1"/'
is_invalid 'an unknown word' 's/"exit":"exit"/"exit":"left"/'
is_invalid 'another version' 's/"version":1/"version":2/'

# ---- the document ----------------------------------------------------------------------------------

"$python" "$tool" tables "$schema" >tables.md
sed '/^$/d' tables.md >tables
sed -n '/^## Members/,$p' "$MU_SRC/docs/json.md" | sed '1d;/^$/d' >documented
same documented tables 'docs/json.md has the tables of the schema'
done_testing
