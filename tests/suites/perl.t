#!/bin/sh
# perl.t -- the tests of perl's own core hold under memusage in each mode, if they hold alone.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/suites.sh"
need_bin memusage
need perl apt-get
fetch_source perl

# They want the interpreter beside them, and its library in ../lib.
if [ ! -e "$source/installed" ]; then
	mv "$source/lib" "$source/lib.source"
	mkdir "$source/lib"
	perl -e 'print "$_\n" for reverse grep { -d } @INC' | while read -r library; do
		cp -r "$library/." "$source/lib/"
	done
	cp "$source"/lib.source/*.t "$source/lib/"
	ln -s "$(command -v perl)" "$source/perl"
	touch "$source/installed"
fi
cd "$source/t" || exit 1
for test in base/*.t cmd/*.t comp/*.t io/*.t re/*.t uni/*.t mro/*.t op/*.t ../lib/*.t; do
	holds "$test" perl "$test"
done
end_suite 300
