#!/bin/sh
# snooper.t -- a process of a user that says it has loaded a file which that user may not read is not
# told by root's examiner what is in it.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage
need setpriv
need_tracing
[ "$(id -u)" = 0 ] || skip_all 'only root can take the rights of another user'

cat >secret.c <<'END'
char launch_code_is_1234[1 << 19];
int main(void) { return launch_code_is_1234[1]; }
END
compile "${CC:-cc}" -w -fPIE -pie -o public secret.c
chmod 755 . public
mkdir -m 700 closed
cp public closed/secret
cp public secret && chmod 600 secret
cp "$WORKLOADS/snooper" snooper-whose-name-is-longer-than-theirs

snoop() {
	run memusage -q --holders -o report setpriv --reuid=64123 --regid=64123 --clear-groups \
		./snooper-whose-name-is-longer-than-theirs "$PWD/$1" launch_code
}
snoop public
is "$status,$out" 0,told 'a file that everybody can read: its names are in the answer'
snoop secret
is "$status,$out" 0,'not told' "a file of root's: they are not"
snoop closed/secret
is "$status,$out" 0,'not told' '... nor those of one in a folder that is closed to the user'
done_testing
