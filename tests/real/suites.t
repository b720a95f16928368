#!/bin/sh
# suites.t -- what glibc tests of its malloc holds under memusage in each mode, if it holds alone.
#
# The tests are built from Debian's package of glibc's source, with what they need of its support
# library; those that need more of glibc's build are left out.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage
need tar xz
source=$(find /usr/src/glibc -name 'glibc-*.tar.xz' 2>/dev/null | head -n 1)
[ -n "$source" ] || skip_all 'the package glibc-source is not installed'

# Their own bound is 20 s, on a machine that does nothing else.
TIMEOUTFACTOR=20
export TIMEOUTFACTOR

tar xf "$source" --strip-components=1 --wildcards '*/malloc/*' '*/support/*' '*/test-skeleton.c' \
	'*/include/array_length.h' '*/include/libc-diag.h' '*/include/libc-pointer-arith.h' \
	'*/include/verify.h' || exit 1
for name in SRCDIR OBJDIR OBJDIR_ELF_LDSO INSTDIR LIBDIR BINDIR SBINDIR ROOTSBINDIR COMPLOCALEDIR \
	SYSCONFDIR SLIBDIR; do
	echo "#define ${name}_PATH \"$MU_TMP\""
done >paths.h
# build ARGUMENT...: those that do not build need what is not there
build() {
	${CC:-cc} -w -O1 -fno-builtin -pthread -D_GNU_SOURCE -DTIMEOUTFACTOR=1 -include limits.h \
		-include ./paths.h -Isupport -I. -Iinclude -Imalloc "$@" 2>/dev/null
}
mkdir built
for file in support/*.c; do
	name=$(basename "$file" .c)
	case $name in
	*-static | shell-container | test-container | tst-* | links-dso* | echo-container | \
		true-container | resolv* | support_run_diff) continue ;;
	esac
	build -c -o "built/$name.o" "$file"
done
ar rcs built/libsupport.a built/*.o

tests=
count=0
for file in malloc/tst-*.c; do
	name=$(basename "$file" .c)
	if build -o "built/$name" "$file" built/libsupport.a -ldl &&
		"built/$name" >/dev/null 2>&1; then
		tests="$tests $name"
		count=$((count + 1))
	fi
done
num "$count" -ge 20 "$count tests hold alone"

# holds MODE OPTION...: each test, recorded; its calls are in the report
holds() {
	mode=$1
	shift
	for name in $tests; do
		memusage -o report "$@" "built/$name" >out 2>&1
		is "$?" 0 "$mode: $name" || diag "$(tail -n 5 out)"
		# Most run in a child, of which a line tells.
		ok "$mode: $name is recorded" grep -Eq \
			'^ *(malloc|mmap.*)\| *[1-9]|, calls: [1-9]' report
	done
}
holds plain
holds data --data=out.dat
holds top --top
holds dhat --dhat-out-file=out
holds pages --pages-as-heap=yes --massif-out-file=out
done_testing
