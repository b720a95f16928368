#!/bin/sh
# leaks_compare.t -- memusage --leak-check agrees with Memcheck record by record on 45 small programs,
# and in its sums on real ones; docs/compat.md explains each difference that is allowed here.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/leaks.sh"
need_bin memusage memusageprint leaks leaks_cxx
need_valgrind
PATH=$WORKLOADS:$PATH

# The tables of threads are possibly lost for Memcheck, and are larger with one library more that
# has thread-local storage; a copy of the environment has LD_PRELOAD in it.
differs() {
	case $1 in
	in_other_threads | in_ended_threads | in_thread | in_environment) return 0 ;;
	esac
	return 1
}
lost() { leak_sums "$1" | cut -d' ' -f1,2; }

count=0
for program in leaks leaks_cxx; do
	for kind in $($program); do
		leak_with $program "$kind"
		leak_records vg.log >vg.records
		leak_records mu.log >mu.records
		count=$((count + 1))
		is "$mu_status" "$vg_status" "$program $kind ends as alone"
		if [ "$kind" = by_waiting_threads ]; then
			# A frame of a thread's first call may keep the address of its block.
			num "$(lost mu.log | sed 's,^[0-9]*/,,; s, .*,,')" -ge 7 '... of 10 that Memcheck finds'
		elif differs "$kind"; then
			is "$(lost mu.log)" "$(lost vg.log)" '... what is lost is the same'
		else
			same mu.records vg.records '... every loss record is the same'
		fi
	done
done
num "$count" -ge 45 "$count programs were compared"

# real NAME COMMAND...: what is definitely and indirectly lost is the same
real() {
	name=$1
	shift
	if ! command -v "$1" >/dev/null; then
		skip "$name is not installed" 3
		return
	fi
	leak_with "$@"
	is "$mu_status" "$vg_status" "$name ends as alone"
	is "$(lost mu.log)" "$(lost vg.log)" "... and loses the same"
	like "$(lost mu.log)" '^[0-9]+/[0-9]+ [0-9]+/[0-9]+$' '... which is known'
	diag "$name: Memcheck $(leak_sums vg.log); memusage $(leak_sums mu.log)"
}
seq 1 3000 | sed 's/.*/line & of a file/' >lines
printf 'a = [{"b": str(i)} for i in range(2000)]\nprint(len(a))\n' >script.py
printf 'my %%h; $h{$_} = [1 .. 5] for 1 .. 2000; print scalar keys %%h;\n' >script.pl
printf 'for i in 1 2 3; do x="$x $i"; f() { echo "$x"; }; f; done\n' >script.sh
printf 'create table t(a, b); insert into t values(1, 2), (3, 4); select sum(a) from t;\n' >script.sql
printf '<a>%s</a>\n' "$(seq -f '<b c="%g"/>' -s '' 1 300)" >file.xml
printf 'all: ; @echo made $(foreach i,1 2 3 4,$(i)$(i))\n' >rules.mk
printf 'int main(void) { return 0; }\n' >main.c

real bash bash script.sh
real dash dash script.sh
real sort sort -r lines
real grep grep -E '(7|8)+ of' lines
real sed sed -n 's/\(.*\)7/\1x/p' lines
real awk mawk '{ n[$2 % 100]++ } END { print length(n) }' lines
real tar tar cf out.tar lines script.py
real gzip gzip -k -f lines
real find find "$MU_SRC/docs" -name '*.md'
real diff diff lines script.py
real make make -f rules.mk
real m4 m4 script.pl
real bc bc -q script.sh
real jq jq -n '[range(100)] | add'
real perl perl script.pl
# Not a script of that name, which version managers put into PATH.
PYTHONMALLOC=malloc real python3 /usr/bin/python3 script.py
real sqlite3 sqlite3 -init script.sql :memory: .quit
real git git -C "$MU_SRC" log -3 --oneline
real xmllint xmllint --noout file.xml
real openssl openssl dgst -sha256 lines
real ld ld --version
real nm nm "$(command -v leaks)"
real objdump objdump -h "$(command -v leaks)"
real file file lines
real vim vim -u NONE -es -c q
done_testing
