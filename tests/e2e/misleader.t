#!/bin/sh
# misleader.t -- what a process of a user says of a file, when it asks root's collector for the code of
# it, decides nothing about root's processes; and it learns nothing of a file that it cannot read.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage
need_machine x86_64 'functions are intercepted on x86-64 only'
PATH=$WORKLOADS:$PATH
[ "$(id -u)" = 0 ] || skip_all 'only root can take the rights of another user'
chmod 755 .
cp "$WORKLOADS/libplain.so" library.so
here=$PWD/library.so

# ask FILE ID: a process of user 64123 asks for the code of FILE, then one of root loads the library
ask() {
	run memusage -o report --trace-children=yes --alloc-symbol=own_give \
		misleader 64123 "$1" "$2" "$here" own_give
}
chmod 755 library.so
ask "$here" wrong
is "$status" 0 'a process of a user asks for a file, with a wrong build-id'
like "$(cat report)" 'own_give in library.so: patched, 1 call' '... root'\''s has the right answer'
cp library.so other.so && chmod 644 other.so
ask "$PWD/other.so" none
is "$out" answered 'a file that all can read: it gets an answer'
cp library.so secret.so && chmod 600 secret.so
ask "$PWD/secret.so" none
is "$out" refused 'a file that only root can read: the process of the user learns nothing'
like "$(cat report)" 'own_give in library.so: patched, 1 call' '... and root has its answer'
mkdir -m 700 hidden && cp other.so hidden/library.so
ask "$PWD/hidden/library.so" none
is "$out" refused 'a file that all can read, in a directory of root: likewise'
done_testing
