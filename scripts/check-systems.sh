#!/bin/sh
# check-systems.sh -- builds and tests the suite in chroots of several releases of Debian.
#
#	scripts/check-systems.sh FOLDER BUILD
#
# FOLDER keeps a root of each release, which debootstrap makes once, and the logs of each run. In
# each root the suite is built and tested by `make check`, with each compiler of that release.
# Then the build in BUILD is tested there: all of it if the C library of the release
# is not older than ours; with an older one the programs do not start, and only the recorder is
# tested, inside programs of that release (tests/systems/older.t).
#
# With experimental in SYSTEMS, which is no release of its own, its C library is tried upon sid.
#
# The environment may select a part: SYSTEMS (bullseye bookworm trixie sid), COMPILERS
# (gcc clang built: the last tests the build in BUILD), T and J as in the makefile,
# MIRROR (the archive to install from; default: apt's archive for the release that runs here).
#
# Needs root, debootstrap and Debian's archive. Nothing is left mounted or running: each step
# has its own name spaces.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
set -u

say() { printf 'check-systems: %s\n' "$*" >&2; }
die() {
	say "$*"
	exit 2
}

# inside ROOT COMMAND...: in its own name spaces (see enter()), with ROOT as the root. After a mere
# chroot a process may make no name spaces for users, which some tests do. This shell
# stays as process 1, and so adopts processes whose parents have ended.
if [ "${1:-}" = --inside ]; then
	root=$2
	shift 2
	mount --rbind "$root" "$root" && mount -t proc proc "$root/proc" && mount -t sysfs -o ro sys "$root/sys" &&
		mount --rbind /dev "$root/dev" && mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 \
		devpts "$root/dev/pts" && mount --bind "$root/dev/pts/ptmx" "$root/dev/ptmx" &&
		mount -t tmpfs -o mode=1777 shm "$root/dev/shm" || exit 2
	cd "$root" && pivot_root . . && umount -l . || exit 2
	chroot / env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C TERM=dumb \
		${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} "$@"
	exit
fi
enter() { unshare --mount --pid --fork --kill-child "$self" --inside "$@"; }

# Prints apt's archive for the release that runs here, one word.
find_mirror() {
	# shellcheck disable=SC1091  # the system's
	release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	# shellcheck disable=SC2016  # apt-get's own fields
	apt-get indextargets --format '$(CREATED_BY) $(RELEASE) $(COMPONENT) $(REPO_URI)' |
		awk -v r="$release" '$1 == "Packages" && $2 == r && $3 == "main" { print $4; exit }'
}

# make_experimental: makes $folder/experimental from sid's root, with the newest C library.
make_experimental() {
	make_root sid && cp /etc/resolv.conf /etc/hosts "$folder/sid/etc/" || return 1
	part=$folder/experimental.part
	rm -rf "$part"
	cp -a "$folder/sid" "$part" || return 1
	say 'experimental: a root from that of sid'
	sed 's/\<sid\>/experimental/' "$folder/sid/etc/apt/sources.list" >>"$part/etc/apt/sources.list"
	enter "$part" sh -c 'apt-get -q update && apt-get -y -q --no-install-recommends \
		-t experimental install libc6 libc-bin' >"$folder/experimental.log" 2>&1 </dev/null || {
		tail -n 5 "$folder/experimental.log" >&2
		return 1
	}
	mv "$part" "$folder/experimental"
}

# make_root RELEASE: makes $folder/RELEASE unless it exists. A root is complete when it has its name.
make_root() {
	[ -d "$folder/$1" ] && return 0
	[ "$1" = experimental ] && {
		make_experimental
		return
	}
	mirror=${MIRROR:-$(find_mirror)}
	[ -n "$mirror" ] || die 'apt knows no archive for the release that runs here; set MIRROR'
	scripts=${DEBOOTSTRAP_DIR:-/usr/share/debootstrap}/scripts
	[ -e "$scripts/$1" ] || as=$scripts/sid
	rm -rf "$folder/$1.part"
	say "$1: a new root from $mirror"
	debootstrap --variant=minbase --include=ca-certificates "$1" "$folder/$1.part" "$mirror" \
		${as:+"$as"} >"$folder/$1.log" 2>&1 || {
		tail -n 5 "$folder/$1.log" >&2
		return 1
	}
	mv "$folder/$1.part" "$folder/$1"
}

# copy_source ROOT: copies the files that git would take, as they are now, to the same path, since
# debug information names it; with the built page, which needs more than a release may have.
# An unchanged file keeps its time, so that make builds only the changes.
copy_source() {
	old=$1$source
	new=$old.new
	rm -rf "$new"
	mkdir -p "$new" || return 1
	git ls-files -z --cached --others --exclude-standard |
		tar -c --null --ignore-failed-read -T - 2>/dev/null | tar -x -m -C "$new" || return 1
	printf '%s\n' "$version" >"$new/.dist-version"
	[ ! -s "$build/page/template.html" ] ||
		cp "$build/page/template.html" "$new/page-template.html"
	(cd "$new" && find . -type f) | while read -r file; do
		! cmp -s "$new/$file" "$old/$file" || touch -r "$old/$file" "$new/$file"
	done
	rm -rf "$old"
	mv "$new" "$old"
}

