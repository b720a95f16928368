#!/bin/sh
# attach.t -- hundreds of times a recorder comes to a process and goes, and attachers are killed, also
# while the threads stand: no process is harmed.
#
# MU_CYCLES (100) and MU_KILLS (20) are how many there are of each kind of program.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/attach.sh"
need python3
need_bin memusage attached waits
cycles=${MU_CYCLES:-100}
need_attach

for name in blocks threads children signals objects; do
	come_and_go "$name" "$cycles"
done
come_and_go waits "$cycles"
come_and_go waits1000 $((cycles / 10 + 1))
is_unharmed 'attachers that are killed' -k "${MU_KILLS:-20}"
for name in blocks threads children signals objects waits; do
	like "$out" "^$name killed=[1-9]" "$name: attachers were killed"
done
like "$out" 'in_pause=[1-9]' 'some of them while the threads stood'
done_testing
