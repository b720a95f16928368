# tap.sh -- checks for shell tests, reported in the Test Anything Protocol. POSIX sh; source it.
#
#	#!/bin/sh
#	# what this test promises, in a sentence
#	. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
#	run memusage --version
#	is "$status" 0 'the version is no error'
#	like "$out" '^memusage [0-9]' 'and names itself'
#	done_testing
#
# The test runs in a directory of its own ($MU_TMP), removed afterwards. $MU_SRC is the source
# root, $MU_BUILD the build directory; $MU_BUILD/bin is first in PATH, $WORKLOADS holds the
# test programs (or $MU_WORKLOADS others of these names). A test can be started by hand from anywhere.
#
#	ok TEXT CMD...        CMD succeeds               nok TEXT CMD...    CMD fails
#	is GOT WANT TEXT      equal strings              isnt GOT NOT TEXT
#	like GOT ERE TEXT     some line matches          unlike GOT ERE TEXT
#	num GOT OP WANT TEXT  [ GOT OP WANT ], integers  same FILE WANT TEXT  equal files (diff -u)
#	bail TEXT             the test ends here, failed
#	run CMD...            sets $status $out $err     pass TEXT, fail TEXT, diag TEXT
#	skip WHY [N]          N checks not made here     skip_all WHY        none can be made
#	need CMD...           skip_all unless each exists  need_bin NAME...  ... was built
#	has_emulator          --accesses=emulate can work here; else $why says why not
#	need_valgrind         skip_all without a Valgrind that reports can be compared with
#	has_hooks COMPILER    it can build programs for --accesses=hooks; else $why says why not
#	is_at_least VERSION WANT  compares versions
#	is_sanitized SANITIZER  memusage has its run-time: address, thread or any
#	until_true CMD...     waits until it succeeds: a minute at most, however busy the machine is
#	pids NAME [PARENT]    process IDs by name
#	is_turn N             true at each Nth call, with MU_SLOW at each: shortens a long list
#	attempts FEW MANY     FEW, or MANY with MU_SLOW: of what goes wrong only sometimes
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
# shellcheck disable=SC2034  # some are for the test

set -u
tap_run=0 tap_failed=0
MU_SRC=$(cd "${MU_SRC:-$(dirname "$0")/../..}" && pwd) || exit 1
MU_BUILD=${MU_BUILD:-$MU_SRC/build}
WORKLOADS=${MU_WORKLOADS:-$MU_BUILD/tests/workloads}
PATH=$MU_BUILD/bin:$PATH
LC_ALL=C
export MU_SRC MU_BUILD PATH LC_ALL
if [ -z "${MU_TMP:-}" ]; then
	MU_TMP=$(mktemp -d "${TMPDIR:-/tmp}/mu-test.XXXXXX") || exit 1
	chmod 755 "$MU_TMP" # some run programs there as other users
	export XDG_CACHE_HOME="$MU_TMP/.cache"
	trap 'chmod -R u+rwX "$MU_TMP"; rm -rf "$MU_TMP"' EXIT
	trap 'exit 1' HUP INT TERM
	export MU_TMP
fi
cd "$MU_TMP" || exit 1
: "$WORKLOADS"

