#!/bin/sh
# demo.sh -- profiles a real program and draws its picture, for `make demo`.
#
# The program is the C compiler proper, compiling one of our own sources, or, without gcc,
# perl, which every Debian has. The picture and its data remain in $MU_BUILD/demo.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -eu

cd "$(dirname "$0")/.."
build=${MU_BUILD:-$PWD/build}
memusage=$build/bin/memusage
out=$build/demo
mkdir -p "$out"

[ -x "$memusage" ] || {
	echo "demo: $memusage was not built" >&2
	exit 1
}

cc1=$(gcc -print-prog-name=cc1 2>/dev/null || :)
if [ -x "$cc1" ]; then
	title='the C compiler (cc1 -O2), compiling cli/options.c'
	set -- "$cc1" -quiet -O2 -std=gnu11 -D_GNU_SOURCE -I. -I"$build/gen" \
		-imultiarch "$(gcc -print-multiarch)" cli/options.c -o /dev/null
else
	title='perl, counting words of its own modules'
	# shellcheck disable=SC2016  # for perl
	set -- perl -e 'for (glob("$INC[-1]/*.pm"), @ARGV) { open my $f, "<", $_ or next;
		while (<$f>) { $n{$_}++ for split /\W+/ } } print scalar(keys %n), " words\n"' \
		README.md docs/*.md
fi

# say COMMAND...: prints the command as it could be typed, then runs it.
say() {
	printf '\n$'
	for word in "$@"; do
		word=${word#"$build/bin/"}
		case $word in
		*[!A-Za-z0-9_./=,%+:-]*) printf " '%s'" "$word" ;;
		*) printf ' %s' "$word" ;;
		esac
	done
	printf '\n'
	"$@"
}

# Prints the head of the report: a compiler requests blocks of hundreds of sizes.
show_report() {
	sed -n '1,24p' "$out/demo.txt"
	more=$(($(wc -l <"$out/demo.txt") - 24))
	[ "$more" -le 0 ] || printf '  ... %d more lines in %s\n' "$more" "$out/demo.txt"
}

# The picture is the purpose, but a build without libgd still shows the report.
set -- --output="$out/demo.txt" "$@"
if [ -x "$build/bin/memusagestat" ]; then
	say "$memusage" --title="$title" --data="$out/demo.dat" --png="$out/demo.png" "$@"
	show_report
	[ -s "$out/demo.png" ] || {
		echo 'demo: no picture was drawn' >&2
		exit 1
	}
	printf '\nThe picture: %s\n' "$out/demo.png"
	printf 'Its data:    %s\n' "$out/demo.dat"
	printf 'Your turn:   %s --png=graph.png PROGRAM\n' "$memusage"
else
	say "$memusage" "$@"
	show_report
	printf '\nmemusagestat was not built (libgd or cairo is missing): no picture.\n'
fi
