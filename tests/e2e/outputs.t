#!/bin/sh
# outputs.t -- what cannot be written is refused before the program runs; what turns out later not
# to be does not pass in silence, and the program keeps its status.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin memusageprint

# refused TEXT OPTION...: the program does not run, and nothing is left.
refused() {
	refused_text=$1
	shift
	run memusage "$@" sh -c 'echo ran; exit 3'
	is "$status:$out" 125: "$*: refused before the run"
	like "$err" "$refused_text" '... with the reason'
}

mkdir dir
for option in -d -o --record --massif-out-file --dhat-out-file --log-file; do
	case $option in --*) set -- "$option=" ;; *) set -- "$option" ;; esac
	refused 'cannot write no/such: No such file or directory' "${1}no/such"
	refused 'cannot write dir: Is a directory' "${1}dir"
done
for option in --massif-out-file --dhat-out-file --record --snapshot-signal=USR2:--snapshot-file \
	--xtree-memory=full:--xtree-memory-file; do
	first=${option%:*} option=${option##*:}
	[ "$first" != "$option" ] || first=-q
	refused 'cannot write files in no: No such file or directory' "$first" "$option=no/%p"
done
refused 'cannot write no/such: No such' --xtree-memory=allocs --xtree-memory-file=no/such
refused 'only p, n' --dhat-out-file=%x
if [ "$(id -u)" != 0 ]; then
	mkdir closed
	chmod 555 closed
	cd closed || exit 1
	refused 'cannot write files in .: Permission denied' --massif
	refused 'cannot write files in .: Permission denied' --spacetime
	cd ..
	rmdir closed
else
	skip 'root may write anywhere' 4
fi
# Two outputs that are one file.
mkdir real
ln -s real link
ln -s new.mur other
both() {
	clash="$1 would both write $2: give each a file of its own"
	shift 2
	refused "$clash" "$@"
}
both '--data and --record' x --record=x --data=x
both '--output and --record' link/x --output=real/x --record=link/x
both '--data and --record' other --data=new.mur --record=other
both '--record and --massif-out-file' x --record=./x --massif-out-file=x
echo old >real/x
ln real/x hard
both '--data and --record' hard --data=link/x --record=hard
is "$(cat hard)" old 'the file is as it was'
ok 'a device may be named twice' memusage --output=/dev/null --data=/dev/null true
rm -r real link other hard
if [ -x "$MU_BUILD/bin/memusagestat" ]; then
	both '--data and --png' x.png --data=x.png --png=x
	refused 'cannot write no/such.png: No such file or directory' -p no/such
	if has_page "$MU_BUILD"; then
		refused 'cannot write no/such: No such file or directory' --html=no/such
	else
		refused 'cannot make no/such: memusage was built without the HTML page' --html=no/such
	fi
	refused "'0' is out of range" -p x.png -x 0
	refused "'five' is not a whole number" -p x.png --y-size=five
	refused '30000 x 30000 pixels is too big' -p x.png -x 30000 -y 30000
else
	skip 'memusagestat was not built' 12
fi
is "$(ls)" dir 'nothing was left of all that'

# An output that is the program.
printf '#!/bin/sh\necho ran\n' >prog
chmod 755 prog
ln prog same
self() {
	refused "$1 would overwrite $2, which is the program itself: name another file" "$3" -q ./prog
}
for option in --record --output --data --massif-out-file --dhat-out-file; do
	self $option prog "$option=prog"
done
self --record ./same --record=./same
PATH=.:$PATH
run memusage --record=same -q prog
is "$status:$out:$err" "125::memusage: --record would overwrite same, which is the program itself: $(:
	)name another file" 'a program that PATH leads to is not overwritten either'
PATH=${PATH#.:}
if [ -x "$MU_BUILD/bin/memusagestat" ]; then
	self --html prog --html=prog
	mv prog prog.png
	run memusage --png=prog -q ./prog.png
	like "$status:$err" '^125:memusage: --png would overwrite prog.png, which' '... nor by a picture'
	mv prog.png prog
else
	skip 'memusagestat was not built' 3
fi
is "$(cat same; stat -c %a same)" "$(printf '#!/bin/sh\necho ran\n755')" 'the program is as it was'
rm prog same

# A check changes nothing that is there, and takes no other process for a reader.
echo old >kept
run memusage -n nobody --massif-out-file=kept true
is "$(cat kept)" old 'a profile that is not written leaves an old file as it was'
mkfifo pipe
cat pipe >copy &
run memusage -q --massif-out-file=pipe true
wait $!
like "$(cat copy)" '^heap_tree=' 'a profile goes through a pipe'

# ---- two runs and one file
# within OPTION: what a run says while another one with the same option is not over.
within() {
	memusage -q "$1" sh -c 'memusage -q "$1" true 2>inner; echo $? >>inner' sh "$1"
	cat inner
}
busy='another memusage is writing same: wait for its end or give another name; %p in a name is the process ID'
for option in --record=same --data=same; do
	is "$(within $option)" "memusage: $busy
125" "$option: the second run is refused"
done
like "$(memusage --output=same sh -c 'memusage --output=same true 2>&1 || :')" \
	'^memusage: another memusage is writing same: ' '... as it is with --output'
ok 'one run after the other is fine' memusage -q --record=same true
if [ -x "$MU_BUILD/bin/memusagestat" ]; then
	run memusage -q --png=run.png sh -c 'echo mine >run.png'
	is "$err" "memusage: run.png was written by another program during the run, and is replaced now: $(:
		)give each run a file of its own" 'a picture that something else wrote'
	run memusage -q --png=run.png true
	is "$err" '' '... but not one of an earlier run'
fi

# ---- what happens later

run memusage -o /dev/full sh -c 'exit 3'
is "$status" 3 'a report that cannot be written does not change the status'
like "$err" '^memusage: cannot write /dev/full: No space left on device$' '... and is told of'
is "$(printf '%s\n' "$err" | wc -l)" 1 '... once'
mkdir gone
run memusage -q --massif-out-file=gone/x sh -c 'rmdir gone; exit 3'
is "$status" 3 'a directory that the program removes does not change it either'
like "$err" 'cannot write gone/x: No such file or directory' '... and is told of'
# Standard error is not to wait for, as where the program set it so, and nobody reads yet.
perl -MFcntl -e '
	pipe my $read, my $write or die;
	fcntl $write, F_SETFL, O_NONBLOCK;
	if (!fork) {
		close $read;
		open STDERR, ">&", $write;
		1 while syswrite $write, "x" x 4096;
		exec @ARGV;
	}
	close $write;
	sleep 1;
	print grep { s/^x+// || 1 } <$read>' memusage sh -c : >late
recorded_in() { grep -q "$2" "$1"; }
ok 'a report waits for who reads it' recorded_in late 'Memory usage summary'
done_testing
