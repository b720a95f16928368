#!/bin/sh
# module_path.t -- a library that was opened by a relative name has its functions named, wherever the
# program has gone since.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint

mkdir libs
cp "$WORKLOADS/libplain.so" libs/libmine.so
cat >go.c <<'END'
#include <dlfcn.h>
#include <unistd.h>
int main(void)
{
	void *library = dlopen("libs/libmine.so", RTLD_NOW);
	char *(*give)(void) = library ? (char *(*)(void))dlsym(library, "own_give") : 0;

	if (!give || chdir("/") < 0)
		return 1;
	return give() == 0;
}
END
compile "${CC:-cc}" -w -o go go.c -ldl
memusage -q --massif --detailed-freq=1 --massif-out-file="$PWD/out" ./go
is $? 0 'it runs'
like "$(cat out)" ': 777 0x[0-9A-F]+: own_give ' 'the name of its function'
memusage -q --massif --detailed-freq=1 --ignore-fn=own_give --massif-out-file="$PWD/out" ./go
unlike "$(cat out)" 'own_give \(' '... by which it can be ignored'

done_testing
