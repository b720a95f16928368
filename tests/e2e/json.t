#!/bin/sh
# json.t -- memusageprint --to=json: several inputs are one array, the manual names every member, and
# options that choose other reports are not dropped silently.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need jq

memusage -q --top --massif --massif-out-file=run.massif --record=run.mur ls / >listing ||
	bail 'ls cannot be recorded'
like "$(memusageprint run.mur)" ' allocated [0-9.]+% of the ' 'there is a recording'
is "$(memusageprint --to=json run.mur | jq -c '[.format, .command]')" '["memusage","ls /"]' \
	'one file: an object'
is "$(memusageprint --to=json run.mur run.massif run.mur | jq -c 'map(.format)')" \
	'["memusage","massif","memusage"]' 'three files: an array'
echo text >other
memusageprint --to=json other run.mur >array 2>err
is "$? $(jq -c 'map(.format)' array)" '1 ["memusage"]' 'a file that cannot be read has no element'
like "$(cat err)" '^memusageprint: other: this is text: ' '... but a message'
is "$(memusageprint --to=json other other 2>/dev/null)" '' 'nothing can be read: nothing is written'

manual=$(sed -n '/^\.SH JSON/,/^\.SH EXIT/p' "$MU_SRC/man/memusageprint.1" |
	sed 's/mmap(\(.\))/mmap[\1]/g' | tr -s ' ,~\\()' '\n' | tr '[]' '()')
for file in run.mur run.massif; do
	is "$(memusageprint --to=json $file |
		jq -r '[paths | .[-1] | strings] | unique | .[]' | while read -r member; do
		printf '%s\n' "$manual" | grep -qx "$member" || echo "$member"
	done)" '' "the manual names every member of $file"
done

# refused LINE OPTION...
refused() {
	line=$1
	shift
	run memusageprint "$@" run.mur
	is "$status$out: $(printf '%s\n' "$err" | sed q)" "2: memusageprint: $line" "$*"
}
refused '--top is no part of --to=json: run memusageprint once for each' --to=json --top
refused '--leaks is no part of --dhat: run memusageprint once for each' --leaks --dhat
refused '--tree is no part of --to=pprof: run memusageprint once for each' --to=pprof --tree
refused '--dhat: of --dhat, --spacetime and --to only one can be given at a time' --to=json --dhat
run memusageprint --to=folded --tree=total run.mur
is "$status$err" 0 'folded stacks have the moment of --tree'
idle() {
	line=$1
	shift
	run memusageprint "$@" run.mur
	is "$status: $err" "0: memusageprint: $line" "$*"
}
idle '--group changes only lists of places: add --top, --leaks, --growth or --temporary' --group=file --summary
idle '--grep changes only lists of places, --tree and --dhat: add one of them' --grep=ls --to=json
idle '--sort changes only the report of --dhat: add it' --sort=end --top
# of_kind LINE OPTION FILE: where the file tells that the option does nothing
of_kind() {
	run memusageprint "$2" "$3"
	is "$status: $err" "0: memusageprint: $3: this is $1" "$2 $3"
}
of_kind 'a recording: --sort does not suit it without --dhat' --sort=gmax run.mur
of_kind 'a recording: --invert does not suit it without --dhat' --invert run.mur
of_kind 'a massif.out: --sort does not suit it' --sort=gmax run.massif
memusageprint --to=dhat run.mur >run.dhat
for file in run.dhat '--dhat run.mur'; do
	# shellcheck disable=SC2086 # options
	run memusageprint --sort=gmax $file
	unlike "$status: $err" 'does not suit|^[^0]' "--sort=gmax $file suits"
done
done_testing
