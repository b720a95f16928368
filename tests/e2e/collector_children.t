#!/bin/sh
# collector_children.t -- what the report says of processes other than the one that was started.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin forks

lines() { grep -c '^memusage: process ' report; }

run memusage -o report sh -c 'ls / >/dev/null; ls / >/dev/null; exit'
recorded 'a shell'
is "$(lines)" 2 'a line for each of two children'
n='[0-9]+'
like "$(cat report)" \
	"^memusage: process $n ls: heap total: $n, heap peak: $n, stack peak: $n, calls: $n, exit status 0\$" \
	'with its figures, and how it ended'
is "$(grep -c 'Memory usage summary' report)" 1 'one summary'
run memusage -o report --children=summary sh -c 'ls / >/dev/null; ls / >/dev/null; exit'
is "$(grep -c 'Memory usage summary' report)" 3 '--children=summary: three'
is "$(lines)" 2 'each with its name'
run memusage -o report --children=none sh -c 'ls / >/dev/null; exit'
is "$(lines)" 0 '--children=none: no line'
recorded 'but the summary'
run memusage -o report --trace-children=no sh -c 'ls / >/dev/null; exit'
is "$(lines)" 0 '--trace-children=no: no line'
recorded 'but the summary'

run memusage -o report sh -c 'i=0; while [ $i -lt 14 ]; do ls / >/dev/null; i=$((i + 1)); done'
is "$(lines)" 10 'at most ten lines'
like "$(cat report)" \
	"^memusage: 4 more processes: heap total: $n, highest heap peak: $n, calls: $n\$" \
	'and one for the rest'
one=$(sed -n 's/^memusage: process [0-9]* ls: heap total: \([0-9]*\),.*/\1/p' report | sed 1q)
like "$(cat report)" "^memusage: 4 more processes: heap total: $((4 * one))," 'which is their sum'

run memusage -o report -n ls sh -c 'ls / >/dev/null; ls / >/dev/null; ls / >/dev/null'
recorded '-n: the first that matches'
is "$(report_field heap total)" "$one" 'has the summary'
is "$(lines)" 2 'the others have lines'
run memusage -o report -n nobody sh -c 'ls / >/dev/null; exit'
like "$(cat report)" \
	"^memusage: nothing was recorded: 2 programs ran, none of them called 'nobody'" \
	'-n: none that matches'
run memusage -o report -n ./ls ls /
like "$(cat report)" '^memusage: nothing was recorded: 1 program' 'a path is no name'
# shellcheck disable=SC3044
run memusage -o report -n weird perl -e 'exec { "/bin/ls" } "weird", "/"'
recorded '-n: the name is that of the first argument'

run memusage -o report sh -c 'exec ls /'
recorded 'after exec'
is "$(report_field heap total)" "$one" 'the summary is the last image'"'"'s'
like "$(cat report)" '^memusage: process [0-9]+ sh \(before exec\): ' 'the one before has a line'
run memusage -o report -n sh sh -c 'exec ls /'
recorded 'after exec of something else'
unlike "$(cat report)" 'before exec' 'the last that matches counts'

# ---- processes that live longer
cat >late.c <<'END'
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
	free(malloc(77));
	int ends[2];
	char c;

	if (pipe(ends) != 0)
		return 1;
	if (fork() > 0)
		return read(ends[0], &c, 1) != 1;
	setsid();
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	free(malloc(500));
	write(ends[1], "x", 1);
	for (int i = 0; i < 6000 && access("go", F_OK) != 0; i++)
		usleep(10000);
	free(malloc(1000));
	return 0;
}
END
compile "${CC:-cc}" -w -o late late.c
run memusage -o report ./late
like "$(cat report)" '^memusage: process [0-9]+ late \(still running\): heap total: 500,' \
	'a daemon is still running'
touch go
until_true grep -q 'since its fork' report
like "$(cat report)" '^memusage: process [0-9]+ late \(since its fork\): heap total: 1500,' \
	'-o: its end is added'
rm go
memusage ./late 2>&1 | cat >piped
like "$(cat piped)" 'still running' 'a pipe on standard error'
ran=''
for pid in $(pids late); do
	[ "$(readlink "/proc/$pid/cwd")" != "$PWD" ] || ran=$pid
done
isnt "$ran" '' 'is not held open by the collector'
touch go

# ---- more processes at once than an arena has slots
cat >crowd.c <<'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	int go[2];
	char byte;
	int status, sum = 0;

	if (pipe(go))
		return 1;
	for (int i = 0; i < 600; i++) {
		if (fork() == 0) {
			close(go[1]);
			free(malloc(10));
			_exit(read(go[0], &byte, 1) == 0 ? i % 7 : 99);
		}
	}
	usleep(200000);
	close(go[1]);
	while (wait(&status) > 0)
		sum += WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
	return sum == 1795 ? 0 : 1;
}
END
compile "${CC:-cc}" -w -o crowd crowd.c
# Also where the collector cannot have a descriptor for each of them.
for descriptors in 1024 40; do
	# shellcheck disable=SC2016  # for the inner shell
	run sh -c '(ulimit -n $1) 2>/dev/null && ulimit -n $1; exec memusage -o report ./crowd' sh \
		$descriptors
	is "$status" 0 "600 children at once, $descriptors descriptors: their statuses"
	found=$(sed -n 's/^memusage: \([0-9]*\) more processes.*/\1/p' report)
	dropped=$(sed -n 's/^memusage: not recorded: \([0-9]*\) forked processes.*/\1/p' report)
	if is_sanitized any; then
		is $((${found:-0} + 10 + ${dropped:-0})) 600 'are recorded or counted as not'
		continue
	fi
	is "$found" 590 'all are recorded, in two arenas'
	like "$(cat report)" '590 more processes: heap total: 5900, highest heap peak: 10, calls: 1180' \
		'with what they did'
done

# ---- address space limit
if is_sanitized any; then
	skip 'a sanitized memusage needs all address space' 3
else
	(
		ulimit -v 1000000
		memusage -o report sh -c 'ls / >/dev/null; ls / >/dev/null; exit 3'
	)
	is $? 3 'under ulimit -v'
	recorded 'ulimit -v'
	is "$(lines)" 2 'its children too'
fi
done_testing
