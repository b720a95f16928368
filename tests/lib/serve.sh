# serve.sh -- a memusageserve in the background, and clients of it. Source after tap.sh and live.sh.
#
#	begin_serve ARG...   runs memusageserve ARG...; its job is $server, $at is where it listens
#	end_serve            ends it
#	get PATH [ARG...]    curl; sets $status (of HTTP), $out (file `body`), $headers
#	profile PATH         the same; the lines of the profile, as pprof.py prints them, in $out
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
# shellcheck disable=SC2034  # some are for the test

# served_at FILE: where the memusage or memusageserve listens whose standard error is in FILE
served_at() { sed -n 's/^memusage[a-z]*: serving .* at //p' "$1"; }
is_served_in() {
	at=$(served_at "$1")
	[ -n "$at" ]
}
begin_serve() {
	rm -f serve.err
	memusageserve "$@" 2>serve.err 3>&- 4<&- &
	server=$!
	until_true is_served_in serve.err
}
end_serve() {
	kill "$server"
	wait "$server"
}
get() {
	get_path=$1
	shift
	case $at in
	unix:*) set -- --unix-socket "${at#unix:}" "$@" "http://localhost$get_path" ;;
	*) set -- "$@" "http://$at$get_path" ;;
	esac
	: >body
	status=$(curl -sg -m 60 -D headers -o body -w '%{http_code}' "$@") || status="curl $?"
	out=$(tr -d '\000' <body)
	headers=$(tr -d '\r' <headers)
}
profile() {
	get "$@"
	out=$(python3 "$MU_SRC/tests/lib/pprof.py" body 2>&1)
}
