#!/bin/sh
# page_controls.t -- every control of every view of a page does the same by mouse, touch and
# keyboard, is reached by Tab, shows its focus, and has a name for screen readers.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusagestat manystacks
need_page
. "$MU_SRC/tests/lib/browser.sh"

look() {
	tap_lines node "$MU_SRC/tests/real/page_controls.mjs" "$chromium" "$modules" "$@"
	num "$(grep -c '^pass' browser)" -ge 5 'it has looked at something'
}
if command -v sqlite3 >/dev/null; then
	ok 'sqlite3 has a page' memusage -q --html=sqlite3.html sqlite3 :memory: \
		'create table t(a, b); with recursive n(i) as (select 1 union all select i+1 from n where i<50000)
		insert into t select i, "text " || i from n; create index tb on t(b); select count(*) from t;'
	look sqlite3.html
fi
ok 'a shell has a page' memusage -q --html=processes.html \
	sh -c '"$0/manystacks" 4; "$0/manystacks" 5' "$WORKLOADS"
look processes.html summary processes
if [ -x "$WORKLOADS/holders" ]; then
	ok 'what holds the heap has a page' memusage -q --html=holders.html --holders \
		"$WORKLOADS/holders" keep
	look holders.html holders 'holders?held=shortest'
fi
ok 'what keeps pages has a page' memusage -q --html=pages.html --fragmentation \
	"$WORKLOADS/fragments" pool
look pages.html pages
ok 'leak checks have a page' memusage -q --html=leaks.html --leak-check=full -o report \
	"$WORKLOADS/leak_requests"
look leaks.html leaks 'leaks?reachable=1'
done_testing
