#!/bin/sh
# demo.t -- the demo prints at most 25 lines: the three places that held most, paths that exist, what
# to type next, and what is missing. A failed installation or build shows the end of its output.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage
demo=$MU_SRC/scripts/demo.sh
count() { printf '%s\n' "$1" | wc -l; }
places() { printf '%s\n' "$1" | grep -cE '^ +[0-9.]+ ([KM]i)?B +[0-9.]+% +[^ ]*#'; }
command -v python3 >/dev/null || command -v perl >/dev/null || skip_all 'neither python3 nor perl here'

# ---- as it is here --------------------------------------------------------------------------
run env MU_BUILD="$MU_BUILD" MU_DEMO="$MU_TMP/out" NO_COLOR='' "$demo"
is "$status" 0 'the demo succeeds' || diag "$err"
# Setup and build print at most five lines more.
ok 'it prints at most 20 lines' test "$(count "$out$err")" -le 20
is "$(places "$out")" 3 'three places are named' || diag "$out"
like "$out" 'allocated [0-9.]+% of the' 'the headline is the report'"'"'s'
like "$out" "Your turn:  $MU_BUILD/bin/memusage --top PROGRAM" 'the last step is what to type'
unlike "$out" "$(printf '\033')" 'no colours without a terminal'
IFS='
'
for path in $(printf '%s\n' "$out" | sed -n 's/^\(Picture\|Page\|Report\): *//p'); do
	ok "${path##*/} exists" test -s "$path"
done
unset IFS
printf '%s\n' "$out" | sed 's/[0-9.]*%.*//; s/[0-9.]* [KM]iB.*//' >first
run env MU_BUILD="$MU_BUILD" MU_DEMO="$MU_TMP/out" "$demo"
printf '%s\n' "$out" | sed 's/[0-9.]*%.*//; s/[0-9.]* [KM]iB.*//' >second
ok 'a second time prints the same' cmp first second

if command -v python3 >/dev/null; then
	TERM=xterm MU_BUILD="$MU_BUILD" MU_DEMO="$MU_TMP/out" \
		python3 "$MU_SRC/tests/lib/terminal.py" 50 "$demo" >terminal
	ok 'on a terminal the places have colours' grep -q "$(printf '\033\\[35m')####" terminal
	sed "s/$(printf '\033')\[[0-9]*m//g" terminal | grep -E '^ .*%.*#|allocated|largest' >width
	ok '... and the width of the terminal' test "$(awk '{ print length }' width | sort -n | tail -n 1)" -le 50
else
	skip 'no python3 here' 2
fi

# ---- without npm ----------------------------------------------------------------------------
mkdir -p bare other/bin other/page
for command in sh dirname mkdir cmp cat cp rm mv timeout env; do
	ln -s "$(command -v $command)" bare/
done
printf '#!/bin/sh\nexit 0\n' >bare/node
chmod +x bare/node
mkdir -p clone/scripts clone/page
cp "$MU_SRC/scripts/page.sh" clone/scripts/
touch clone/page/package-lock.json
run env PATH="$MU_TMP/bare" sh clone/scripts/page.sh auto other/page/template.html
for program in "$MU_BUILD"/bin/*; do ln -s "$program" other/bin/; done
run env MU_BUILD="$MU_TMP/other" MU_DEMO="$MU_TMP/without" "$demo"
is "$status $(places "$out")" '0 3' 'without npm the demo shows the places' || diag "$err"
like "$(printf '%s\n' "$out" | tail -n 1)" '^No page: there is no npm; apt-get install npm' \
	'the last line names the package'
unlike "$out" '^Page:' 'no page is promised'

# ---- progress -------------------------------------------------------------------------------
progress=$MU_SRC/scripts/progress.sh
run "$progress" build log sh -c 'echo one; echo two >&2'
is "$status $out$err" '0 build ...' 'one line instead of the output'
is "$(cat log)" 'one
two' 'the output is in the log'
run "$progress" build log sh -c 'echo the error; exit 3'
is "$status" 3 'the status is that of the command'
like "$err" 'the error' 'a failure shows the end of the output'
like "$err" 'all of its output is in log' '... and where the rest is'
done_testing
