#!/bin/sh
# attached.t -- what is attached to, or counted from outside, is a program of another release of Debian in
# a chroot, with that release's C library: the tests of attaching and of the census hold there, too.
#
#	MU_ROOT=ROOT tests/run tests/systems/attached.t	(scripts/check-systems.sh does)
#
# The release must not be older than ours, since it runs our workloads; a copy of them is put into /attached.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
[ -d "${MU_ROOT:-}" ] || skip_all 'MU_ROOT names no root of another release'
[ "$(id -u)" = 0 ] || skip_all 'chroot needs root'
rm -rf "$MU_ROOT/attached" && cp -r "$MU_BUILD/tests/workloads" "$MU_ROOT/attached"
chroot "$MU_ROOT" /attached/heaps </dev/null || skip_all 'our programs do not start there'
diag "$(chroot "$MU_ROOT" ldd --version | head -n 1)"

# Each program's name starts it there, as the same process.
mkdir programs
for file in "$MU_BUILD"/tests/workloads/*; do
	name=${file##*/}
	[ -f "$file" ] && [ -x "$file" ] || continue
	printf '#!/bin/sh\nexec chroot "%s" "/attached/%s" "$@"\n' "$MU_ROOT" "$name" >"programs/$name"
	chmod 755 "programs/$name"
done
for test in census attach_before attach_truth attach_family attach_quick attach_mappings; do
	env -u MU_TMP "MU_WORKLOADS=$PWD/programs" "$MU_SRC/tests/e2e/$test.t" >"$test.log" 2>&1
	is "$?" 0 "$test.t" || diag "$(grep -A5 '^not ok' "$test.log")"
done
rm -rf "$MU_ROOT/attached"
done_testing
