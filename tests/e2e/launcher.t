#!/bin/sh
# launcher.t -- a program runs under memusage as it runs without: statuses, environment, files.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin inherited
ulimit -c 0

# ---- statuses
for n in 0 1 3 125 255; do
	run memusage -q sh -c "exit $n"
	is "$status" "$n" "exit status $n"
done
for pair in INT=2 TERM=15 KILL=9 SEGV=11 ABRT=6 PIPE=13 USR1=10; do
	signal=${pair%=*} number=${pair#*=}
	# The status of a dead process, not a number that looks like it.
	run perl -e 'system { $ARGV[0] } @ARGV; exit 99 unless $? & 127; exit $? & 127' \
		memusage -q sh -c "kill -$signal \$\$"
	is "$status" "$number" "a program that died of $signal"
done
recorded_text='memusage -q says nothing'
run memusage -q ls /
is "$err" '' "$recorded_text"
run memusage ls /
cp .err report
recorded 'the report goes to standard error'

run memusage nowhere-to-be-found
is "$status" 127 'a program that is not there'
like "$err" '^memusage: nowhere-to-be-found: not found' 'says so'
run memusage ./nowhere
is "$status" 127 'a path that is not there'
run memusage /
is "$status" 126 'a directory'
like "$err" '^memusage: cannot run /: Is a directory$' 'says so'
: >plain
run memusage ./plain
is "$status" 126 'a file that is not executable'
chmod +x plain
printf '\177ELF garbage' >broken
chmod +x broken
run memusage ./broken
num "$status" -gt 125 'a broken program'
printf '#!/nowhere/interpreter\n' >script
chmod +x script
run memusage -d none.dat ./script
is "$status" 127 'a script without its interpreter'
is "$err" 'memusage: cannot run ./script: its interpreter /nowhere/interpreter does not exist' \
	'... which is named'
nok '... and no data file is left' test -e none.dat
rm script
mkdir dir
run memusage --bogus ls
is "$status" 125 'a wrong option'
run memusage
is "$status" 125 'no program'
run memusage -d /nowhere/x ls
is "$status" 125 'a file that cannot be written'
is "$out" '' 'the program is not run then'
run memusage -o /nowhere/x ls
is "$status" 125 'a report that cannot be written'
run memusage --record=/nowhere/x ls
is "$status" 125 'a recording that cannot be written'

# ---- what is executed in the end
run memusage env -i /bin/true
like "$err" "^memusage: 'env' was recorded, and the process was 'true' at its end: .*lost the environment" \
	'a program that gets a clean environment is not taken for the one before'
for command in 'exec /bin/true' 'exit 3' 'kill -9 $$' 'ls / >/dev/null; kill -9 $$'; do
	run memusage sh -c "$command"
	unlike "$err" 'at its end' "nothing is said of $command"
done
printf '#!/bin/sh\nkill -9 $$\n' >killed
chmod +x killed
run memusage ./killed
unlike "$err" 'at its end' 'nor of a script'
run memusage -q env -i /bin/true
is "$err" '' '--quiet says nothing of it'

# ---- how programs are found
printf 'echo shell $1\n' >script
chmod +x script
run memusage -o report ./script one
is "$out" 'shell one' 'a script without #! is run by sh'
recorded 'that sh'
mkdir path
cp "$(command -v ls)" path/my-ls
run env PATH="$PWD/path:$PATH" memusage -o report my-ls /
recorded 'a program found in PATH'
run memusage -o report env ls /
recorded 'by way of env'

# ---- what the program inherits
native() {
	inherited native.txt
	memusage -q "$@" inherited profiled.txt
}
native -d data.dat
same profiled.txt native.txt 'descriptors, signals, limits, environment'
(
	trap '' HUP CHLD USR1
	exec 5</dev/null 9>nine
	inherited native.txt
	memusage -q -d data.dat inherited profiled.txt
)
same profiled.txt native.txt 'ignored signals and open descriptors'
(
	exec <&- >&- 2>&-
	inherited native.txt
	memusage -d data.dat -p graph inherited profiled.txt
)
same profiled.txt native.txt 'without standard files'
(
	ulimit -n 20
	inherited native.txt
	memusage -q -d data.dat inherited profiled.txt
)
same profiled.txt native.txt 'with 20 descriptors'

# ---- a limit of file sizes, which the tests' own output must not meet: it goes into pipes
# A shell writes nothing but what it is told to; SIGXFSZ kills it then, as without us.
limited() {
	{ (
		ulimit -S -f 0
		"$@" 2>/dev/null
		echo "status $?"
	) | cat; } >out
}
for options in '' '-d data.dat' '--record=run.mur' '--durable --record=run.mur' '--png=run.png' \
	'--massif' '-o report' '--html=run.html'; do
	rm -rf run.* data.dat
	# shellcheck disable=SC2086
	limited memusage $options sh -c 'echo in it; exit 3'
	like "$(cat out)" '^in it$' "${options:-without options}: a program under ulimit -f 0"
	like "$(cat out)" '^status 3$' '... ends as alone'
	# shellcheck disable=SC2086
	limited memusage $options sh -c 'echo too much >file'
	like "$(cat out)" '^status 153$' '... and dies of SIGXFSZ as alone'
done
run memusage -o report -d data.dat sh -c 'exec <&- >&- 2>&-; ls / >/dev/null 2>&1; exit 4'
is "$status" 4 'a program that closes its standard files'
recorded 'it is'

# ---- environment
# A sanitized memusage cannot be preloaded itself, nor be told to say nothing of leaks.
if is_sanitized any; then
	skip 'memusage is sanitized' 4
else
# shellcheck disable=SC2016
run env LD_PRELOAD="$LIB" memusage -q sh -c 'echo $LD_PRELOAD'
like "$out" "^[^:]*/lib/memusage/[$]PLATFORM/libmemusage.so:$LIB$" "the user's LD_PRELOAD is kept"
# shellcheck disable=SC2016
run env LD_PRELOAD="$WORKLOADS/libheld.so" timeout 60 memusage --record=held.mur sh -c 'sh -c : & wait'
is "$status" 0 'a library that holds a pipe, preloaded to memusage itself'
unlike "$err" 'libheld' '... has it to the end'
run env LD_PRELOAD= memusage -q sh -c 'echo $LD_PRELOAD'
like "$out" '^[^:]*/libmemusage.so$' 'an empty one is not'
run env -i "$(command -v memusage)" -o report /bin/sh -c 'exit 7'
is "$status" 7 'without an environment'
recorded 'it'
fi

# ---- where memusage lies
place="$MU_TMP/a place: with 'quotes'"
mkdir -p "$place/bin" "$place/lib/memusage"
cp "$MU_BUILD/bin/memusage" "$place/bin/memusage-2"
run "$place/bin/memusage-2" true
is "$status" 125 'without the recorder'
like "$err" '^memusage: the recorder is missing: ' 'says so'
cp "$LIB" "$place/lib/memusage/"
run env TMPDIR="$MU_TMP" "$place/bin/memusage-2" -o report ls /
is "$status" 0 'from a path with blanks and colons'
recorded 'there'
# shellcheck disable=SC2016  # for the inner shell
ok 'private directories are removed' until_true sh -c '! ls -d "$MU_TMP"/memusage-*'

# ---- names
name="$(printf 'new\nline \033[31m \377 %%s')"
cp "$(command -v ls)" "$name"
run memusage -o report "./$name" /
is "$status" 0 'a program with a terrible name'
recorded 'it too'
run memusage -o report sh -c "'./$name' /; exit 3"
is "$status" 3 'as a child'
like "$(cat report)" 'process [0-9]+ new.x0aline .x1b\[31m .xff %s: heap total' \
	'is named without harm'
escaped="$(printf 'new\nline \033[31m \377 %%%%s')"
run memusage -o "out $name" -d "data $escaped" --record="rec $escaped" ls /
is "$status" 0 'terrible names of files'
ok 'the report' test -s "out $name"
ok 'the data' test -s "data $name"
ok 'the recording' test -s "rec $name"

# ---- reports
run memusage -o report --color=always ls /
like "$(cat -v report)" '^\^\[\[01;32mMemory usage summary:' 'colours if they are asked for'
run memusage -o report ls /
unlike "$(cat -v report)" '\^\[' 'none in a file'
# The limit of a stack is for the program.
# shellcheck disable=SC3045
run sh -c 'ulimit -S -s 64 && exec memusage -o report --top --record=small.mur sh -c "ls; ulimit -s"'
is "$status,$(printf '%s\n' "$out" | tail -n 1)" 0,64 'under a small limit of the stack'
like "$(cat report)" '^memusage: process [0-9]+ ls: heap total' '... there is a report'
# shellcheck disable=SC3045
run sh -c 'ulimit -S -s 64 && memusageprint small.mur && exec memusagestat small.mur small.png'
is "$status" 0 '... and it is shown'
run env NO_COLOR=1 memusage -o report --color=always ls /
like "$(cat -v report)" '\^\[' '--color=always wins over NO_COLOR'
echo 'a long old report, longer than the new one' >report
yes | head -n 1000 >>report
run memusage -o report true
unlike "$(cat report)" '^y$' 'an old report is replaced'
run memusage -v -o report sort /dev/null
like "$(cat report)" '^memusage: thread [0-9]+ sort: stack peak: [0-9]+ seen, [0-9]+ touched' \
	'-v tells of threads'
like "$(cat report)" '^memusage: CPU time: ' 'and times'
like "$(cat report)" '^memusage: 1 images recorded$' 'and images'
done_testing
