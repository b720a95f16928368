#!/bin/sh
# install.t -- install puts everything where it belongs, whatever was built works from there and
# from wherever the tree is moved to, and uninstall takes away exactly that.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need make
unset MAKEFLAGS B DESTDIR prefix PROGRAM_SUFFIX

make_it() { make -C "$MU_SRC" --no-print-directory B="$MU_BUILD" V=0 "$@"; }
# The files below a directory, as paths from there.
list() { (cd "$1" 2>/dev/null && find . ! -type d | sort | sed 's/^\.//'); }

# What the sources and the build say should be there, with prefix $1 and suffix $2.
expected() {
	for f in "$MU_BUILD"/bin/*; do [ -x "$f" ] && echo "$1/bin/${f##*/}$2"; done
	for f in $(list "$MU_BUILD/lib/memusage"); do echo "$1/lib/memusage$f"; done
	for f in "$MU_SRC"/man/*.[15]; do
		name=${f##*/}
		[ -e "$f" ] && echo "$1/share/man/man${name##*.}/${name%.*}$2.${name##*.}"
	done
	for f in memusage memusageprint memusagestat memusageserve; do
		echo "$1/share/bash-completion/completions/$f$2"
		echo "$1/share/fish/vendor_completions.d/$f$2.fish"
	done
	echo "$1/share/zsh/site-functions/_memusage$2"
	echo "$1/lib/memusage/memusage-service"
	echo "$1/lib/systemd/system/memusage@.service"
	[ -e "$MU_SRC/include/memusage.h" ] && echo "$1/include/memusage.h"
}

run make_it install DESTDIR="$MU_TMP/plain" CFLAGS=-O0
is "$status" 0 'make install' || diag "$out" "$err"
unlike "$out" '^  (CC|LD|AR) ' 'it builds nothing anew, though the flags are others'
list plain >got
expected /usr/local '' | sort >want
same got want 'prefix is /usr/local, and nothing else is installed'

run make_it install DESTDIR="$MU_TMP/root" prefix=/opt/m PROGRAM_SUFFIX=-mu
is "$status" 0 'make install with prefix and PROGRAM_SUFFIX'
list root >got
expected /opt/m -mu | sort >want
same got want 'the suffix is on programs, man pages and completions'
is "$(find root -type f -perm /0111 ! -path '*/bin/*')" root/opt/m/lib/memusage/memusage-service \
	'only programs are executable'
like "$(cat root/opt/m/lib/memusage/memusage-service)" '^memusage=.*:-/opt/m/bin/memusage-mu\}' \
	'... and that of the unit finds memusage'

for program in root/opt/m/bin/*; do
	[ -x "$program" ] || continue
	run "$program" --version
	is "$status" 0 "${program##*/} --version"
done

# profiles PROGRAM TEXT: the installed launcher finds its recorder, and something is recorded.
profiles() {
	run "$1" -- sort /dev/null
	is "$status" 0 "$2: status"
	like "$err" ' malloc\|.* [1-9][0-9]* ' "$2: calls were counted"
}
profiles root/opt/m/bin/memusage-mu 'installed'
mv root 'moved to: here'
profiles "$MU_TMP/moved to: here/opt/m/bin/memusage-mu" 'moved, blank and colon in the path'
mkdir links && ln -s "$MU_TMP/moved to: here/opt/m/bin/memusage-mu" links/mem
profiles links/mem 'through a symbolic link'
PATH=$MU_TMP/links:$PATH
profiles mem 'through PATH'
mv 'moved to: here' root
if has_program memusagestat; then
	run root/opt/m/bin/memusage-mu --png=out.png -- sort /dev/null
	is "$(head -c 8 out.png | od -An -c | tr -d ' ')" '211PNG\r\n032\n' \
		'memusage finds memusagestat under its suffix'
else
	skip 'this build has no memusagestat'
fi

mkdir -p root/opt/m/bin root/opt/m/lib/memusage
touch root/opt/m/bin/other root/opt/m/lib/memusage/other
run make_it uninstall DESTDIR="$MU_TMP/root" prefix=/opt/m PROGRAM_SUFFIX=-mu
is "$status" 0 'make uninstall'
is "$(list root | tr '\n' ' ')" '/opt/m/bin/other /opt/m/lib/memusage/other ' \
	'it leaves what is not ours'
run make_it uninstall DESTDIR="$MU_TMP/plain"
is "$(list plain)" '' 'it removes all that is ours'
nok 'and the private directory' test -d plain/usr/local/lib/memusage
done_testing
