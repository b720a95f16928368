#!/bin/sh
# demo.sh -- profiles python3 and shows what held its memory, for `make demo`.
#
# The program is scripts/demo.py; where there is no python3, perl does a similar thing. Report,
# picture and page remain in $MU_DEMO, by default $MU_BUILD/demo. A part that cannot be made is left
# out; the last lines say which, and what brings it.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -eu

cd "$(dirname "$0")/.."
build=${MU_BUILD:-$PWD/build}
memusage=$build/bin/memusage
out=${MU_DEMO:-$build/demo}
mkdir -p "$out"

[ -x "$memusage" ] || {
	echo "demo: $memusage was not built" >&2
	exit 1
}

# find_python: prints the interpreter itself: python3 in PATH may be a script that starts it.
find_python() {
	for python in /usr/bin/python3 python3; do
		"$python" -c 'import os, sys; print(os.path.realpath(sys.executable))' 2>/dev/null &&
			return 0
	done
	return 1
}

# shorten PATH: prints it relative to this folder, if it is below.
shorten() { printf '%s\n' "${1#"$PWD/"}"; }

# print_command COMMAND...: as it could be typed.
print_command() {
	printf '$%s' "${PYTHONMALLOC:+ PYTHONMALLOC=$PYTHONMALLOC}"
	for word in "$@"; do
		case $word in
		"$memusage") word=memusage ;;
		"$python") word=python3 ;;
		*[!A-Za-z0-9_./=,%+:-]*) word="'$word'" ;;
		esac
		printf ' %s' "$word"
	done
	printf '\n'
}

# Sets $columns, and $bold, $colour and $plain: empty where colours are not wanted.
look_at_terminal() {
	columns=80 bold='' colour='' plain=''
	[ -t 1 ] || return 0
	{ columns=$(stty size <&3 2>/dev/null | cut -d ' ' -f 2); } 3>&1
	[ "${columns:-0}" -ge 40 ] || columns=80
	[ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ] || return 0
	# Magenta can be read on black and on white.
	bold=$(printf '\033[1m') colour=$(printf '\033[35m') plain=$(printf '\033[0m')
}

# Prints the headline of the report, and of the three places that held most a line and a bar each.
show_places() {
	awk -v columns="$columns" -v bold="$bold" -v colour="$colour" -v plain="$plain" '
	function fit(text, width) {
		return length(text) <= width ? text : substr(text, 1, width - 3) "..."
	}
	/^$/ { next }
	!headline {
		for (headline = 1; length($0) > columns; $0 = substr($0, at + 1)) {
			for (at = columns; at > 1 && substr($0, at, 1) != " "; at--);
			print bold substr($0, 1, at) plain
		}
		print bold $0 plain "\n"
		next
	}
	# bytes, unit, share, blocks, name
	# The lines of a function, indented, are passed over.
	places < 3 && /^ *[0-9.]+ ([KMGT]i)?B +[0-9.]+% +[0-9,]+  [^ ]/ {
		share = $3 + 0
		if (!places++) scale = 16 / (share > 0 ? share : 1)
		bar = sprintf("%*s", int(share * scale + 0.5), "")
		gsub(/ /, "#", bar)
		head = sprintf("%6s %-3s %6s  ", $1, $2, $3)
		sub(/^ *[0-9.]+ [A-Za-z]+ +[0-9.]+% +[0-9,]+  /, "")
		print head colour sprintf("%-16s", bar) plain "  " fit($0, columns - length(head) - 18)
	}
	END { exit !places }' "$out/demo.txt" || sed -n '1,8p' "$out/demo.txt"
}

# Draws the memory over time by place, and prints the path of the picture and how to draw it.
draw_picture() {
	[ -s "$out/demo.mur" ] || return 0
	"$build/bin/memusagestat" --bands --theme=light "$out/demo.mur" "$out/demo.png" || return 0
	printf 'Picture:    %s\n            (memusagestat --bands --theme=light demo.mur demo.png)\n' \
		"$out/demo.png"
}

# Names what could not be made, and the package that brings it.
name_missing() {
	[ -x "$build/bin/memusagestat" ] || echo 'No picture and no page: memusagestat was not built;' \
		'apt-get install libgd-dev libcairo2-dev libpng-dev'
	[ -z "$reason" ] || case $reason in
	*' no node') echo "No page: $reason; apt-get install nodejs npm, then make demo" ;;
	*' no npm') echo "No page: $reason; apt-get install npm, then make demo" ;;
	*' older than '*) echo "No page: $reason (package nodejs; Debian 12 has 18)" ;;
	*) echo "No page: $reason" ;;
	esac
}

reason=''
if [ ! -s "$build/page/template.html" ]; then
	reason=$(cat "$build/page/left-out" 2>/dev/null) || reason='its template was not built'
fi
rm -f "$out/demo.txt" "$out/demo.mur" "$out/demo.png" "$out/demo.html"

if python=$(find_python); then
	set -- "$python" scripts/demo.py docs libmemusage memusage
	# Python's own allocator would hide its objects from every other.
	export PYTHONMALLOC=malloc
else
	# shellcheck disable=SC2016  # for perl
	set -- perl -e 'for (@ARGV) { open my $f, "<", $_ or next; while (<$f>) {
		push @{$n{$_}}, $. for split /\W+/ } } print scalar(keys %n), " different words\n"' \
		docs/*.md libmemusage/*/*.c
	unset PYTHONMALLOC
fi
if [ -x "$build/bin/memusagestat" ]; then
	[ -n "$reason" ] || set -- --html="$(shorten "$out")/demo.html" "$@"
	set -- --record="$(shorten "$out")/demo.mur" "$@"
fi
set -- "$memusage" --top "$@"

look_at_terminal
print_command "$@"
shift
"$memusage" --output="$out/demo.txt" "$@"
echo
show_places
echo
draw_picture
[ ! -s "$out/demo.html" ] || printf 'Page:       %s\n' "$out/demo.html"
printf 'Report:     %s\n' "$out/demo.txt"
printf 'Your turn:  %s%s --top PROGRAM%s\n' "$bold" "$memusage" "$plain"
name_missing
