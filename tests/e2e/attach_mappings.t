#!/bin/sh
# attach_mappings.t -- with -m the calls of mmap, munmap and mremap between an attach and its detach are
# counted as in a program that memusage starts: exactly, and without libc's own.
#
# MU_ROUNDS (3) is how often.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
. "$MU_SRC/tests/lib/attach.sh"
need_bin memusage memusageprint attached_mappings attached
need mkfifo
need_attach
is_at_least "$(getconf GNU_LIBC_VERSION)" 2.33 || skip_all 'refused with glibc before 2.33'
rounds=${MU_ROUNDS:-$(attempts 2 5)} visits=$(attempts 3 6)

begin_rounds attached_mappings
# It is sampled.
exceeds() {
	judged=0
	memusage -q --pid="$program" record now.mur &&
		memusageprint --fail-if='mmap peak > 1M' now.mur >/dev/null 2>&1 || judged=$?
	[ "$judged" = 100 ]
}
attach "$program" -o judged --record=run.mur --fail-if='mmap peak > 1M'
take_round output
until_true exceeds
detach
is "$status" 100 'a limit of mappings that is exceeded'
state_of "$program" | grep -v '^[0-9a-f]*-\|^VmSize\|^Threads' >before
for round in $(seq 1 "$rounds"); do
	rm -f report
	attach "$program" -m -o report --record=run.mur
	take_round output
	detach
	is "$status" 0 "round $round: left"
	truths "round $round" output report
	unlike "$(cat report)" '[0-9]{16}' '... and no negative number'
done
# 3 mappings of 1000 pages were unmapped that are from before.
num "$(report_field heap peak)" -ge 12288000 'writable mappings of files are heap'
like "$(memusageprint --to=json run.mur)" '"mmap\(w\)":\{"calls":[1-9]' 'a recording has the rows, too'
state_of "$program" | grep -v '^[0-9a-f]*-\|^VmSize\|^Threads' >after
same after before 'its descriptors, signals and code are as they were'

attach "$program" -o report
take_round output
detach
unlike "$(cat report)" 'mmap' 'without -m they are not counted'
ended=0
exec 3>&-
wait "$program" || ended=$?
is "$ended" 0 'the program ends as alone'

# ---- while others allocate, fork and load ----------------------------------------------------------

for what in 'blocks 4' threads children objects; do
	# shellcheck disable=SC2086 # it is two words
	begin_stranger attached $what
	came=0
	for _ in $(seq "$visits"); do
		memusage -m --attach="$program" --duration=15ms -q --record=run.mur 2>>refused 3>&- &&
			came=$((came + 1))
	done
	is "$came" "$visits" "attached $what: a recorder of mappings comes and goes" || diag "$(cat refused)"
	end_stranger
	like "$ended $(tail -1 output)" '^0 done=[1-9][0-9]* bad=0$' '... and nothing is wrong'
done
done_testing
