#!/bin/sh
# live_view.t -- the live view in a real terminal: it shows what the program says it does, obeys
# its keys, fits any size, and outlives the program; the program outlives the view.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/users.sh"
need_bin memusage memusageprint swelling
need tmux
[ "${NCURSES:-yes}" = yes ] || skip_all 'built without ncurses'
need_libdw
PATH=$WORKLOADS:$PATH
TMUX_TMPDIR=$MU_TMP
export TMUX_TMPDIR
unset TMUX NO_COLOR

# A server that ends would take a new session of the same name with it.
server=0
pane() { tmux -L "mu$server" -f /dev/null "$@"; }
# begin COLUMNS ROWS COMMAND: in a new terminal, which stays for its output
begin() {
	[ $server = 0 ] || pane kill-server
	server=$((server + 1))
	export server
	printf '%s\necho "status $?"\nsleep 1000\n' "$3" >typed.sh
	LC_ALL=C.UTF-8 pane new-session -d -s mu -x "$1" -y "$2" "LC_ALL=${locale:-C.UTF-8} sh ./typed.sh"
}
take_shot() { pane capture-pane -p -t mu >shot; }
cat >shows <<'END'
#!/bin/sh
tmux -L "mu$server" -f /dev/null capture-pane -p -t mu -S "${from:-0}" >shot && grep -Eq -e "$1" shot
END
chmod +x shows
# shows ERE TEXT: some line of the screen matches, sooner or later
shows() {
	if until_true ./shows "$1"; then
		pass "$2"
	else
		fail "$2" || { tap_show screen "$(cat shot)" && diag "no line matches: $1"; }
	fi
}
# Checks of more than a line: the terminal may have drawn the half of it.
is_above() { ./shows "$1" && [ "$(line_of "$1")" -lt "$(line_of "$2")" ]; }
line_of() { grep -n "$1" shot | sed -n '1s/:.*//p'; }
lacks() { ./shows ' heap ' && ! grep -q -e "$1" shot; }
has_change() {
	./shows 'since the mark [0-9.]+ s' &&
		awk '/put_entry/ { print $(NF - 3) $(NF - 2) }' shot | grep -Eq '^\+[0-9.]+(KiB|B)$'
}
press() { for key in "$@"; do pane send-keys -t mu "$key"; done; }
widest() { awk '{ if (length($0) > most) most = length($0) } END { print most + 0 }' shot; }

# ---- a program that grows

