#!/bin/sh
# copies.t -- in copy mode every copy is an event: by each function, checked and wide ones, and
# those that the C library calls inside; as DHAT sees them.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage
need_recorder

# Both print "calls bytes".
truth() {
	sed -n 's/^truth copies calls=\([0-9]*\) bytes=\([0-9]*\)/\1 \2/p' .out
}
reported() {
	sed -n 's/,\([0-9]\)/\1/g; s/.*copies: \([0-9]*\) bytes in \([0-9]*\) calls/\2 \1/p' report
}

run "$WORKLOADS/copies"
cp .out native
run memusage -o report --mode=copy "$WORKLOADS/copies"
is "$status" 0 'the program works'
same .out native 'and prints the same'
run memusage --mode=copy --top "$WORKLOADS/copies"
like "$err$out" 'the places of this run are those of copies' 'a list of blocks says that there are none'
unlike "$err$out" 'nothing was live' '... and not that nothing lived'
memusage -q --mode=copy --dhat --dhat-out-file=dhat.out "$WORKLOADS/copies" >/dev/null
like "$(cat dhat.out)" '"mode":"copy","verb":"Copied"' "DHAT's file says what it is of"
is "$(grep -c '"tb":' dhat.out)" 31 'and has a point for each call'
like "$(cat dhat.out)" ': memcpy \(in ' 'which begins with the function that copies'
is "$(reported)" "$(truth)" 'every copy is counted once, with its bytes'

# Blocks are counted as without copy mode.
for words in 'family plain' 'family aligned' 'family array'; do
	# shellcheck disable=SC2086
	memusage -o plain "$WORKLOADS/"$words >/dev/null
	# shellcheck disable=SC2086
	memusage -o copying --mode=copy "$WORKLOADS/"$words >/dev/null
	grep '^ *[a-z]*| ' plain >wanted
	grep '^ *[a-z]*| ' copying >counted
	same counted wanted "$words: the calls are those without copy mode"
done

# What compilers copy inline is seen through their hooks.
cat >inline.c <<'END'
struct large { char c[148]; };
struct large a, b;
__attribute__((noinline)) void copy(struct large *to, struct large *from) { *to = *from; }
/* Without it clang 19 copies once. */
static inline void barrier(void) { __asm__ volatile("" : : : "memory"); }
int main(void)
{
	for (int i = 0; i < 10; i++)
		copy(&a, &b), barrier();
	return 0;
}
END
for compiler in gcc clang; do
	if ! has_hooks $compiler; then
		skip "$why"
		continue
	fi
	# shellcheck disable=SC2046
	$compiler -O2 $(memusage --print-cflags=$compiler) inline.c -o inline \
		$(memusage --print-libs=$compiler) 2>build.err
	run memusage -o report --mode=copy ./inline
	is "$(reported)" '10 1480' "$compiler: copies of structures are seen" || cat build.err
done

# within A B: A is within 0.1 % of B
within() {
	awk -v a="$1" -v b="$2" 'BEGIN { d = a > b ? a - b : b - a; exit !(d * 1000 <= b) }'
}

if command -v valgrind sqlite3 >/dev/null && is_at_least "$(valgrind --version)" 3.17; then
	cat >work.sql <<'END'
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
	insert into t select i, 'text number ' || i, i * 1.5 from n;
create index tb on t(b);
select count(*), sum(c) from t where b like '%99%';
update t set b = b || 'x' where a % 3 = 0;
delete from t where a % 7 = 0;
END
	memusage -o report --mode=copy sqlite3 :memory: <work.sql >ours.txt
	valgrind --tool=dhat --mode=copy --dhat-out-file=dhat.out sqlite3 :memory: <work.sql \
		>theirs.txt 2>dhat.err
	same ours.txt theirs.txt 'sqlite3 works'
	# shellcheck disable=SC2046
	set -- $(reported) \
		$(sed -n 's/,//g; s/.*Total: *\([0-9]*\) bytes in \([0-9]*\).*/\2 \1/p' dhat.err)
	is $# 4 'both count copies' || cat report dhat.err
	ok "calls of sqlite3 are DHAT's: $1, $3" within "$1" "$3"
	ok "bytes of sqlite3 are DHAT's: $2, $4" within "$2" "$4"
else
	skip 'no sqlite3, or no valgrind of version 3.17 or later' 4
fi
done_testing
