# resident.sh -- checks that --fragmentation explains the resident memory of a program. Source after
# tap.sh.
#
#	explained COMMAND...    the parts of its memory at the end are the kernel's figure, to 2 %
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh

# resident_part NAME: of the file parts
resident_part() { sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" parts; }

explained() {
	rm -f explained.mur
	memusage --quiet --fragmentation --record=explained.mur "$@" >explained.out 2>explained.err \
		</dev/null
	memusageprint --to=json explained.mur 2>>explained.err |
		sed -n '/"resident_parts"/{s/.*"resident_parts"//;p;}' >parts
	sum=0
	for part in live slack free mappings stacks files recorder; do
		sum=$((sum + $(resident_part $part || echo 0) + 0))
	done
	kernel=$(resident_part kernel)
	kernel=${kernel:-0}
	num "$kernel" -gt 1000000 "$1: its memory was examined"
	num "$sum" -ge $((kernel - kernel / 50)) "$1: $sum of $kernel bytes are explained"
	num "$sum" -le $((kernel + kernel / 50)) '... and not more'
}
