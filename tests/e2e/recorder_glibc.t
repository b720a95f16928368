#!/bin/sh
# recorder_glibc.t -- workloads and real programs have the same heap rows as with glibc's
# recorder, but for what docs/compat.md lists.
#
# Both libraries are preloaded alone, from paths of one length: some programs allocate by the
# size of their environment. Programs that close stderr have no summary of glibc's, so they are
# missing here. Frees: those of libraries' destructors come after glibc's summary, those of
# aligned blocks it does not see.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
theirs=$(sed -n 's/^memusageso=//p' /usr/bin/memusage 2>/dev/null | tr -d "'\"")
# shellcheck disable=SC2016
theirs=$(echo "$theirs" | sed "s|\\\\\$LIB|lib/$(uname -m)-linux-gnu|;s|\\\$SLIB|lib|")
[ -e "$theirs" ] || theirs=$(find /lib/*-linux-gnu/libmemusage.so /usr/lib*/libmemusage.so \
	-prune 2>/dev/null | head -n 1)
[ -e "$theirs" ] || skip_all "no libmemusage.so of glibc here"

mkdir -p ours/lib/memusage glib/lib/memusage ours/bin arena
cp "$LIB" ours/lib/memusage
cp "$theirs" glib/lib/memusage
cp "$MU_BUILD/bin/memusage" ours/bin
cd "$MU_TMP" || exit 1
esc=$(printf '\033')
MEMUSAGE_DIR=$MU_TMP/arena PYTHONHASHSEED=0 PERL_HASH_SEED=0 MEMUSAGE_NO_TIMER=1
export MEMUSAGE_DIR PYTHONHASHSEED PERL_HASH_SEED MEMUSAGE_NO_TIMER

# rows LIBRARY COMMAND...: the table of its report
rows() {
	rows_lib=$MU_TMP/$1/lib/memusage/libmemusage.so
	shift
	env LD_PRELOAD="$rows_lib" "$@" </dev/null 2>&1 >/dev/null | sed "s/$esc\[[0-9;]*m//g" >raw
	awk "$report_table" raw
}
value() { awk -v n="$2" -v f="$3" '$1 == n && $2 == f { v = $3 } END { print v == "" ? 0 : v }' "$1"; }

# tell ROWS ALIGNED: what is compared
tell() {
	for pair in $rows_told; do
		echo "$pair $(value "$1" "${pair%-*}" "${pair#*-}")"
	done
	libc=0
	[ "$threaded" ] && libc=$(value "$1" calloc bytes)
	echo "heap total $(($(value "$1" heap total) - $2 - libc))"
}

# compare COMMAND...
compare() {
	command -v "$1" >/dev/null || {
		skip "no $1 here"
		return
	}
	rows glib "$@" >glib.rows
	rows ours "$@" >ours.rows
	name=$(printf '%.50s' "$*" | tr '\n' ' ')
	if [ "$(value glib.rows heap total)" = 0 ]; then
		skip "no summary of glibc's: $name"
		return
	fi
	aligned=$(value ours.rows memalign bytes)
	# What libc makes for threads depends on which stacks are free again already.
	rows_told='malloc-calls malloc-bytes malloc-failed realloc-calls realloc-bytes'
	[ "$threaded" ] || rows_told="$rows_told calloc-calls calloc-bytes"
	tell ours.rows "$aligned" >got
	tell glib.rows 0 >want
	if [ "$aligned" = 0 ] && ! [ "$threaded" ]; then
		echo "heap peak $(value ours.rows heap peak)" >>got
		echo "heap peak $(value glib.rows heap peak)" >>want
	fi
	more=$(($(value ours.rows free bytes) - $(value glib.rows free bytes)))
	[ $more -ge 0 ] || echo "frees $more" >>got
	same got want "$name"
}

threaded=
compare family plain
compare ends return
compare ends exit
compare heap manpage
compare forks leaf
compare forks chain 1
compare new 10
compare signals altstack
compare signals coroutines
compare limits descriptors
if [ -z "${SAN:-}" ]; then
	compare limits itself 200
else
	skip 'a sanitized memusage cannot begin within a limit of address space'
fi
compare plugin
threaded=yes
compare threads churn 20
compare threads exit 5
compare threads key 5
compare threads c11 5
compare threads detach 5
compare threads cross 3
compare perthread 4
threaded=

seq 1 2000 >numbers
# shellcheck disable=SC2016  # for the programs
{
	compare bash -c 'for i in {1..200}; do x="$x $i"; done; echo $x'
	compare perl -e 'my %h; $h{$_} = "x" x $_ for 1..500; print join ",", sort keys %h'
	compare sqlite3 :memory: 'create table t(a, b); with recursive c(x) as (values(1) union
		all select x + 1 from c where x < 2000) insert into t select x, x * x from c;
		select sum(b) from t;'
	compare /usr/bin/python3 -S -c 'import json; print(len(json.dumps(list(range(3000)))))'
}
compare git --version
compare git -C "$MU_SRC" log --oneline -20
compare sed -n '1~3p' numbers
compare diff numbers /dev/null
compare cmp numbers numbers
compare openssl dgst -sha256 numbers
compare make --version
compare gcc --version
compare objdump -d /bin/true
compare readelf -a /bin/true
compare jq --version
compare bc --version
compare file numbers
compare less --version
compare dpkg --version
done_testing
