#!/bin/sh
# core_options.t -- each option of Valgrind's core and of Massif is accepted, or refused for a reason,
# and is in the documentation.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need valgrind
need_bin memusage

valgrind --tool=massif --help-debug >help 2>&1
sed -n 's/^  *\(--[a-z-]*\)=.*/\1/p' help | sort -u >names
num "$(wc -l <names)" -ge 90 'valgrind --help-debug names its options'
memusage --help=all >own
while read -r name; do
	run memusage -q --massif-out-file=out "$name=" true
	unlike "$err" 'unrecognized option' "$name is known"
	[ "$status" -eq 0 ] || like "$err" "$name=?.* [a-z]+" '... or refused with a reason'
	case $name in
	--vex-*) pattern='--vex-...' ;;
	*) pattern=$name ;;
	esac
	grep -qF -e "$pattern" own "$MU_SRC/docs/compat.md" || fail "$name is not documented"
done <names

# What somebody types who has always typed it.
for option in --tool=massif --trace-children=no --num-callers=40 --run-libc-freeres=no -v \
	--child-silent-after-fork=yes --error-limit=no --demangle=yes --keep-debuginfo=yes \
	--show-below-main=yes --suppressions=/usr/lib/valgrind/default.supp --fullpath-after= \
	--smc-check=all --read-inline-info=yes --read-var-info=yes --main-stacksize=8000000 \
	--sim-hints=lax-ioctls --fair-sched=try --soname-synonyms=somalloc=NONE --vgdb=no \
	--vgdb-error=0 --alignment=32 --redzone-size=0 --xtree-memory=none --merge-recursive-frames=0; do
	run memusage -q --massif-out-file=out "$option" true
	is "$status" 0 "$option is accepted"
done
done_testing
