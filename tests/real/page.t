#!/bin/sh
# page.t -- HTML pages of real programs in a real browser: every tab, metric, search, zoom and
# snapshot works without an error, loads in a second and has at most 2 MB; sums are the
# recording's; pages of big inputs take at most 2 seconds and 200 MB.
#
# With PAGE_SLOW=3 a page may take three seconds: for machines that do other things.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusagestat manystacks accesses
need_page
. "$MU_SRC/tests/lib/browser.sh"
run memusagestat --html=x "$MU_SRC/README.md"
export PAGE_SLOW="${PAGE_SLOW:-1}"

# ---- subjects -------------------------------------------------------------------------------

# page NAME COMMAND...: its page, NAME.html
page() {
	name=$1
	shift
	memusage -q --html="$name.html" "$@" >"$name.out" 2>&1 || diag "$name: $(cat "$name.out")"
	ok "$name has a page" test -s "$name.html"
}
page manystacks "$WORKLOADS/manystacks" 6
command -v sqlite3 >/dev/null && page sqlite3 sqlite3 :memory: \
	'create table t(a, b); with recursive n(i) as (select 1 union all select i+1 from n where i<50000)
	insert into t select i, "text " || i from n; create index tb on t(b); select count(*) from t;'
command -v python3 >/dev/null && page python3 python3 -c \
	'import json, decimal, email; x = [json.loads("{\"a\": [1, 2]}") for i in range(20000)]'
command -v qemu-x86_64 >/dev/null &&
	page accesses --accesses=emulate --time-unit=i "$WORKLOADS/accesses" 2
cat >big.c <<'END'
#define F(n) struct s##n { int a; double c[4]; }; \
	int f##n(struct s##n *p, int m) { int t = 0; for (int k = 0; k < m; k++) t += p->a * k; return t; }
#define G(n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7)
G(1) G(2) G(3) G(4) G(5) G(6) G(7)
END
cc1=$(${CC:-cc} -print-prog-name=cc1)
[ ! -x "$cc1" ] || page cc1 "$cc1" -quiet -O2 big.c -o /dev/null

# A shell and two programs: a page with a list of processes.
page processes sh -c '"$0/manystacks" 4; "$0/manystacks" 5' "$WORKLOADS"

# Names that would be HTML, or turn the line round, of the program, a function, a file.
long=$(printf '%010000d' 0)
cat >hostile.c <<END
#include <stdlib.h>
void *real(int n) { void *p = malloc(n); return p; }
# 1 "</script><script>alert(1)</script>.c"
__attribute__((noinline)) void *named(void) { void *p = real(100); return p ? p : real(1); }
# 2 "right\342\200\256left\377\"'$long.c"
__attribute__((noinline)) void *turned(void) { void *p = named(); return p ? p : real(2); }
int main(void) { return !turned(); }
END
bytes=$(printf 'a\342\200\256b\377\342\200\250&amp;')
compile "${CC:-cc}" -g -O0 -c hostile.c
if compiled objcopy --redefine-sym named='<img src=x onerror=alert(2)>' \
	--redefine-sym turned="$bytes" hostile.o; then
	compile "${CC:-cc}" -o hostile hostile.o
	page hostile ./hostile '</script><script>alert(3)</script>' "$(printf '\342\200\256\377')"
fi
cp "$MU_SRC/tests/golden/massif/sites-all.out" m.out
ok 'a massif.out has a page' memusagestat --html=massif.html m.out
memusage -q -d data.dat "$WORKLOADS/manystacks" 4 >/dev/null
ok 'a data file has a page' memusagestat --html=data.html data.dat

# ---- in the browser -------------------------------------------------------------------------

for f in *.html; do
	tap_lines node "$MU_SRC/tests/real/page.mjs" "$chromium" "$modules" "$f"
	num "$(grep -c '^pass' browser)" -ge 12 "the browser has looked at all of $f"
done

# ---- big inputs -----------------------------------------------------------------------------

# limits TEXT COMMAND...: at most 2 s and 200 MB
limits() {
	text=$1
	shift
	/usr/bin/time -o time -f '%e %M' "$@" || diag "$* fails"
	num "$(awk -v slow="$PAGE_SLOW" '{ print ($1 <= 2 * slow) ? 1 : 0 }' time)" -eq 1 \
		"$text: at most 2 seconds" || diag "$(cat time)"
	num "$(awk '{ print $2 }' time)" -le 200000 "$text: at most 200 MB"
}
if [ -x /usr/bin/time ] && command -v python3 >/dev/null; then
	python3 - <<'END'
import array
with open('huge.dat', 'wb') as f:
    n = 10000000
    f.write(array.array('Q', [0x00003156736e554d, 9000, 0, 5000000, 8192, 3600 * 10**9]).tobytes())
    step = 100000
    for k in range(0, n, step):
        a = array.array('Q')
        for i in range(k, k + step):
            a.extend((i % 5000000, 4096 + i % 4096, i * 360000))
        f.write(a.tobytes())
END
	limits 'the page of 10 million events' memusagestat --html=huge.html huge.dat
	limits 'their light picture' memusagestat --theme=light huge.dat huge.png
	# A long run has no more snapshots than this.
	memusage -q --record=long.mur --max-snapshots=1000 --time-unit=B "$WORKLOADS/manystacks" 5 60 \
		>/dev/null
	num "$(wc -c <long.mur)" -gt 10000000 'there is a recording of many snapshots'
	limits 'its page' memusagestat --html=long.html long.mur
	num "$(wc -c <long.html)" -le 2000000 'has at most 2 MB'
	for picture in --bands --flame --histogram; do
		limits "its $picture" memusagestat $picture -o long.png long.mur
	done
else
	skip 'no /usr/bin/time or python3' 14
fi
done_testing
