#!/bin/sh
# pprof.t -- Go's own pprof reads what --to=pprof writes, with the same figures, functions and lines.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint
need go
go tool pprof -h 2>&1 | grep -q -- '-raw' || skip_all 'go has no pprof here'
HOME=$MU_TMP
export HOME

memusage -q --record=who.mur "$WORKLOADS/who" >/dev/null
memusageprint --to=pprof -o who.pb.gz who.mur
go tool pprof -raw who.pb.gz >raw 2>raw.err
is $? 0 'it is read'
like "$(cat raw)" 'inuse_space/bytes' "samples have Go's names"
like "$(cat raw)" 'Duration: ' '... the run its length'

# What a function holds, allocated, and how often: as the workload knows it.
shown() { # SAMPLE FUNCTION
	go tool pprof -sample_index="$1" -unit=B -top -nodefraction=0 who.pb.gz 2>/dev/null |
		awk -v f="$2" '$6 == f { sub(/B$/, "", $1); print $1 }'
}
for sample in alloc_space inuse_space peak_space alloc_objects; do
	for function in hold lose waste; do
		case $sample-$function in
		alloc_space-hold | peak_space-hold) want=600 ;;
		alloc_space-lose | inuse_space-lose | peak_space-lose) want=120 ;;
		alloc_space-waste) want=91 ;;
		alloc_objects-hold) want=3 ;;
		alloc_objects-lose) want=4 ;;
		alloc_objects-waste) want=7 ;;
		*) want=0 ;;
		esac
		got=$(shown $sample $function)
		is "${got:-0}" "$want" "$sample of $function"
	done
done
if [ "${LIBDW:-yes}" = yes ]; then
	like "$(go tool pprof -list=hold who.pb.gz 2>/dev/null)" 'who.c' 'lines are those of the source'
fi
id=$(readelf -n "$WORKLOADS/who" 2>/dev/null | sed -n 's/.*Build ID: //p')
[ -z "$id" ] || like "$(cat raw)" "$id" 'the build-id is in the mapping'
done_testing