# Its series keeps the snapshots of all marks for some minutes.
begin 80 24 'memusage --live --max-snapshots=1000 swelling 5000 300'
shows '^ swelling 5000 300 +process [0-9]+   [0-9.]+ m?s$' 'the command and its process'
shows '^ heap [0-9.]+ .i?B   peak' 'figures'
shows '█ heap' 'a curve'
shows ' 488 KiB   488 KiB        50         0         0  fill_pool \(swelling\.c\)' 'a place that rests'
shows '\+[0-9.]+ K?i?B +\+[0-9.]+ [KM]iB  put_entry \(swelling\.c\)' '... one that grows'
shows '^ q quit  h help' 'the keys'
nok 'the output of the program is not on the screen' grep -q '^step' shot
is "$(wc -l <shot)" 24 'it has all lines'
pid=$(sed -n 's/.*process \([0-9]*\) .*/\1/p' shot)
press g g g
shows 'swelling\.c:[0-9]+\)' 'by line'
press g
press 6
shows 'functions by function' 'sorted by name'
ok '... F before P' until_true is_above fill_pool put_entry
press r
shows 'by function, reversed' 'reversed'
ok '... P before F' until_true is_above put_entry fill_pool
press 1 / p o o l
shows '^ filter: pool_' 'a filter is typed'
press Enter
shows '"pool" hides [0-9]' '... and hides the rest'
ok '... of the places' until_true lacks put_entry
press Escape
shows put_entry 'Escape shows them again'
press Escape 6 r / p u t _ e Enter Enter
shows ' put_entry \(swelling\.c\)' 'Enter shows the callers of a place'
shows '  ├ serve_(odd|even) \(swelling\.c\)' '... all'
shows '  └ serve_(odd|even) \(swelling\.c\)' '... of them'
until_true ./shows 'Esc back'
like "$(awk '/serve_/ && /[├└]/ { print $5; exit }' shot)" '^[0-9]+$' '... with their blocks'
press g
shows ' main \(swelling\.c:[0-9]+\)' '... by line'
press Escape Escape
shows 'functions by ' 'Escape goes back'
press 1
press o
shows '^step [0-9]+' 'o shows what the program writes'
shows 'output of the program: ' '... under a title'
press o
shows put_entry '... and the table again'
press m
shows '(marked: changes count from now on|since the mark)' 'a mark'
until_true ./shows 'since the mark [0-9.]+ s'
ok '... from which changes count' until_true has_change
kill -STOP "$pid"
until_true ./shows 'STOPPED by a signal'
sleep 3
until_true ./shows 'since the mark'
since=$(awk '/put_entry/ { print substr($(NF - 3), 2), $(NF - 2) }' shot)
run memusage "--pid=$pid" growth mark
kill -CONT "$pid"
like "$out" "^put_entry .* grew by $since from mark " '... which are those of growth mark'
press h
shows 'Keys of the live view' 'help'
press x t
shows '[0-9]+ swelling$' 'threads'
press t s
shows 'recording kept: memusage\.[0-9]+\.1\.mur' 'a snapshot'
run memusageprint --leaks "memusage.$pid.1.mur"
like "$out" 'fill_pool' '... is a recording with the places'
press ' '
shows 'PAUSED' 'paused'
sleep 1
take_shot
heap=$(sed -n 's/^ heap \([0-9.]* [^ ]*\).*/\1/p' shot)
sleep 2
take_shot
is "$(sed -n 's/^ heap \([0-9.]* [^ ]*\).*/\1/p' shot)" "$heap" '... nothing changes'
press ' '
until_true lacks PAUSED

# ---- sizes

