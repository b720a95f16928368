# massif.sh -- run programs under Valgrind's Massif and under us, and compare. shellcheck shell=sh
#
# SPDX-License-Identifier: LGPL-2.1-or-later

# Both write a file of the same name, each in a directory of its own, so the lines that tell the
# options and the command are compared too.
mkdir valgrind ours
row= # set: which test of Massif's this is in the manner of

# normal FILE: without addresses, which change from run to run
normal() {
	sed 's/0x[0-9A-F][0-9A-F]*: /0x: /' "$1"
}

# both PROGRAM OPTION...: runs it under both, ours with $served too
served=
both() {
	program=$1
	shift
	rm -f valgrind/* ours/*
	(cd valgrind && valgrind --tool=massif --run-libc-freeres=no --run-cxx-freeres=no \
		--time-unit=B "$@" "$WORKLOADS/$program" >/dev/null 2>../valgrind.err)
	# shellcheck disable=SC2086  # an option or none
	(cd ours && memusage -q $served --time-unit=B "$@" "$WORKLOADS/$program" >/dev/null 2>../ours.err)
}

# equal TEXT: the profile `out` and what is printed of it
equal() {
	normal valgrind/out >want
	normal ours/out >got
	same got want "$1"
	(cd valgrind && ms_print out 2>&1) | normal - >want
	(cd ours && memusageprint out 2>&1) | normal - >got
	same got want '... and as it is printed'
}

# compare PROGRAM OPTION...
compare() {
	name=$1
	shift
	both "massif_$name" --massif-out-file=out "$@"
	equal "${row:+$row: }$name${1:+ }$*"
}

# talks PROGRAM OPTION...: the lines of -v -v --stats=yes, but for the list of allocating functions
talks() {
	name=$1
	shift
	for side in valgrind ours; do
		if [ $side = ours ]; then
			memusage --massif-out-file=out -v -v --stats=yes --time-unit=B "$@" \
				"$WORKLOADS/massif_$name"
		else
			valgrind --tool=massif --run-libc-freeres=no --run-cxx-freeres=no \
				--massif-out-file=out -v -v --stats=yes --time-unit=B "$@" \
				"$WORKLOADS/massif_$name"
		fi 2>&1 >/dev/null | grep -a ' Massif: ' | sed 's/^--[0-9]*--//' |
			sed -n '/ignore-fns:/,$p' >$side.lines
	done
	ok "${row:+$row: }talking: $name${1:+ }$*: says something" test -s ours.lines
	same ours.lines valgrind.lines '... the same'
}
