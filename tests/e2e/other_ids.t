#!/bin/sh
# other_ids.t -- an ID of a process that is another one's here, or one's that has ended, or of which
# the kernel does not tell much, harms nobody.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:?}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
. "$MU_SRC/tests/lib/users.sh"
need_bin memusage memusageprint
unshare -pf --kill-child --mount-proc true 2>/dev/null ||
	skip_all 'no namespace of processes can be made here'

# outliving FILE [TENTHS]: a child of its child allocates for some time, and writes "ok" to FILE.
# outliving -FILE [TENTHS]: itself
cat >outliving.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void *volatile block[1000];
static int allocate(const char *file, int tenths)
{
	FILE *out;
	for (int i = 0; i < tenths * 100; i++) {
		for (int k = 0; k < 1000; k++) {
			free(block[k]);
			block[k] = memset(malloc(16 + (i * 7 + k) % 3000), 1, 16);
		}
		usleep(1000);
	}
	out = fopen(file, "a");
	fputs("ok\n", out);
	fclose(out);
	return 5;
}
int main(int argc, char **argv)
{
	int tenths = argc > 2 ? atoi(argv[2]) : 5;
	if (*argv[1] == '-')
		return allocate(argv[1] + 1, tenths);
	free(malloc(100));
	if (fork() == 0) {
		if (fork() == 0)
			_exit(allocate(argv[1], tenths));
		_exit(0);
	}
	wait(NULL);
	return 0;
}
END
compile "${CC:-cc}" -O1 outliving.c -o outliving

# A container in a container: what a process calls itself means nothing to the collector.
cat >nested <<'END'
i=0
while [ $i -lt 20 ]; do /bin/true; i=$((i + 1)); done
unshare -pf --kill-child --mount-proc sh -c 'for i in 1 2 3 4 5 6 7 8; do /bin/true; done
	./outliving said; until [ -s said ]; do sleep 0.1; done; true'
END
for _ in $(seq "$(attempts 2 10)"); do
	rm -f said
	run unshare -pf --kill-child --mount-proc timeout 60 \
		memusage -o report --record=nested.mur sh nested
	is "$status,$(cat said)" 0,ok 'a daemon in a nested namespace goes on'
	run timeout 60 memusage -o report sh nested
	is "$status" 0 '... also where memusage is in none'
done
run memusageprint --processes nested.mur
like "$out" '_exit, status 5 .*outliving|exited, status not known .*outliving|_exit, status not known .*outliving' \
	'... and is in the recording'

# ---- children of a namespace, one of which has its parent's ID there

if unshare -pf --kill-child --mount-proc true 2>/dev/null; then
	for options in '' '--data=run.dat' '--top'; do
		# shellcheck disable=SC2086
		run unshare -pf --kill-child --mount-proc sh -c 'memusage -o report "$@"; exit $?' sh \
			$options unshared
		is "$status,$out" 4,freed=700 "${options:-no option}: a maker of namespaces goes on to its end"
		like "$(cat report)" '^ malloc\| +7[0-9][0-9] |unshared: .* calls: 1[0-9][0-9][0-9]' \
			'... and is recorded until then'
	done
else
	skip 'no namespaces here' 6
fi

# ---- /proc of another namespace

run timeout 60 unshare -pf --kill-child memusage -o report sh -c 'exit 4'
is "$status" 4 'memusage as PID 1, with a /proc that is not its own, comes to an end'

# ---- PID 1 has its orphans

cat >waiting <<'END'
trap 'echo told >told; exit' TERM
echo >waits
while :; do sleep 0.1; done
END
echo 'until [ -e waits ]; do sleep 0.1; done; kill -TERM 1' >ending
run timeout 60 unshare -pf --kill-child --mount-proc sh -c 'sh ending &
	exec memusage -o report sh -c "sh waiting & exit 3"'
until_true [ -s told ]
ok 'a signal to memusage as PID 1 reaches what its program left' test -s told

# ---- an emulator, which is recorded, and a program in it, which has the same ID

if command -v qemu-x86_64 >/dev/null && [ "$(uname -m)" = x86_64 ]; then
	for _ in 1 2 3; do
		run memusage -o report qemu-x86_64 ./outliving -emulated 1
		is "$status" 5 'a program in an emulator'
	done
	recorded 'the emulator'
else
	skip 'no qemu-x86_64 here' 4
fi

# ---- many groups

groups=$(seq -s, 2000000000 2000001000)
if setpriv --groups "$groups" true 2>/dev/null; then
	run setpriv --groups "$groups" memusage -q --top ./outliving -said 1
	like "$err$out" 'of memory at most' 'a user of 1,000 groups: the memory is known'
	rm -f said
	run setpriv --groups "$groups" unshare -pf --kill-child --mount-proc \
		timeout 60 memusage -o report sh nested
	is "$status,$(cat said)" 0,ok '... and processes of nested namespaces go on'
else
	skip 'no groups can be chosen here' 2
fi

# ---- a collector that is killed, and a program of which its user may read nothing

if has_users; then
	cp outliving "$user_dir/outliving"
	chmod 711 "$user_dir/outliving"
	cat >"$user_dir/killed" <<-'END'
		memusage -o report sh -c './outliving -said 10; true' &
		sleep 0.4
		# shellcheck disable=SC2046
		kill -9 $(for one in $(cat /proc/$!/task/$!/children); do
			! grep -q memusage-collec "/proc/$one/comm" || echo "$one"
		done)
		wait $!
	END
	run as_user sh -c 'cd "$1" && sh killed' sh "$user_dir"
	is "$status,$(cat "$user_dir/said")" 0,ok 'a program that cannot be read goes on with another collector'
else
	skip "$no_users"
fi
done_testing
