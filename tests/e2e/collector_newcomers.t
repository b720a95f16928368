#!/bin/sh
# collector_newcomers.t -- the program ends while a process that outlives it is between its exec and
# its registration: it is recorded even so. A program that cannot be is not waited for.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:?}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin memusageprint

# Its constructor runs before the recorder's.
cat >slow.c <<'END'
#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void wait_for_go(void)
{
	close(open("begun", O_WRONLY | O_CREAT, 0644));
	for (int i = 0; i < 6000 && access("go", F_OK) != 0; i++)
		usleep(10000);
}
END
cat >late.c <<'END'
#include <stdlib.h>
static void *volatile keep;
int main(void)
{
	keep = malloc(3000);
	return 0;
}
END
# first fork|spawn PROGRAM: starts it in the background, and ends when it has begun
cat >first.c <<'END'
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
extern char **environ;
static void *volatile keep;
int main(int argc, char **argv)
{
	pid_t pid;

	keep = malloc(1000);
	if (strcmp(argv[1], "spawn") == 0)
		posix_spawn(&pid, argv[2], NULL, NULL, argv + 2, environ);
	else if (fork() == 0)
		execv(argv[2], argv + 2);
	while (access("begun", F_OK) != 0)
		usleep(1000);
	return 7;
}
END
compile "${CC:-cc}" -w -shared -fPIC -o libslow.so slow.c
compile "${CC:-cc}" -w -o late late.c -L. -Wl,--no-as-needed -lslow "-Wl,-rpath,$PWD"
compile "${CC:-cc}" -w -o first first.c

# of_late FILE: its row of the recording
of_late() { memusageprint --processes "$1" 2>/dev/null | grep '  \./late$'; }

# With `large` the process has an environment of 60 KB.
large=$(printf '%30000s' '')
for way in fork spawn large; do
	rm -f begun go kept.mur
	[ "$way" != large ] || export A="$large" Z="$large"
	run memusage -q --record=kept.mur ./first "$way" ./late </dev/null
	# The collector waits for 5 seconds: most is looked at later. But a reader of the file, or of a
	# copy, asks the collector for processes that run.
	cp kept.mur before.mur
	before=$(of_late before.mur)
	touch go
	is "$status" 7 "$way: the program ends as alone"
	isnt "$(memusageprint --processes before.mur 2>/dev/null | grep 'first ')" '' '... was recorded'
	is "$before" '' '... before the process that it has started'
	until_true of_late kept.mur >/dev/null
	like "$(of_late kept.mur)" ' 2.93 KiB ' '... which is recorded, too'
done
unset A Z

# The next recording into the same file is not refused.
if "${CC:-cc}" -static -w -o static slow.c late.c 2>errors; then
	rm -f begun go
	run memusage -q --record=kept.mur ./first fork ./static </dev/null
	is "$status" 7 'a program that cannot be recorded goes on'
	run memusage -q --record=kept.mur true
	is "$status" 0 '... and is not waited for'
	touch go
else
	skip 'no static C library' 2
fi

# A stranger's environment may be as long as it likes. $MU_TMP is not the stranger's to write in.
if [ "$(id -u)" = 0 ]; then
	mkdir strangers && chmod 777 strangers && chmod 755 .
	setpriv --reuid=64123 --regid=64123 --clear-groups "$WORKLOADS/boaster" strangers/begun >said &
	boaster=$!
	if until_true test -e strangers/begun; then
		run memusage -q --record=kept.mur true
		kill "$boaster"
		wait "$boaster"
		is "$(cat said)" unread "root's collector does not read the environment of another user's process"
	else
		skip 'no process can say where its environment is (prctl(2), PR_SET_MM_MAP)'
	fi
else
	skip 'only root can take the rights of another user'
fi
done_testing