for size in 120x40 60x20 40x8 200x60; do
	pane resize-window -t mu -x "${size%x*}" -y "${size#*x}"
	shows '^ heap [0-9.]+ ' "$size"
	until_true sh -c "./shows heap
		[ \$(wc -l <shot) = ${size#*x} ] && tail -n 1 shot | grep -q '^ q quit'"
	like "$(tail -n 1 shot)" '^ q quit' '... its last line is the last'
	num "$(widest)" -le $((${size%x*} * 3)) '... no line is longer'
done
pane resize-window -t mu -x 20 -y 5
shows 'too small: 40 x 8' 'too small a terminal'
pane resize-window -t mu -x 80 -y 24

# ---- leaving and coming back

kill -STOP "$pid"
shows 'STOPPED by a signal' 'a stopped process'
kill -CONT "$pid"
# A new one: the series of a long run does not keep the snapshot of every mark.
until_true lacks STOPPED
press m
shows 'marked: changes count from now on' 'another mark'
press q
from=-1000
export from
shows "process $pid runs on; memusage --pid=$pid live comes back" 'q leaves it'
shows '^step [0-9]+' '... the output is there'
from=0
ok 'the program runs on' kill -0 "$pid"
pane new-window -t mu "LC_ALL=C.UTF-8 memusage --pid=$pid live; echo status \$?; sleep 1000"
shows "process $pid" 'one can come back'
shows 'since the mark' '... and the mark is known'
launcher=$(awk '/^PPid:/ { print $2 }' "/proc/$pid/status")
collector=$(pids memusage-collec "$launcher")
kill -KILL "$collector"
sleep 1
shows put_entry 'the view survives its collector'
press C-c
shows 'status 0' 'Ctrl-C leaves it'
ok '... and ends nothing else' kill -0 "$pid"
kill -INT "$pid"

# ---- Ctrl-C, and the end of the program

begin 80 24 'memusage -q --live swelling 100000 50'
shows 'put_entry' 'another run'
press C-c
shows 'status 5' 'Ctrl-C gives SIGINT to a program that --live started'
begin 80 24 'memusage --live swelling 30 50 >out.txt'
shows 'ENDED: the figures are as of [0-9.]+ m?s ' 'the end of the program is said'
of=$(sed -n 's/.*the figures are as of \([0-9.]* m*s\) .*/\1/p' shot)
like "$(sed q shot)" "process [0-9]+   $of *\$" '... with the time of the last look'
shows 'put_entry' '... its last figures stay'
is "$(tail -n 1 out.txt)" 'step 30' 'a redirected output stays where it is'
press q
shows 'in a function and all that it called' 'then comes the report'
shows 'status 0' '... and its status'
begin 80 24 'memusage -q --live true'
shows 'status 0' 'a program that ends at once'

# ---- a view that is killed gives the terminal back

begin 80 24 'trap : INT; memusage --live swelling 100000 700; stty -a'
shows 'put_entry' 'another run'
# The names of its places may be looked up by further processes of that name.
# The terminal's command may be that of another shell, which has not replaced itself by it.
pane=$(pane display-message -p -t mu '#{pane_pid}')
launcher=$(for shell in "$pane" $(pids sh "$pane"); do pids memusage "$shell"; done)
# shellcheck disable=SC2046  # one word, or none
kill -KILL $(for watcher in $(pids memusage "$launcher"); do pids memusageprint "$watcher"; done)
from=-1000
shows 'the view has ended: memusageprint was killed by signal 9 \(Killed\)' 'a view that is killed: that is said'
shows 'process [0-9]+ runs on; memusage --pid=[0-9]+ live comes back' '... the program runs on'
shows '^step [0-9]+' '... its output is shown'
is "$(pane display-message -p -t mu '#{alternate_on} #{cursor_flag} #{keypad_cursor_flag}')" '0 1 0' \
	'... on the screen of before, with a cursor'
press C-c
shows '^isig icanon iexten echo ' '... Ctrl-C is a signal again, and what is typed is shown'
shows 'intr = \^C; quit = ' '... by its key'
from=0

# ---- processes of the run

begin 80 24 'memusage -q --live sh -c "swelling 50000 100 & swelling 40000 100 & wait"'
shows ' heap ' 'a tree'
press p
shows '[0-9]+ swelling 50000 100$' 'its processes'
shows '[0-9]+ swelling 40000 100$' '... all of them'
press / 4 0 0 Enter Enter
shows '^ swelling 40000 100 +process' 'Enter shows another one'
press Escape
shows 'put_entry' '... with its places'
press C-c

if has_users; then
	begin 100 24 "memusage -q --live sh -c 'swelling 50000 100 & setpriv --reuid=64123 \
		--clear-groups swelling 40000 100 & wait'"
	shows ' heap ' 'a tree of two users'
	press p
	shows '[0-9]+ swelling 50000 100$' 'its processes'
	shows '[1-9][0-9.]* .i?B .* [0-9]+ \[user 64123\] swelling 40000 100$' \
		'... that of the other user too, with figures'
	press / 4 0 0 Enter Enter
	shows 'process [0-9]+ belongs to another user, who can ask: memusage --pid=' 'is not entered'
	shows '^ sh -c ' '... and the view stays'
	press C-c
else
	skip "$no_users" 5
fi

# ---- terminals

locale=C
begin 80 24 'memusage -q --live swelling 50000 100'
shows '^ *[0-9.]+ KiB \+#* *' 'in the C locale the curve is ASCII'
nok '... and all else' grep -q '[^ -~]' shot
press C-c
locale=C.UTF-8
begin 80 24 'TERM=dumb memusage -q --live swelling 30 100'
shows 'TERM=dumb\) cannot show the live view: add --once' 'a dumb terminal'
shows 'status 0' '... the program runs all the same'
pane kill-server
done_testing