# note RELEASE COMPILER LOG: adds a line to the table, and notes whether all tests passed.
note() {
	last=$(grep -E '^[0-9]+ passed, ' "$3" | tail -n 1)
	case $last in
	*' passed, 0 failed, '*) ok=0 ;;
	*' passed, '*) ok=1 ;;
	*) ok=1 last="no result, see $3" ;;
	esac
	[ "$ok" = 0 ] || failed=1
	printf '%-9s %-6s %s\n' "$1" "$2" "$last" >>"$table"
	say "$1, $2: $last"
}

# test_built_there RELEASE COMPILER
test_built_there() {
	case $2 in
	gcc) cxx=g++ ;;
	*) cxx=$2++ ;;
	esac
	log=$folder/$1-$2.log
	enter "$folder/$1" sh -c 'cd "$1" && shift && exec "$@"' sh "$source" \
		make check HTML=auto "B=/build/$2" "CC=$2" "CXX=$cxx" "J=$J" "T=$T" >"$log" 2>&1 </dev/null
	note "$1" "$2" "$log"
}

# test_built_here RELEASE
test_built_here() {
	log=$folder/$1-built.log
	rm -rf "${folder:?}/$1$build"
	mkdir -p "$folder/$1$build" && cp -a "$build/." "$folder/$1$build" || return 1
	# All of one time, behind that of the source: make would build it anew there.
	find "$folder/$1$build" -exec touch -h -d "@$(date +%s)" {} +
	# What the programs and their tests need, if nothing was built there before.
	enter "$folder/$1" sh -c 'cd "$1" && scripts/setup.sh check' sh "$source" \
		>"$folder/$1-setup.log" 2>&1 </dev/null
	if enter "$folder/$1" "$build/bin/memusage" --version >/dev/null 2>&1; then
		enter "$folder/$1" sh -c 'cd "$1" && shift && exec "$@"' sh "$source" \
			env "MU_BUILD=$build" "MU_SRC=$source" CC=gcc CXX=g++ LIBGD=yes LIBDW=yes \
			HTML=auto sh -c 'exec tests/run -j "$0" ${1:+-m "$1"} "$MU_BUILD"/tests/unit/*[!.d] \
			tests/e2e/*.t' "$J" "$T" >"$log" 2>&1 </dev/null
		MU_ROOT=$folder/$1 MU_BUILD=$build MU_SRC=$source tests/run -t 900 \
			tests/systems/attached.t >"$folder/$1-attached.log" 2>&1
		note "$1" attach "$folder/$1-attached.log"
	else
		MU_ROOT=$folder/$1 MU_BUILD=$build MU_SRC=$source tests/run -t 900 \
			tests/systems/older.t >"$log" 2>&1
	fi
	note "$1" built "$log"
}

[ $# = 2 ] || die 'usage: scripts/check-systems.sh FOLDER BUILD'
[ "$(id -u)" = 0 ] || die 'debootstrap and chroot need root'
for tool in debootstrap unshare git; do
	command -v "$tool" >/dev/null || die "there is no $tool here"
done
self=$(realpath "$0")
cd "${self%/*}/.." || exit 2
source=$PWD
mkdir -p "$1" && folder=$(realpath "$1") && build=$(realpath "$2") || exit 2
version=$(cat "$build/gen/cli/version.h") || exit 2
version=$(printf %s "$version" | sed 's/.*"\(.*\)".*/\1/')
: "${SYSTEMS:=bullseye bookworm trixie sid}" "${COMPILERS:=gcc clang built}" "${J:=2}" "${T:=}"
# debootstrap asks no apt.
proxy=$(apt-config shell proxy Acquire::http::Proxy | sed "s/^proxy='\(.*\)'$/\1/")
[ -z "$proxy" ] || export "http_proxy=$proxy"

failed=0
table=$(mktemp) || exit 2
trap 'rm -f "$table"' EXIT
for release in $SYSTEMS; do
	make_root "$release" && cp -L /etc/resolv.conf /etc/hosts "$folder/$release/etc/" &&
		copy_source "$folder/$release" || {
		echo "$release: no root could be made" >>"$table"
		failed=1
		continue
	}
	apt-config dump | grep -E '^Acquire::(Check-|Retries|https?::)' \
		>"$folder/$release/etc/apt/apt.conf.d/90memusage"
	enter "$folder/$release" sh -c "apt-get -q update && apt-get -y -q --no-install-recommends \
		install make" >"$folder/$release-make.log" 2>&1 </dev/null
	for compiler in $COMPILERS; do
		case $compiler in
		built) test_built_here "$release" ;;
		*) test_built_there "$release" "$compiler" ;;
		esac
	done
done
echo "release   built by: result (logs in $folder)"
cat "$table"
exit "$failed"
