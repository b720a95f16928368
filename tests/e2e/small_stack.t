#!/bin/sh
# small_stack.t -- with `ulimit -s 128` the programs record and report as with any other stack: no
# function of theirs keeps much on it.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint memusagestat
PATH=$WORKLOADS:$PATH

# small COMMAND...: with a stack of 128 KiB
small() { (ulimit -s 128 && exec "$@"); }
# says_same NAME COMMAND...: it says the same with either stack
says_same() {
	name=$1
	shift
	"$@" >large.out 2>large.err
	status=$?
	small "$@" >small.out 2>small.err
	is $? $status "$name: the same status"
	num "$(wc -c <small.out)" -gt 0 '... something is said'
	same large.out small.out '... and the same'
}

small memusage -o text --record=a.mur --massif --dhat --leak-check=full --fragmentation \
	fragments trim >printed
is $? 0 'a program is recorded and examined'
like "$(cat printed)" '^RSS=' '... and has run'
small memusage -o text --record=b.mur sh -c 'fragments tiny; fragments trim' >printed
is $? 0 'so is one with children'
for report in --top --tree --leak-check --growth --fragmentation --leaks --temporary --processes --plot; do
	says_same "memusageprint $report" memusageprint $report a.mur
done
says_same 'memusageprint --diff' memusageprint --diff a.mur b.mur
says_same 'memusageprint --merge' memusageprint --merge a.mur b.mur
for picture in --flame --bands --histogram; do
	small memusagestat $picture a.mur a.png
	is $? 0 "memusagestat $picture: a picture is drawn"
	memusagestat $picture a.mur b.png
	same a.png b.png '... and is the same'
done
small memusagestat --html=a.html a.mur
is $? 0 'memusagestat --html: a page is written'
memusagestat --html=b.html a.mur
same a.html b.html '... and is the same'
small memusagestat --merge --html=a.html a.mur b.mur
is $? 0 'memusagestat --merge: a page is written'
done_testing
