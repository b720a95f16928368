#!/bin/sh
# disturber.t -- a process of a user that is hostile to root, who attaches to it, gains nothing: no file
# that it names is written to, and its answers and lists have bounds.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
. "$MU_SRC/tests/lib/attach.sh"
need_bin memusage disturber without
need mkfifo
need_attach
PATH=$WORKLOADS:$PATH
[ "$(id -u)" = 0 ] || skip_all 'only root can take the rights of another user'
chmod 755 .

# disturb WHAT [FILE]: begins a disturber of another user
disturb() {
	begin_stranger setpriv --reuid=64123 --regid=64123 --clear-groups "$WORKLOADS/disturber" "$@"
}
# visit COMMAND...: a recorder comes and goes
visit() {
	run timeout 60 "$@" memusage --attach="$program" --duration=20ms -q --record=run.mur 3>&-
}
echo 'known to root' >secret && chmod 600 secret
disturb descriptors "$PWD/secret"
for _ in $(seq "$(attempts 10 20)"); do
	visit without pidfd_getfd
done
end_stranger
is "$(cat secret)" 'known to root' 'a file in the place of its memory file is not written to'

disturb answer
for _ in 1 2 3 4 5; do
	visit env
	unlike "$err" 'has died' 'an answer that has changed: it is no harm'
done
end_stranger

disturb list
visit env
is "$status" 0 'a list of free blocks without an end: it is recorded'
end_stranger

disturb filters
visit env
end_stranger
if [ "$ended" = 77 ]; then
	skip 'the kernel takes no filters' 2
else
	like "$err" 'seccomp filters have too many ways' 'many filters with many ways: it is refused'
	is "$ended" 0 '... and it goes on'
fi

# After su the variables are still the user's.
mkdir runtime && chown 64123 runtime && chmod 700 runtime
run env XDG_RUNTIME_DIR="$PWD/runtime" memusage -o report sh -c 'ls runtime'
is "$status,$out" '0,' "root's collector makes nothing in the runtime directory of a user"
run env -u XDG_RUNTIME_DIR TMPDIR="$PWD/runtime" memusage -o report sh -c 'ls runtime'
is "$status,$out" '0,' '... nor in its temporary one'
mkdir shared && chmod 1777 shared
run env -u XDG_RUNTIME_DIR TMPDIR="$PWD/shared" memusage -o report sh -c 'ls shared'
like "$status,$out" '^0,memusage-......$' '... but in one that is shared as /tmp is'
done_testing
