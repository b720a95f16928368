#!/bin/sh
# static_allocators.t -- mimalloc, jemalloc and tcmalloc, built from Debian's sources, linked
# statically, with the names of malloc and with prefixed ones only: every call is seen, once.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"

need_machine x86_64 'code is changed on x86-64 only'
need apt-get gcc make
# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
keys=/usr/share/keyrings/debian-archive-keyring.gpg
family=$MU_SRC/tests/workloads/prefixed.c

base=$PWD

# Lists of our own: nothing of the machine's is changed.
mkdir -p lists/partial cache/archives/partial
echo "deb-src [signed-by=$keys] http://deb.debian.org/debian $suite main" >sources.list
apt() {
	timeout 120 apt-get -qq -o Dir::Etc::sourcelist="$base/sources.list" \
		-o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$base/lists" \
		-o Dir::Cache="$base/cache" -o APT::Sandbox::User="$(id -un)" "$@" >"$base/apt.log" 2>&1
}
# unreachable: whether apt said that somebody does not answer; it ends by 124 after two minutes.
unreachable() {
	[ "$1" -eq 124 ] || grep -qE \
		'Could not (resolve|connect)|Temporary failure|Connection (failed|timed out)|unreachable' \
		"$base/apt.log"
}
# It says 0 without some lists, too.
apt update
status=$?
[ $status -eq 0 ] && [ -n "$(find lists -name '*Sources*')" ] || {
	sed 's/^/# /' apt.log
	unreachable $status && skip_all 'Debian does not answer'
	fail "apt reads Debian's list of sources"
	done_testing
}

# unpacked PACKAGE: its original source in the directory PACKAGE
unpacked() {
	mkdir -p "$1"
	(cd "$1" && apt source --download-only "$1") || {
		if unreachable $?; then
			skip "Debian does not answer: no source of $1"
		else
			fail "the source of $1"
		fi
		return 1
	}
	ok "the source of $1 is unpacked" tar -C "$1" -xf "$1"/"$1"_*.orig.tar.* --strip-components=1
}

# by_name WHAT PREFIX PROGRAM [OPTION...]: every call is one of the program's truths
by_name() {
	name=$1 prefix=$2
	shift 2
	profiled "$name, $prefix*" -v --alloc-symbol=auto -- "$@"
	is "$native_status" 0 "$name, $prefix*: it ran to its end"
	like "$(cat report)" "${prefix}malloc in [^ ]*: patched, [0-9,]+ calls" "$name: functions are listed"
	unlike "$(cat report)" 'are not seen|no function' "$name: nothing is missing"
	like "$(cat report)" ' 0 frees of unknown' "$name: blocks are known"
}
as_malloc() {
	profiled "$1 as malloc" -v -- "$2"
	is "$native_status" 0 "$1 as malloc: it ran to its end"
	like "$(cat report)" 'brings its own malloc' "$1 as malloc: said"
	unlike "$(cat report)" '[1-9][0-9]* frees of unknown|cannot be changed|are not seen' \
		"$1 as malloc: all of it"
}

# ---- mimalloc: one file, each compiler, each level

if unpacked mimalloc; then
	for compiler in gcc clang; do
		for level in -O0 -O1 -O2 -O3; do
			build="mimalloc, $compiler $level"
			compiled $compiler $level -w -DPREFIX=mi_ -Imimalloc/include -o prefixed "$family" \
				mimalloc/src/static.c -pthread && by_name "$build" mi_ ./prefixed
			compiled $compiler $level -w -DMI_MALLOC_OVERRIDE -fno-builtin -Imimalloc/include \
				-o own "$family" mimalloc/src/static.c -pthread && as_malloc "$build" ./own
		done
	done
fi

# ---- jemalloc, configured with a prefix and without

if unpacked jemalloc; then
	for prefix in je_ ''; do
		(mkdir -p "build$prefix" && cd "build$prefix" &&
			../jemalloc/configure --disable-cxx --disable-doc \
				"--with-jemalloc-prefix=$prefix" && make -j2 build_lib_static) >made.log 2>&1
		is $? 0 "jemalloc is built, prefix '$prefix'" || tail -n 5 made.log | sed 's/^/# /'
		for compiler in gcc clang; do
			compiled $compiler -O2 -w -fno-builtin "-DPREFIX=$prefix" -o user "$family" \
				"build$prefix/lib/libjemalloc.a" -pthread -ldl -lm || continue
			case $prefix in
			'') as_malloc "jemalloc, $compiler" ./user ;;
			*) by_name "jemalloc, $compiler" "$prefix" ./user ;;
			esac
		done
	done
fi

# ---- tcmalloc: Debian has the archive; malloc and tc_malloc are one function there

archive=$(find /usr/lib -name libtcmalloc_minimal.a 2>/dev/null | head -n 1)
if [ -z "$archive" ]; then
	skip 'no static tcmalloc'
else
	for compiler in gcc clang; do
		for prefix in '' tc_; do
			compiled $compiler -O2 -w -fno-builtin "-DPREFIX=$prefix" -o user "$family" "$archive" \
				-pthread -lstdc++ -lm && as_malloc "tcmalloc, ${prefix}malloc, $compiler" ./user
		done
	done
fi
done_testing