# tap_line RESULT TEXT: '#' would begin a directive, and a line's end another line. No process is
# started: a whole run makes 20,000 checks.
tap_line() {
	tap_run=$((tap_run + 1))
	tap_rest=$2 tap_plain=
	while :; do
		case $tap_rest in
		*['#
']*) ;;
		*) break ;;
		esac
		tap_part=${tap_rest%%['#
']*}
		tap_rest=${tap_rest#"$tap_part"}
		case $tap_rest in
		'#'*) tap_plain=$tap_plain$tap_part. ;;
		*) tap_plain="$tap_plain$tap_part " ;;
		esac
		tap_rest=${tap_rest#?}
	done
	printf '%s %d - %s\n' "$1" "$tap_run" "$tap_plain$tap_rest"
}
pass() { tap_line ok "$1"; }
fail() {
	tap_line 'not ok' "$1"
	tap_failed=$((tap_failed + 1))
	return 1
}
diag() { printf '%s\n' "$*" | sed 's/^/# /'; }
# tap_show LABEL VALUE: at most 40 lines of it
tap_show() { printf '%s\n' "$2" | sed -n "1,40s/^/# $1 /p"; }

ok() {
	tap_text=$1
	shift
	if "$@" >"$MU_TMP/.ok" 2>&1; then
		pass "$tap_text"
	else
		fail "$tap_text" || diag "failed ($?): $*"
		sed 's/^/# /' "$MU_TMP/.ok"
	fi
}
nok() {
	tap_text=$1
	shift
	if "$@" >"$MU_TMP/.ok" 2>&1; then
		fail "$tap_text" || diag "should fail: $*"
	else
		pass "$tap_text"
	fi
}
is() {
	if [ "$1" = "$2" ]; then
		pass "$3"
	else
		fail "$3" || { tap_show ' got' "$1" && tap_show 'want' "$2"; }
	fi
}
isnt() {
	if [ "$1" != "$2" ]; then
		pass "$3"
	else
		fail "$3" || tap_show 'got, unwanted,' "$1"
	fi
}
like() {
	if grep -Eq -e "$2" <<-TEXT; then
		$1
	TEXT
		pass "$3"
	else
		fail "$3" || { tap_show 'got' "$1" && diag "no line matches: $2"; }
	fi
}
unlike() {
	if grep -Eq -e "$2" <<-TEXT; then
		$1
	TEXT
		fail "$3" || { tap_show 'got' "$1" && diag "a line matches: $2"; }
	else
		pass "$3"
	fi
}
num() {
	if test "$1" "$2" "$3"; then
		pass "$4"
	else
		fail "$4" || diag "not true: $1 $2 $3"
	fi
}
same() {
	if diff -u "$2" "$1" >"$MU_TMP/.diff" 2>&1; then
		pass "$3"
	else
		fail "$3" || sed -n '1,60s/^/# /p' "$MU_TMP/.diff"
	fi
}
# Runs a command with no input; its output also stays in the files .out and .err.
run() {
	status=0
	"$@" </dev/null >"$MU_TMP/.out" 2>"$MU_TMP/.err" || status=$?
	out='' err=''
	# An empty one, as most are, costs no process.
	[ ! -s "$MU_TMP/.out" ] || out=$(tr -d '\000' <"$MU_TMP/.out")
	[ ! -s "$MU_TMP/.err" ] || err=$(tr -d '\000' <"$MU_TMP/.err")
	: "$status" "$out" "$err"
}
skip() {
	tap_left=${2:-1}
	while [ "$tap_left" -gt 0 ]; do
		tap_run=$((tap_run + 1)) tap_left=$((tap_left - 1))
		printf 'ok %d # SKIP %s\n' "$tap_run" "$1"
	done
}
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}
need() {
	for tap_cmd in "$@"; do
		command -v "$tap_cmd" >/dev/null 2>&1 || skip_all "no $tap_cmd here"
	done
}
# was_built FILE: it must have been: without it the test ends here, failed.
was_built() {
	[ -s "$1" ] && return
	fail "${1##*/} was built"
	done_testing
}
# lacks_libgd: whether this build is to be without it, or the machine has none of it.
lacks_libgd() {
	[ "${LIBGD:-yes}" = no ] && return
	! printf '#include <%s>\n' stdio.h gd.h cairo/cairo-ps.h png.h zlib.h | ${CC:-cc} -E - >/dev/null 2>&1
}
# lacks_serve: the same of libmicrohttpd and libcurl.
lacks_serve() {
	[ "${SERVE:-yes}" = no ] && return
	! printf '#include <%s>\n' microhttpd.h curl/curl.h | ${CC:-cc} -E - >/dev/null 2>&1
}
# has_program NAME: whether this build has it: without libgd there is no memusagestat, without a
# compiler for C++ no workload in C++. Any other that is missing ends the test, failed.
has_program() {
	[ -x "$MU_BUILD/bin/$1" ] && return
	[ -x "$WORKLOADS/$1" ] && return
	[ "$1" = memusagestat ] && lacks_libgd && return 1
	[ "$1" = memusageserve ] && lacks_serve && return 1
	[ -e "$MU_SRC/tests/workloads/$1.cc" ] && ! command -v "${CXX:-c++}" >/dev/null && return 1
	was_built "$WORKLOADS/$1"
}
# is_at_least VERSION WANT: of "tool-3.19.0", say, the numbers
is_at_least() {
	printf '%s\n' "$2" "${1#"${1%%[0-9]*}"}" | sort -V -C
}
need_valgrind() {
	need valgrind
	is_at_least "$(valgrind --version)" 3.19 || skip_all 'Valgrind is older than 3.19'
}
has_hooks() {
	why="$1 is not installed"
	command -v "$1" >/dev/null || return 1
	case $1 in
	gcc) tap_version=12 ;;
	*) tap_version=14 ;;
	esac
	why="$1 is older than $tap_version"
	is_at_least "$($1 -dumpversion)" "$tap_version"
}
need_bin() {
	for tap_cmd in "$@"; do
		has_program "$tap_cmd" || skip_all "this build has no $tap_cmd"
	done
}
# has_page BUILD: whether a build has the HTML page. scripts/page.sh leaves it out, and says why, if
# it is not wanted, or the machine has no node, no npm or no registry. If it is missing for another
# reason the test ends here, failed.
has_page() {
	[ -s "$1/page/template.html" ] && return
	case $(cat "$1/page/left-out" 2>/dev/null) in
	HTML=no | 'there is no n'* | 'node is older'* | 'no registry answers'*) return 1 ;;
	esac
	was_built "$1/page/template.html"
}
# need_libdw: skips the file in a build that knows no lines, inlined calls and static functions.
need_libdw() { [ "${LIBDW:-yes}" = yes ] || skip_all 'this build has no libdw: no lines'; }
need_page() { has_page "$MU_BUILD" || skip_all 'this build has no HTML page'; }
# need_machine NAME WHY: uname -m.
need_machine() { [ "$(uname -m)" = "$1" ] || skip_all "$2"; }
# need_tracing: skips the file if the kernel does not let us trace processes. The question is not put
# to memusage: a fault of its must not look like a machine that forbids it.
need_tracing() { can_trace || skip_all "processes cannot be traced here: $why"; }
# can_trace: whether they can; else $why
can_trace() {
	sleep 60 &
	sleeper=$!
	until_true grep -q sleep "/proc/$sleeper/comm"
	why=$("$WORKLOADS/may_trace" "$sleeper") && forbidden='' || forbidden=1
	kill "$sleeper"
	wait "$sleeper" 2>/dev/null || :
	[ -z "$forbidden" ]
}
# is_sanitized SANITIZER: whether memusage was built with it: thread, address, or any of them.
is_sanitized() {
	case $1 in
	address) tap_init='__asan_init' ;;
	thread) tap_init='__tsan_init' ;;
	*) tap_init='__[at]san_init' ;;
	esac
	grep -q "$tap_init" "$MU_BUILD/bin/memusage"
}
need_recorder() { was_built "$MU_BUILD/lib/memusage/libmemusage.so"; }
# has_emulator: --accesses=emulate can work here; else $why says why not
has_emulator() {
	why='qemu-user is not installed'
	command -v qemu-x86_64 >/dev/null || return 1
	why='qemu-user is built without plugins'
	! memusage -q --accesses=emulate true 2>&1 | grep -q 'without plugins'
}
# until_true COMMAND...: waits for a minute until COMMAND succeeds. The words of COMMAND are made once,
# before it waits: what they are to be compared with is asked by the next two.
until_true() {
	tap_left=600
	until "$@" 2>/dev/null; do
		tap_left=$((tap_left - 1))
		[ "$tap_left" -gt 0 ] || return 1
		sleep 0.1
	done
}
# prints_now WANT COMMAND...: whether COMMAND prints WANT
prints_now() {
	tap_want=$1
	shift
	[ "$("$@" 2>/dev/null)" = "$tap_want" ]
}
# until_prints COMMAND...: waits until COMMAND prints something, which is printed
until_prints() {
	tap_left=600
	until tap_printed=$("$@" 2>/dev/null); [ -n "$tap_printed" ]; do
		tap_left=$((tap_left - 1))
		[ "$tap_left" -gt 0 ] || return 1
		sleep 0.1
	done
	printf '%s\n' "$tap_printed"
}
pids() { "$MU_SRC/tests/lib/pids" "$@"; }
is_turn() {
	tap_turn=$((${tap_turn:-0} + 1))
	[ "${MU_SLOW:-}" ] || [ $((tap_turn % $1)) = 0 ]
}
attempts() { [ "${MU_SLOW:-}" ] && echo "$2" || echo "$1"; }
# compiled COMPILER ARGUMENT...: whether there is a program now. If there is no such compiler that is
# a skip, if it does not succeed a failure.
compiled() {
	if ! command -v "$1" >/dev/null 2>&1; then
		skip "no $1 here"
		return 1
	fi
	"$@" >compile.log 2>&1 && return
	fail "compiled: $*"
	sed 's/^/# /' compile.log
	return 1
}
# compile COMPILER ARGUMENT...: as compiled, but without a program the test ends here.
compile() {
	compiled "$@" || done_testing
}
# has_library FILE: whether the linker would find it, libNAME.so or libNAME.a.
has_library() {
	case $(${CC:-cc} -print-file-name="$1" 2>/dev/null) in
	*/*) ;;
	*) return 1 ;;
	esac
}
bail() {
	fail "$1"
	done_testing
}
done_testing() {
	echo "1..$tap_run"
	[ "$tap_failed" -eq 0 ]
	exit
}
