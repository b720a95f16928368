#!/bin/sh
# attach_live.t -- memusage --attach=PID --live shows the live view of a process that runs already: q
# leaves the view, Ctrl-C ends the recording, and the process notices nothing.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/attach.sh"
need_bin memusage memusageprint swelling
need tmux
need_attach
[ "${NCURSES:-yes}" = yes ] || skip_all 'built without ncurses'
PATH=$WORKLOADS:$PATH
TMUX_TMPDIR=$MU_TMP
export TMUX_TMPDIR
unset TMUX NO_COLOR

pane() { tmux -L mu -f /dev/null "$@"; }
cat >shows <<'END'
#!/bin/sh
tmux -L mu -f /dev/null capture-pane -p -t mu >shot && grep -Eq -e "$1" shot
END
chmod +x shows
# shows ERE TEXT: some line of the screen matches, sooner or later
shows() {
	if until_true ./shows "$1"; then
		pass "$2"
	else
		fail "$2" || tap_show screen "$(cat shot)"
	fi
}
has_recorder() { grep -q memfd:memusage "/proc/$stranger/maps"; }
has_left_view() { ! ./shows '^ heap '; }
has_left_process() { ! has_recorder; }

swelling 100000 100 >/dev/null &
stranger=$!
printf 'trap : INT\n%s\necho "status $?"\nsleep 1000\n' "memusage -q --live --attach=$stranger" >typed.sh
LC_ALL=C.UTF-8 pane new-session -d -s mu -x 80 -y 24 'LC_ALL=C.UTF-8 sh ./typed.sh'
shows "^ swelling 100000 100 +process $stranger" '--live shows a process that runs already'
shows '^ heap [0-9.]+' '... its figures'
pane send-keys -t mu q
ok 'q leaves the view' until_true has_left_view
ok '... and the process recorded' has_recorder
pane send-keys -t mu C-c
shows 'status 0' 'Ctrl-C ends the recording'
ok '... without a trace' until_true has_left_process
ok '... and nothing else' kill -0 "$stranger"
pane kill-server
kill "$stranger"
wait "$stranger" 2>/dev/null
done_testing
