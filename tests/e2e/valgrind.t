#!/bin/sh
# valgrind.t -- the programs read no memory that they did not write, and use none they gave back.
#
# The profiled program itself runs outside valgrind, which would replace its allocator.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_valgrind
need_bin memusage
[ -z "${SAN:-}" ] || skip_all 'a sanitized build cannot run under valgrind'

checked() {
	run valgrind -q --error-exitcode=99 --trace-children=no --vgdb=no --log-file=vg.%p "$@"
	is "$status" 0 "${1##*/} $2"
	# Lines of -- are valgrind's own, about system calls newer than it is.
	cat vg.* | grep -v '^--' >complaints
	same complaints /dev/null '... valgrind has nothing to say'
	rm -f vg.*
}
# Valgrind 3.19 gives up on clang's DWARF 5. Then it runs programs without that, from a tree of the
# same shape, and its complaints lack lines.
bin=$MU_BUILD/bin
if ! valgrind -q "$bin/memusage" --help >/dev/null 2>vg.err && grep -q 'debuginfo reader' vg.err; then
	need strip
	mkdir tree tree/bin
	ln -s "$MU_BUILD/lib" tree/lib
	for program in "$bin"/*; do strip -g -o "tree/bin/${program##*/}" "$program"; done
	bin=$MU_TMP/tree/bin
fi
rm -f vg.err
memusage=$bin/memusage
stat=$bin/memusagestat
print=$bin/memusageprint

checked "$memusage" --help
checked "$memusage" --data=out.dat sort "$MU_SRC/README.md"
like "$err" ' malloc\|  *[1-9]' 'and something was recorded'
checked "$memusage" -m -o report sh -c 'ls / | sort; exit 0'
if has_program memusagestat; then
	checked "$stat" --help
	checked "$stat" out.dat out.png
	checked "$stat" -t -T --string=title -x 300 -y 200 out.dat small.png
	head -c 1000 out.dat >cut.dat
	checked "$stat" cut.dat cut.png
	run valgrind -q --error-exitcode=99 "$stat" "$MU_SRC/README.md" no.png
	is "$status" 1 'a file of another kind'
else
	skip 'this build has no memusagestat' 7
fi
if has_program memusageprint; then
	profile=$MU_SRC/tests/golden/massif/sites.out
	checked "$print" --help
	checked "$print" --threshold=0 "$profile"
	for format in folded callgrind json massif; do
		checked "$print" "--to=$format" "$profile"
	done
	head -n 300 "$profile" >cut.out
	run valgrind -q --error-exitcode=99 "$print" cut.out
	is "$status" 1 'a profile that was cut'
fi
done_testing
