#!/bin/sh
# resident_explained.t -- the parts that --fragmentation tells of real programs are the resident memory
# that the kernel counts, to within 2 %.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/resident.sh"
need_bin memusage memusageprint

# tried COMMAND...: if it is installed
tried() {
	if command -v "$1" >/dev/null; then
		explained "$@"
	else
		skip "$1 is not installed"
	fi
}

awk 'BEGIN { for (i = 0; i < 50000; i++) print "word" i % 7000, "number", i }' >words
{
	echo '<list>'
	awk 'BEGIN { for (i = 0; i < 20000; i++) print "<item n=\"" i "\">text " i "</item>" }'
	echo '</list>'
} >list.xml
awk 'BEGIN { printf "["; for (i = 0; i < 20000; i++) printf "%s{\"n\":%d}", i ? "," : "", i; print "]" }' \
	>list.json
awk 'BEGIN { for (i = 0; i < 2000; i++) print "int f" i "(int a) { return a * " i " + f" (i ? i - 1 : 0) "(a); }" }' \
	>many.c

tried python3 -c 'd = {str(i): [i] * 9 for i in range(100000)}; e = list(d)[::50]; del d'
tried env PYTHONMALLOC=malloc python3 -c 'd = {str(i): [i] * 9 for i in range(100000)}; del d'
tried perl -ne '$n{$_}++; END { my @k = sort keys %n; delete @n{@k[0 .. 999]} }' words
tried sqlite3 :memory: 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
	select count(*), sum(length(hex(randomblob(20)))) from n group by i % 1000'
tried git -C "$MU_SRC" log --stat -n 50
tried node -e 'let a = []; for (let i = 0; i < 2e5; i++) a.push({ i, s: "x" + i }); console.log(a.length)'
tried xmllint --noout list.xml
tried jq 'map(.n) | add' list.json
tried bash -c 'for i in {1..30000}; do a[i]=$i; done; echo ${#a[@]}'
tried sort words
tried tclsh list.xml
tried gdb --batch -ex 'info functions main' "$(command -v sort)"
tried vim -es -u NONE words -c '%s/word/WORD/' -c 'q!'
tried openssl speed -seconds 1 -bytes 64 md5
tried bc -q words
if gcc=$(gcc -print-prog-name=cc1 2>/dev/null) && [ -x "$gcc" ]; then
	explained "$gcc" -quiet -O2 -w many.c -o many.s
fi
done_testing
