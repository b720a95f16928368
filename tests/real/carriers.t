#!/bin/sh
# carriers.t -- programs of Debian that were built with Valgrind's macros do under --client-requests what
# they do without, and what they say is heard: GLib's blocks, python's question whether it runs there.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint

# same_as_ever NAME MODE COMMAND...: the same output and status; the report is in `report`
same_as_ever() {
	name="$1, --client-requests=$2"
	mode=$2
	shift 2
	"$@" >want 2>&1
	native=$?
	memusage -v -o report --tree --client-requests="$mode" "$@" >got 2>&1
	is "$?" "$native" "$name: its status"
	same got want '... its output'
	ok '... and something was recorded' grep -q 'heap total: [1-9]' report
	nok '... all places are served' grep -q 'not served' report
}
# calls: in the line of totals
calls() {
	sed -n 's/.*, calls: \([0-9]*\)$/\1/p' report | head -n 1
}

if command -v gio >/dev/null 2>&1; then
	same_as_ever gio yes gio list /
	like "$(cat report)" '^memusage: [1-9][0-9]* client requests: .*; 0 errors$' \
		'... GLib announces blocks'
	same_as_ever gio massif gio list /
	like "$(cat report)" ' 0 blocks announced inside others' '... which Massif counts like others'
else
	skip 'no gio here' 10
fi
if command -v python3-dbg >/dev/null 2>&1; then
	set -- python3-dbg -c 'import json; print(json.dumps({i: str(i) for i in range(50)}))'
	same_as_ever python3-dbg yes "$@"
	own=$(calls)
	# It asks before it takes its own allocator for small blocks.
	same_as_ever python3-dbg running "$@"
	num "$(calls)" -gt $((own * 3)) '... it is told that this is Valgrind, and takes from malloc'
else
	skip 'no python3-dbg here' 9
fi
if command -v node >/dev/null 2>&1; then
	same_as_ever node yes node -e 'console.log([3, 1, 2].sort().map(String).join())'
	same_as_ever node running node -e 'console.log("x".repeat(100000).length)'
else
	skip 'no node here' 8
fi
done_testing
