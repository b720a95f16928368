#!/bin/sh
# setup.sh -- installs, by name, missing packages that a target of the makefile needs.
#
#	scripts/setup.sh build | demo | check | check-real | check-suites | check-systems |
#		bench | fuzz
#
# It looks for the things themselves (a command, a header, a library), so that things installed in
# another way count, and does nothing if everything is there. Otherwise it lists the packages
# and runs apt-get, as root or through sudo. It installs nothing with NO_INSTALL=1,
# and nothing without a terminal if it is not root: then it prints the command to run, and
# fails if a required thing is missing. Tests that lack an optional thing say so and are skipped.
# With SETUP_LOG=FILE the output of apt-get goes to FILE.update and FILE.install, and only its end
# is shown, if it fails.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -u

# need|want PACKAGE KIND:NAME...   need: the target fails without it. want: a part is skipped.
# PACKAGE may be several names separated by '|'; each release has one of them at most.
# KIND is cmd (in PATH), hdr (header), lib (shared library, for the loader), dir (below /usr, with *).
packages_build='
need gcc cmd:cc|gcc|clang
need libc6-dev hdr:stdio.h
need make cmd:make|gmake
want pkg-config cmd:pkg-config
want libgd-dev hdr:gd.h
want libcairo2-dev hdr:cairo/cairo-ps.h
want libpng-dev hdr:png.h
need zlib1g-dev hdr:zlib.h
want libdw-dev hdr:elfutils/libdwfl.h
want libiberty-dev hdr:libiberty/demangle.h
want libncurses-dev hdr:ncursesw/curses.h
want libmicrohttpd-dev hdr:microhttpd.h
want libcurl4-openssl-dev hdr:curl/curl.h
'
packages_demo='
need libgd-dev hdr:gd.h
need libcairo2-dev hdr:cairo/cairo-ps.h
need libpng-dev hdr:png.h
want python3 cmd:python3
'
packages_page='
want nodejs cmd:node
want npm cmd:npm
'
packages_check='
want g++ cmd:g++|c++
want git cmd:git
want perl cmd:perl
want binutils cmd:readelf
want valgrind cmd:valgrind
want qemu-user cmd:qemu-x86_64
want clang cmd:clang
want sqlite3 cmd:sqlite3
want cmake cmd:cmake
want autoconf cmd:autoreconf
want automake cmd:automake
want libc-devtools cmd:memusagestat
want musl-tools cmd:musl-gcc
want libc6-i386 dir:lib32
want libjemalloc2 lib:libjemalloc.so.2
want libtcmalloc-minimal4|libtcmalloc-minimal4t64 lib:libtcmalloc_minimal.so.4
want libmimalloc2.0|libmimalloc3 lib:libmimalloc.so.2.0|libmimalloc.so.2|libmimalloc.so.3
want libjemalloc-dev hdr:jemalloc/jemalloc.h
want libgoogle-perftools-dev hdr:gperftools/tcmalloc.h
want libmimalloc-dev hdr:mimalloc.h
want shellcheck cmd:shellcheck
want mandoc cmd:mandoc
want groff cmd:groff
want python3 cmd:python3
want xz-utils cmd:xz
want libdebuginfod1|libdebuginfod1t64 lib:libdebuginfod.so.1
want openssl cmd:openssl
want libxml2-utils cmd:xmllint
want ghostscript cmd:gs
want protobuf-compiler cmd:protoc
want openmpi-bin cmd:mpirun.openmpi
want mpich cmd:mpirun.mpich
want python3-protobuf dir:lib/python3/dist-packages/google/protobuf
want python3-jsonschema dir:lib/python3/dist-packages/jsonschema
want python3-prometheus-client dir:lib/python3/dist-packages/prometheus_client
want jq cmd:jq
want curl cmd:curl
want file cmd:file
want graphviz cmd:dot
want bc cmd:bc
want less cmd:less
want zsh cmd:zsh
want fish cmd:fish
want tmux cmd:tmux
'
packages_real='
want procps cmd:pgrep
want sqlite3 cmd:sqlite3
want python3 cmd:python3
want openssl cmd:openssl
want nodejs cmd:node
want default-jre-headless cmd:java
want gdb cmd:gdb
want clang cmd:clang
want libunwind-dev hdr:libunwind.h
want npm cmd:npm
want chromium cmd:chromium
want time cmd:/usr/bin/time
want nginx cmd:nginx
want postgresql cmd:pgbench
want redis-server cmd:redis-server
want default-jdk-headless cmd:javac
want prometheus cmd:prometheus
want cmake cmd:cmake
want meson cmd:meson
want ninja-build cmd:ninja
want cargo cmd:cargo
want python3-pytest dir:lib/python3/dist-packages/pytest
want glibc-source dir:src/glibc
want xz-utils cmd:xz
'
packages_suites='
need perl cmd:perl
want ruby cmd:ruby
want python3 cmd:python3
want xz-utils cmd:xz
want libpython3.11-testsuite|libpython3.13-testsuite dir:lib/python3.1*/test/xmltestdata
'
packages_systems='
need git cmd:git
need debootstrap cmd:debootstrap
need util-linux cmd:unshare
'
packages_bench='
want libc-devtools cmd:memusagestat
want sqlite3 cmd:sqlite3
want perl cmd:perl
'
packages_fuzz='
want clang cmd:clang
'

say() { printf 'setup: %s\n' "$*" >&2; }

