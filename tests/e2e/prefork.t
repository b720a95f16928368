#!/bin/sh
# prefork.t -- what a forked child held is what it had after its fork: the parent's peak before that is
# not its own, in the line of a process, in the list of processes and in what all held together.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:?}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin prefork memusageprint
need python3

while read -r how child peak own; do
	for options in '' '--data=run.dat'; do
		rm -f run.mur
		# shellcheck disable=SC2086
		run memusage --record=run.mur $options prefork "$how"
		is "$status" 0 "$how${options:+ }$options: it runs"
		like "$err" "since its fork\): .*heap peak: $child," '... the peak of the child'
		run memusageprint --processes run.mur
		like "$out" "^ +[0-9]+ +[0-9]+ +$peak +$own .* prefork $how\$" '... and in the list'
		run memusageprint --merge run.mur
		like "$out" '^2 processes together held 9.54 MiB at most' '... and in that of both together'
		like "$out" "^peak of each: in all 2 processes: least $peak," '... where each has its own'
	done
	run memusage -q --children=merge prefork "$how"
	like "$err" "^ +[0-9]+ +$own .* prefork\$" '... with --children=merge'
done <<END
much 1500000 1.43.MiB 488.KiB
falls 1500000 1.43.MiB 488.KiB
nothing 300000 293.KiB 293.KiB
END

# ---- the images of children that live are not in their parent's resident memory

for options in '' --record=run.mur '--durable --record=run.mur'; do
	# shellcheck disable=SC2086
	run memusage -q $options prefork many
	is "$status" 0 "100 children that live, ${options:-without options}"
	num "${out:-99999}" -lt 1000 '... take less than 1 MB of the parent'"'"'s'
done

# ---- calls that failed are no allocations

run memusage --leak-check=summary prefork failing
like "$err" 'total heap usage: 5 allocs, 4 frees, 500 bytes' 'calls that fail are no allocations'
done_testing
