#!/bin/sh
# progress.sh -- runs a long command with one line of progress instead of its output.
#
#	scripts/progress.sh LABEL LOG COMMAND...
#
# The output goes to LOG. On a terminal the line shows how many lines LOG has, and the last. If
# the command fails, the end of LOG is printed, and the exit status is the command's.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -u
label=$1 log=$2
shift 2
mkdir -p "$(dirname "$log")" && : >"$log" || exit 1

# Redraws the line until this shell has ended, in case nothing can stop it.
show_progress() {
	columns=$(stty size <&2 2>/dev/null | cut -d ' ' -f 2)
	[ "${columns:-0}" -gt 20 ] || columns=80
	while kill -0 $$ 2>/dev/null; do
		line="$label: $(wc -l <"$log") $(tail -n 1 "$log" | tr -cs '[:print:]' ' ')"
		printf '\r%.*s\033[K' $((columns - 1)) "$line" >&2
		sleep 0.2
	done
}

# The command stays in the foreground: in the background it would ignore an interrupt.
display=''
stop_display() {
	[ -n "$display" ] || return 0
	kill "$display" 2>/dev/null
	wait "$display" 2>/dev/null
	display=''
	printf '\r\033[K' >&2
}
trap 'stop_display; exit 130' INT
trap 'stop_display; exit 143' TERM
start=$(date +%s)
if [ -t 2 ]; then
	show_progress &
	display=$!
else
	printf '%s ...\n' "$label" >&2
fi
status=0
"$@" >"$log" 2>&1 </dev/null || status=$?
on_terminal=$display
stop_display
if [ "$status" -ne 0 ]; then
	tail -n 40 "$log" >&2
	printf '%s: failed with status %d; all of its output is in %s\n' "$label" "$status" "$log" >&2
elif [ -n "$on_terminal" ]; then
	printf '%s: %d s\n' "$label" $(($(date +%s) - start)) >&2
fi
exit "$status"