# One of the names separated by '|' suffices. Only the test of this script sets SETUP_USR.
usr=${SETUP_USR:-/usr}
present() {
	kind=${1%%:*}
	for name in $(printf %s "${1#*:}" | tr '|' ' '); do
		case $kind in
		cmd) command -v "$name" >/dev/null 2>&1 && return 0 ;;
		hdr)
			for dir in "$usr/include" "$usr/local/include" "$usr"/include/*-linux-gnu; do
				[ -e "$dir/$name" ] && return 0
			done
			;;
		dir) # which may be a pattern
			for dir in "$usr"/$name; do [ -d "$dir" ] && return 0; done
			;;
		lib)
			for dir in "$usr/lib" "$usr/local/lib" "$usr/lib64" "$usr"/lib/*-linux-gnu; do
				[ -e "$dir/$name" ] && return 0
			done
			;;
		esac
	done
	return 1
}

# Sets $needed and $wanted to the missing packages of a list given on stdin.
collect() {
	needed='' wanted=''
	while read -r level package probes; do
		[ -n "$level" ] || continue
		missing=''
		for p in $probes; do present "$p" || missing=1; done
		[ -n "$missing" ] || continue
		case " $needed $wanted " in *" $package "*) continue ;; esac
		case $level in
		need) needed="$needed $package" ;;
		*) wanted="$wanted $package" ;;
		esac
	done
	needed=${needed# } wanted=${wanted# }
}

# Sets the prefix of commands that install, or the reason why nothing may be installed.
may_install() {
	if [ "${NO_INSTALL:-0}" != 0 ] && [ -n "${NO_INSTALL:-}" ]; then
		reason='NO_INSTALL is set'
	elif ! command -v apt-get >/dev/null 2>&1; then
		reason='there is no apt-get here'
	elif [ "$(id -u)" = 0 ]; then
		as_root='env DEBIAN_FRONTEND=noninteractive'
		return 0
	elif ! command -v sudo >/dev/null 2>&1; then
		reason='not root, and there is no sudo'
	elif [ ! -t 0 ] || [ ! -t 2 ]; then
		reason='not root, and no terminal to ask at'
	else
		as_root='sudo env DEBIAN_FRONTEND=noninteractive'
		return 0
	fi
	return 1
}

# apt COMMAND [PACKAGE...]
apt() {
	command=$1
	# shellcheck disable=SC2086  # words are wanted
	set -- $as_root apt-get -y -q --no-install-recommends -o Acquire::http::Timeout=20 \
		-o Acquire::Retries=1 -o DPkg::Lock::Timeout=120 "$@"
	if [ -n "${SETUP_LOG:-}" ]; then
		"${0%/*}/progress.sh" "setup: apt-get $command" "$SETUP_LOG.$command" "$@"
	else
		"$@" >&2 </dev/null
	fi
}

# has_package NAME: true unless it is known that this release lacks it
has_package() {
	command -v apt-cache >/dev/null 2>&1 || return 0
	apt-cache policy "$1" 2>/dev/null | grep -q '^ *Candidate: [^(]'
}

# Sets $known to the packages that this release has.
select_packages() {
	known=''
	for names in "$@"; do
		found=''
		for package in $(printf %s "$names" | tr '|' ' '); do
			[ -n "$found" ] || ! has_package "$package" || found=$package
		done
		[ -n "$found" ] || say "this release has no package $names"
		known="$known${found:+ }$found"
	done
	known=${known# }
}

# Installs everything together; if that fails, one by one, unless there is no network.
install_packages() {
	say "installing $*"
	# A password is asked for here, not below a line of progress.
	case $as_root in sudo*) [ -z "${SETUP_LOG:-}" ] || sudo -v || : ;; esac
	online=1
	apt update || online=''
	select_packages "$@"
	# shellcheck disable=SC2086  # words are wanted
	set -- $known
	[ $# -gt 0 ] || return 1
	apt install "$@" && return 0
	[ -n "$online" ] || return 1
	for package in "$@"; do apt install "$package" || say "could not install $package"; done
}

case ${1:-} in
build) list=$packages_build ;;
demo)
	list=$packages_demo$packages_build
	# A release contains the page's template.
	[ -s "${0%/*}/../page-template.html" ] || [ "${HTML:-auto}" = no ] ||
		list=$list$packages_page
	;;
check) list=$packages_build$packages_check ;;
check-real) list=$packages_build$packages_check$packages_real ;;
check-suites) list=$packages_build$packages_suites ;;
check-systems) list=$packages_build$packages_check$packages_systems ;;
bench) list=$packages_build$packages_bench ;;
fuzz) list=$packages_build$packages_fuzz ;;
*)
	say 'usage: scripts/setup.sh build|demo|check|check-real|check-suites|check-systems|bench|fuzz'
	exit 2
	;;
esac

collect <<EOF
$list
EOF
[ -n "$needed$wanted" ] || exit 0

as_root='' reason=''
if may_install; then
	# shellcheck disable=SC2086  # words are wanted
	install_packages $needed $wanted
	collect <<EOF
$list
EOF
	reason='they could not be installed'
fi

[ -n "$needed$wanted" ] || exit 0
say "missing: $needed${needed:+ }$wanted ($reason)"
needed=$(printf %s "$needed" | sed 's/|[^ ]*//g') wanted=$(printf %s "$wanted" | sed 's/|[^ ]*//g')
say "to install: apt-get install $needed${needed:+ }$wanted"
if [ -n "$needed" ]; then
	say "cannot go on without: $needed"
	exit 1
fi
say 'going on without; what depends on them is left out or skipped, and says so'
