# leaks.sh -- compares leak checks with Memcheck's; source it after tap.sh.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
# shellcheck disable=SC2034  # statuses are for the test

# Where its library has debug information, Valgrind names the line of its own malloc; and from version
# 3.21 on it calls a record new which the check before did not have.
leak_own=' \(vg_replace_malloc.c:[0-9]+\)$'
leak_as_old() { sed -E "s/$leak_own//; s/ in new loss record / in loss record /" "$@"; }

# leak_tree_as_old [FILE]: the same for --xtree-leak: a function without a file has line 0
leak_tree_as_old() {
	awk '
	/^c?f[a-z]+=/ && !/^c?fn=/ {
		name = $0
		sub(/^[a-z]+=/, "", name)
		id = name ~ /^\(/ ? substr(name, 1, index(name, ")")) : name
		if (name ~ /vg_replace_malloc/) own[id] = 1
		sub(/[^ =]*vg_replace_malloc\.c$/, "UnknownFile???")
		if (/^c/) callee = own[id]
		else file = own[id]
	}
	/^calls=/ { if (callee) sub(/ [0-9]+$/, " 0"); is_call = 1; print; next }
	/^[0-9]/ { if (file && !is_call) sub(/^[0-9]+/, "0"); is_call = 0 }
	{ print }
	' "$@"
}

# leak_records FILE: what of a report does not depend on where code and blocks are: the lines of the
# heap and leak summaries, and of each record its first line, with functions and lines of its stack
# behind it. Records of equal size come in any order.
leak_records() {
	awk '
	{ sub(/^==[0-9]+== ?/, "") }
	/in use at exit|total heap usage|lost: |still reachable: |^ +suppressed: / { print; next }
	/ in loss record / { sub(/ in loss record .*/, ""); record = $0; next }
	/^   (at|by) 0x/ {
		sub(/^   (at|by) 0x[0-9A-F]+: /, "")
		sub(/ \((in|malloc).*libmemusage.so\)$| \(in .*vgpreload.*\)$|'"$leak_own"'/, "")
		gsub(/operator new(\[\])?\(unsigned long\)/, "malloc")
		if (/ \(in /) sub(/ \(in .*/, "")
		record = record "; " $0
		next
	}
	record != "" {
		# Valgrind unwinds beyond the first frame of ld.so; it has its own clone.
		sub(/(; \?\?\?)+$/, "", record)
		sub(/; clone3? \(.*\)$/, "; clone", record)
		sub(/; setenv;/, ";", record)
		print record
		record = ""
	}
	' "$1" | sort
}

# leak_sums FILE: bytes and blocks of the four kinds, in the order of the summary
leak_sums() {
	if grep -q 'no leaks are possible$' "$1"; then
		echo '0/0 0/0 0/0 0/0'
		return
	fi
	tr -d ',' <"$1" | sed 's/ ([+-][0-9]*)//g' |
		sed -n 's/^==[0-9]*== *\(.*\): \([0-9]*\) bytes in \([0-9]*\) blocks$/\1:\2\/\3/p' |
		sed -n 's/^\(definitely lost\|indirectly lost\|possibly lost\|still reachable\)://p' |
		paste -sd' '
}

# leak_with PROGRAM [ARG]...: runs it alone under both; leaves vg.log and mu.log, statuses in
# $vg_status and $mu_status.
leak_with() {
	valgrind --leak-check=full --show-leak-kinds=all --run-libc-freeres=no \
		--run-cxx-freeres=no --vgdb=no --log-file=vg.log "$@" >vg.out 2>vg.err </dev/null
	vg_status=$?
	memusage --leak-check=full --show-leak-kinds=all --children=none -o mu.log "$@" >mu.out \
		2>mu.err </dev/null
	mu_status=$?
}
