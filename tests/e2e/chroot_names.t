#!/bin/sh
# chroot_names.t -- functions of libraries that a process opened in a chroot are named, in the reports of
# the run and, with --root, later; a file of another build is not taken for them.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint
[ "$(id -u)" = 0 ] || skip_all 'chroot needs root'
need chroot

mkdir -p jail/libs other/libs
cp "$WORKLOADS/libplain.so" jail/libs/libmine.so
cp "$WORKLOADS/libearly.so" other/libs/libmine.so
cat >go.c <<'END'
#include <dlfcn.h>
#include <errno.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	const struct timespec pause = { 0, 300000000 };	/* time to be looked at */
	void *library;
	char *(*give)(void);

	if (chroot(argv[1]) < 0)
		return errno == EPERM ? 2 : 3;
	if (chdir("/") < 0)
		return 4;
	nanosleep(&pause, NULL);
	library = dlopen("/libs/libmine.so", RTLD_NOW);
	give = library ? (char *(*)(void))dlsym(library, "own_give") : 0;
	return !give || give() == 0;
}
END
compile "${CC:-cc}" -w -o go go.c -ldl
./go jail
case $? in
0) ;;
2) skip_all 'chroot is not allowed here' ;;
*) fail 'it runs alone' ;;
esac

memusage -q --record=run.mur --massif-out-file=out --detailed-freq=1 ./go jail
is $? 0 'it runs'
like "$(cat out)" ': 777 0x[0-9A-F]+: own_give ' 'the name of its function'
like "$(cat out)" ': 777 0x[0-9A-F]+: main ' 'and of the program, which is outside'
run memusageprint --to=massif -o later run.mur
ok 'later there is a profile' test -s later
nok 'later the directory is not known' grep -q own_give later
like "$err" '/libs/libmine.so: no names' 'which is said'
run memusageprint --to=massif --root="$PWD/other" --root="$PWD/jail" -o later run.mur
ok 'with --root it is; other files are passed by' grep -q ': own_give' later
is "$err" '' 'without a word'
run memusageprint --to=massif --root="$PWD/other" -o later run.mur
nok 'a file of another build has no names for it' grep -q own_give later
done_testing
