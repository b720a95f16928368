#!/bin/sh
# glibc.t -- the tests of glibc's malloc hold under memusage in each mode, if they hold alone. They
# are built here against the C library of the system, but for those that need its inner parts.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/suites.sh"
need_bin memusage
need gcc ar apt-get
case $(ldd --version 2>&1 | head -n 1) in
*GLIBC* | *GNU*) ;;
*) skip_all 'the C library is not glibc' ;;
esac
fetch_source glibc

built=$MU_BUILD/suites/glibc/tests
include=$built/include

compile() {
	gcc -std=gnu11 -g -O2 -w -fno-builtin -D_GNU_SOURCE -DTIMEOUTFACTOR=10 -include limits.h \
		-I"$include" -idirafter "$source/support" -iquote "$source/malloc" "$@"
}

# Headers of its own that its tests include, and that do not hide those of the system.
make_include() {
	mkdir -p "$include"
	: >"$include/config.h"
	ln -s "$source/support" "$source/malloc" "$source/nptl" "$source/test-skeleton.c" "$include/"
	for header in include/libc-diag.h include/array_length.h include/intprops.h \
		sysdeps/generic/malloc-size.h sysdeps/generic/malloc-alignment.h; do
		[ ! -e "$source/$header" ] || ln -s "$source/$header" "$include/"
	done
}

# What its tests call: all of support/ that the system's headers suffice for.
make_support() {
	paths=$(sed -n 's/^# *error please -D\([A-Z_]*\)=.*/\1/p' "$source/support/support_paths.c")
	mkdir -p "$built/support"
	for file in "$source"/support/*.c; do
		# shellcheck disable=SC2046,SC2086  # words are wanted
		compile -c -o "$built/support/$(basename "$file" .c).o" "$file" \
			$(printf -- '-D%s="/nowhere" ' $paths) 2>/dev/null
	done
	rm -f "$built"/support/*container* "$built"/support/*test-run-command* \
		"$built"/support/echo-container* "$built"/support/links-dso*
	ar rc "$built/support.a" "$built"/support/*.o
}

if [ ! -e "$built/done" ]; then
	rm -rf "$built"
	make_include
	make_support
	for file in "$source"/malloc/tst-*.c; do
		compile -DTEST_NAME="\"$(basename "$file" .c)\"" -o "$built/$(basename "$file" .c)" "$file" \
			"$built/support.a" -pthread -lm 2>/dev/null
	done
	touch "$built/done"
fi
for file in "$source"/malloc/tst-*.c; do
	# It allocates nothing, so that there is nothing to see.
	case $file in */tst-mallopt.c) continue ;; esac
	name=$(basename "$file" .c)
	if [ -x "$built/$name" ]; then
		holds "$name" "$built/$name"
	fi
done
end_suite 25
