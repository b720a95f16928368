#!/bin/sh
# sanitizers.t -- programs with the run-times of sanitizers, shared or linked in, run and are
# recorded, and the sanitizers find the same.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:?}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin memusageprint
need "${CC:=gcc}"

# checked work        allocates in threads and in a child, and opens a library
# checked lose        loses 100 and 300 bytes
# checked overflow    writes behind a block of 10 bytes
cat >checked.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept[100];

static void *keep(void *from)
{
	for (size_t i = 0; i < 25; i++)
		kept[(size_t)from + i] = memset(malloc(1000), 1, 1000);
	return from;
}

static int work(void)
{
	pthread_t thread[4];
	int status = -1;
	pid_t child;

	for (size_t i = 0; i < 4; i++)
		if (pthread_create(&thread[i], NULL, keep, (void *)(25 * i)))
			return 99;
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	child = fork();
	if (child == 0) {
		free(kept[1]);
		_exit(kept[2] && malloc(500) ? 7 : 8);
	}
	waitpid(child, &status, 0);
	printf("%d %d\n", WEXITSTATUS(status), dlopen("libm.so.6", RTLD_NOW) != NULL);
	for (int i = 0; i < 100; i++)
		free(kept[i]);
	return 6;
}

static int lose(void)
{
	kept[0] = malloc(100);
	kept[0] = malloc(300);
	kept[0] = NULL;
	return 0;
}

static int overflow(size_t behind)
{
	char *volatile block = malloc(10);

	block[10 + behind] = 1;
	return 0;
}

int main(int argc, char **argv)
{
	return strcmp(argv[1], "work") == 0 ? work() :
	       strcmp(argv[1], "lose") == 0 ? lose() : overflow((size_t)argc);
}
END

# build NAME COMPILER OPTION...: whether that can be built, and runs alone
build() {
	built=$1
	shift
	"$@" -g -o "$built" checked.c -pthread -ldl 2>/dev/null && "./$built" work >/dev/null 2>&1
	[ $? = 6 ]
}
# found FILE: what a sanitizer has found, without addresses
found() { sed -n 's/^SUMMARY: //p; s/.*ERROR: \([A-Za-z]*: [a-z-]*\).*/\1/p' "$1"; }
# finds_same WORD: the program ends as alone, with the same finding
finds_same() {
	run "./$built" "$1"
	native=$status
	found .err >native.found
	run memusage -q -o /dev/null --record=run.mur "./$built" "$1"
	found .err >found
	is "$status" "$native" "$built: $1: same exit status"
	same found native.found "$built: $1: same finding"
}

traces=
can_trace && traces=yes
clang_libraries=$(dirname "$(clang -print-file-name="libclang_rt.asan-$(uname -m).so" 2>/dev/null)")
while read -r name compiler options; do
	# shellcheck disable=SC2086
	if ! command -v "$compiler" >/dev/null || ! build "$name" $compiler $options; then
		skip "$name: $compiler $options makes no program that runs here"
		continue
	fi
	for mode in '' '--data=run.dat -m' '--top -o /dev/null' '--massif --massif-out-file=run.out' \
			'--record=run.mur' '--own-malloc=patch' \
			'--dhat --mode=copy --dhat-out-file=run.dhat'; do
		case $mode in
		--top*)
			# shellcheck disable=SC2086
			run memusage -q $mode "./$name" work
			is "$status,$out" "6,7 1" "$name: $mode: the same"
			;;
		*)
			# shellcheck disable=SC2086
			profiled "$name: ${mode:-plain}" $mode -- "./$name" work
			;;
		esac
	done
	case $name in
	address*)
		finds_same overflow
		finds_same lose
		# A sanitizer reserves 15 TB, which are not looked at one by one.
		if [ "$traces" ]; then
			run memusage -q --leak-check=full "./$name" lose
			like "$err$out" 'definitely lost: 400 bytes in 2 blocks' "$name: a leak check of ours"
		else
			skip "$name: processes cannot be traced here: $why"
		fi
		;;
	leak*) finds_same lose ;;
	esac
done <<END
address $CC -fsanitize=address
address-linked $CC -fsanitize=address -static-libasan
thread $CC -fsanitize=thread
undefined $CC -fsanitize=undefined
leak $CC -fsanitize=leak
address-clang clang -fsanitize=address
address-clang-shared clang -fsanitize=address -shared-libasan -Wl,-rpath,$clang_libraries
memory-clang clang -fsanitize=memory
END
done_testing
