#!/bin/sh
# older.t -- the recorder that was built here records programs of an older release of Debian, in a
# chroot, where our programs do not start: with the same output, status and figures.
#
#	MU_ROOT=ROOT tests/run tests/systems/older.t	(scripts/check-systems.sh does)
#
# The older release has the recorder at the same path. What the workloads do is known from those
# that its own compiler made, below /build/gcc.
#
# SPDX-License-Identifier: LGPL-2.1-or-later

# What is mounted there is gone with the test.
if [ -d "${MU_ROOT:-}" ] && [ -z "${MU_MOUNTED:-}" ]; then
	MU_MOUNTED=1 exec unshare -m -- "$0"
fi
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
[ -d "${MU_ROOT:-}" ] || skip_all 'MU_ROOT names no root of another release'
[ "$(id -u)" = 0 ] || skip_all 'chroot needs root'
there=/build/gcc/tests/workloads
[ -x "$MU_ROOT$there/heap" ] || skip_all 'that release has no workloads: let its gcc be first'
ok 'the release has its /proc' mount -t proc proc "$MU_ROOT/proc"
ok 'the recorder is there' test -e "$MU_ROOT$LIB"

# stacks: the recording has call stacks of several frames, few of them cut
stacks() {
	memusageprint --to=folded run.mur 2>/dev/null >folded
	num "$(awk -F';' 'NF > 2' folded | wc -l)" -gt 0 '... with call stacks'
}

version() { sh -c 'LC_ALL=C "$@" 2>&1 | head -n 1' sh "$@"; }
isnt "$(version chroot "$MU_ROOT" ldd --version)" "$(version ldd --version)" \
	'the C library is another one'

for command in 'heap plain' 'family plain' 'threads churn' 'threads key' 'new 20' 'forks fork' \
	'forks raw' 'forks exec'; do
	# chroot, which executes it, is one process image more than it says.
	case $command in forks*) truth=no ;; esac
	# Call stacks are recorded, but not named: where the files are is another matter.
	for options in '' --record=run.mur '--record=run.mur --data=run.dat'; do
		# shellcheck disable=SC2086
		profiled "$command${options:+ }$options" $options -- \
			chroot "$MU_ROOT" $there/$command
		case $options in *mur*) stacks ;; esac
	done
done
truth=no
for command in 'ls /' 'perl -e print(1+1)' 'bash --version' 'dpkg -l' 'python3 -c print(1)' \
	'git --version' 'sqlite3 :memory: select(1)'; do
	# shellcheck disable=SC2086
	chroot "$MU_ROOT" $command >/dev/null 2>&1 || {
		skip "no ${command%% *} there"
		continue
	}
	# shellcheck disable=SC2086
	profiled "$command" --record=run.mur -- chroot "$MU_ROOT" $command
done
done_testing
