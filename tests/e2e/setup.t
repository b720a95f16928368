#!/bin/sh
# setup.t -- setup.sh installs only what is missing, only when it may, and says what it does.
#
# apt-get, id and sudo are stand-ins that write down how they were called; what is "missing" is
# whatever the PATH of the test lacks.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"

mkdir stub
tools='sh cat env printf tr rm touch ln sed make pkg-config git perl readelf g++ valgrind mandoc
	groff shellcheck memusagestat clang'
for tool in $tools; do
	real=$(command -v "$tool") || real=/bin/true
	case $real in /*) ln -s "$real" "stub/$tool" ;; esac
done
ln -s /bin/true stub/gcc
mkdir -p usr/include/cairo usr/include/curl usr/include/elfutils usr/include/libiberty \
	usr/include/ncursesw usr/lib
for header in stdio.h gd.h cairo/cairo-ps.h png.h zlib.h elfutils/libdwfl.h libiberty/demangle.h \
	ncursesw/curses.h microhttpd.h curl/curl.h; do
	touch "usr/include/$header"
done
cat >stub/id <<'EOF'
#!/bin/sh
echo "${UID_STUB:-0}"
EOF
cat >stub/apt-get <<'EOF'
#!/bin/sh
echo "$*" >>"$MU_TMP/calls"
case $* in *install*) for p in $FAKE_INSTALL; do ln -sf /bin/true "$MU_TMP/stub/$p"; done ;; esac
EOF
chmod +x stub/id stub/apt-get

# setup ENVIRONMENT... MODE
setup() {
	: >calls
	run env -i PATH="$MU_TMP/stub" MU_TMP="$MU_TMP" SETUP_USR="$MU_TMP/usr" CI=true "$@"
	calls=$(cat calls)
}
setup="$MU_SRC/scripts/setup.sh"

setup "$setup" fuzz
is "$status" 0 'nothing is missing'
is "$calls$out$err" '' '... nothing is done or said'

rm stub/clang
setup NO_INSTALL=1 "$setup" fuzz
is "$status" 0 'NO_INSTALL, an optional package is missing: status'
is "$calls" '' '... nothing is installed'
like "$err" 'apt-get install clang$' '... the command is given'
like "$err" 'NO_INSTALL' '... and the reason'

setup UID_STUB=1000 "$setup" fuzz
is "$status$calls" 0 'not root, no sudo: nothing is installed'
like "$err" 'not root, and there is no sudo' '... and the reason'

printf '#!/bin/sh\necho "sudo $*" >>"%s/calls"\n' "$MU_TMP" >stub/sudo
chmod +x stub/sudo
setup UID_STUB=1000 "$setup" fuzz
is "$status$calls" 0 'not root, no terminal: nothing is installed'
like "$err" 'no terminal' '... and the reason'

setup FAKE_INSTALL=clang "$setup" fuzz
is "$status" 0 'root: status'
like "$calls" 'update' '... the lists are updated'
like "$calls" 'install clang$' '... what is missing is installed, nothing else'
like "$err" 'installing clang' '... and said'

rm stub/gcc stub/clang
setup NO_INSTALL=1 "$setup" build
is "$status" 1 'a compiler is missing: status'
like "$err" 'cannot go on without: gcc' '... and the message'
setup FAKE_INSTALL='gcc clang' "$setup" build
is "$status" 0 'a compiler was installed'

rm stub/valgrind
setup "$setup" check
is "$status" 0 'an optional package that cannot be installed: status'
like "$err" 'going on without' '... and the message'

# apt-cache knows the second of two names, and one of the others.
cat >stub/apt-cache <<'EOF'
#!/bin/sh
case $2 in *3 | *t64 | valgrind) echo '  Candidate: 1.0' ;; *) echo '  Candidate: (none)' ;; esac
EOF
ln -s "$(command -v grep)" stub/grep
chmod +x stub/apt-cache
setup "$setup" check
like "$calls" 'install .*libmimalloc3' 'of two names the one that this release has is installed'
like "$calls" 'install .*libtcmalloc-minimal4t64 .*libdebuginfod1t64' '... also one of a 64-bit time_t'
unlike "$calls" 'libmimalloc2|xz-utils' '... and no name that it does not have'
like "$err" 'no package xz-utils' '... which is said'
rm stub/apt-cache

rm usr/include/gd.h
setup NO_INSTALL=1 "$setup" demo
is "$status" 1 'the demo needs libgd for its picture'
like "$err" 'cannot go on without: libgd-dev' '... and says so'

# The sources of a release, which have the page built, need neither.
mkdir -p source/scripts
cp "$MU_SRC"/scripts/*.sh source/scripts/
touch usr/include/gd.h
setup NO_INSTALL=1 source/scripts/setup.sh demo
is "$status" 0 'the demo goes on without node and npm'
like "$err" 'apt-get install .*nodejs npm' '... which it would install'
setup source/scripts/setup.sh demo
like "$err" 'installing .*nodejs npm' 'what is installed is said first'
mkdir -p release/scripts
cp "$MU_SRC"/scripts/*.sh release/scripts/
echo page >release/page-template.html
setup NO_INSTALL=1 release/scripts/setup.sh demo
unlike "$err" 'nodejs|npm' 'a release needs neither'

setup "$setup" nonsense
is "$status" 2 'an unknown target is a usage error'

# ---- what it has done here

if [ "${MU_SET_UP:-}" = 1 ]; then
	for library in "LIBGD=${LIBGD:-}" "LIBDW=${LIBDW:-}" "NCURSES=${NCURSES:-}" \
		"SERVE=${SERVE:-}"; do
		like "$library" '=(yes|no)$' "the makefile finds the library of $library after the set-up"
	done
	ok 'perl has JSON::PP, which tests need' perl -MJSON::PP -e1
	ok 'there is protobuf, which the receiver of pushes needs' \
		"$MU_SRC/tests/lib/push/python" -c 1
	ok 'there is readelf, which lint needs' command -v readelf
	ok 'there is jq, by which tests read JSON' command -v jq
	ok 'there is jsonschema, which validates it' sh -c \
		'for p in python3 /usr/bin/python3; do $p -c "import jsonschema" && exit; done; exit 1'
else
	skip 'no set-up has run, so libraries and tools may be missing' 9
fi
done_testing
