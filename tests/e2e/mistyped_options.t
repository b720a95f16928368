#!/bin/sh
# mistyped_options.t -- what memusage says of options that are mistyped, misplaced or useless.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"

# first_line COMMAND...: the first line of the complaint.
first_line() {
	"$@" 2>&1 >/dev/null </dev/null | sed q
}

is "$(first_line memusage --hmtl=x true)" \
	"memusage: unknown option '--hmtl': did you mean --html?" 'a letter misplaced'
is "$(first_line memusage --to=json true)" \
	"memusage: unknown option '--to': memusageprint has it, as in 'memusageprint --to=json FILE'" \
	'an option of memusageprint, which would abbreviate --total'
is "$(first_line memusage --flame true)" \
	"memusage: unknown option '--flame': memusagestat has it, as in 'memusagestat --flame FILE flame.svg'" \
	'an option of memusagestat'
is "$(first_line memusage --processes true)" "$(printf %s "memusage: unknown option '--processes': " \
	"memusageprint has it, as in 'memusageprint --processes FILE'")" '... of processes'
is "$(first_line memusageprint --html=x run.mur)" "$(printf %s "memusageprint: unknown option '--html': " \
	"memusagestat has it, as in 'memusagestat --html=run.html FILE'")" 'the page, of memusageprint'
if [ -x "$MU_BUILD/bin/memusagestat" ]; then
	is "$(first_line memusagestat --top run.mur)" "$(printf %s "memusagestat: unknown option '--top': " \
		"memusageprint has it, as in 'memusageprint --top FILE'")" 'a text, of memusagestat'
fi
is "$(first_line memusage --top 5 true)" \
	"memusage: --top takes its value after a '=': write --top=5" 'a value apart from its option'
is "$(first_line memusageprint --tree end run.mur)" \
	"memusageprint: --tree takes its value after a '=': write --tree=end" '... and a word'
is "$(first_line memusage -q -t true)" \
	'memusage: -t (--time-based) changes only the picture, and none is drawn: add --png=FILE' \
	'an option that changes nothing'
is "$(first_line memusage -q -t -p run.png true)" '' '... is silent where it does'
# idle LINE OPTION...: the complaint about an option that changes nothing.
idle() {
	line=$1
	shift
	is "$(first_line memusage -q "$@" true)" "memusage: $line" "$*"
}
data='changes only when the data file is written, and there is none: add --data=FILE'
idle "-u (--unbuffered) $data" -u
idle "-b (--buffer) $data" -b 7
idle '--format changes only the report of --spacetime: add it' --format=html
idle '--log-limit is about changes that wait to be written, and none are: add --data=FILE or --png=FILE' \
	--log-limit=1M
idle '--debuginfod is for reports with the names of functions, and none is asked for: add --top or '"$(:
	)--html=FILE" --debuginfod
idle '--group changes only lists of places, and none is asked for: add --top or --leaks' --group=line
idle '--grep changes only lists of places, and none is asked for: add --top or --leaks' --grep=main
idle '--snapshot-file names automatic snapshots, and none is asked for: add --snapshot-when=CONDITION '"$(:
	)or --snapshot-signal=SIGNAL" --snapshot-file=x
is "$(first_line memusage --leaks -o none --group=line true)" '' '... and silent where lists are'
is "$(first_line memusage -q -b 7 --log-limit=1M --data=run.dat true)" '' '... all silent where they do'

# Values that say nothing.
is "$(first_line memusage --png= true)" \
	'memusage: --png: the value is empty: it must be the name of a file' 'no name for a picture'
is "$(first_line memusage --record= true)" \
	'memusage: --record: the value is empty: it must be the name of a file' '... for a recording'
is "$(first_line memusageprint --root= run.mur)" \
	'memusageprint: --root: the value is empty: it must be a directory' 'no directory'
is "$(first_line memusage --log-limit=0 true)" \
	"memusage: --log-limit: '0' is too small (at least 64.0 KiB)" 'room for no event'
is "$(first_line memusage --tool=memcheck true)" \
	"memusage: --tool: 'memcheck' is not supported: memusage replaces the tools massif and dhat" \
	'a tool of Valgrind that is not replaced'

# Formats that nothing draws.
is "$(first_line memusage --png=out.jpg true)" \
	'memusage: --png=out.jpg: pictures are PNG (.png), not .jpg' 'a JPEG'
is "$(first_line memusage --png=out.svg true)" \
	'memusage: --png=out.svg: pictures of the run are PNG (.png); for .svg keep the data '"$(:
	)(--data=FILE) and run 'memusagestat FILE out.svg'" 'an SVG of the run'
if [ -x "$MU_BUILD/bin/memusagestat" ]; then
	is "$(first_line memusagestat run.dat a.b/out.JPEG)" "$(printf %s 'memusagestat: a.b/out.JPEG: ' \
		'pictures are PNG (.png), SVG (.svg) or PostScript (.ps, .eps), not .JPEG')" \
		'a JPEG of memusagestat'
	ok 'any other name is a PNG, as it was' memusagestat run.dat picture.v2
	is "$(head -c 4 picture.v2 | tail -c 3)" PNG '... really'
fi
# An abbreviation of several options names them, hidden ones if there are no others.
like "$(first_line memusage --re true)" "^memusage: option '--re' is ambiguous: it may be --re" 'hidden options'
# Every command line that is suggested names a real option.
for word in plot to group grep lifetimes marks summary sort ad-hoc invert root processes threshold; do
	like "$(memusageprint --help=all)" " --$word(\\[?=| )" "memusageprint has --$word"
done
done_testing
