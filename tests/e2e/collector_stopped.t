#!/bin/sh
# collector_stopped.t -- while the collector does not run, processes fork, execute and end: each
# image is in the recording, whatever the collector sees first.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:?}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/recorder.sh"
need_bin memusageprint

# bursts COLLECTOR held KIND    children allocate and then KIND, all while the collector is stopped
# bursts COLLECTOR random SEED  a random tree, while the collector is stopped now and then
# Prints "PID KIB" for each image that has allocated.
cat >bursts.c <<'END'
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 20, DEPTH = 4, TURNS = 400 };

static void *volatile keep;
static unsigned int chance;
static char **words;

static unsigned int draw(unsigned int below)
{
	chance = chance * 1103515245u + 12345;
	return (chance >> 16) % below;
}

static void allocate(unsigned int kib)
{
	char line[40];
	int length = snprintf(line, sizeof(line), "%d %u\n", (int)getpid(), kib);

	keep = malloc(kib * 1024);
	if (!keep || write(1, line, length) != length)
		_exit(99);
}

static char state_of(pid_t pid, char *name)
{
	char path[40], text[200] = "", state = 'X';
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY);
	if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0)
		sscanf(text, "%*d (%20[^)]) %c", name, &state);
	close(fd);
	return state;
}

static void stop_collector(pid_t collector)
{
	char name[21];

	kill(collector, SIGSTOP);
	while (state_of(collector, name) != 'T')
		usleep(1000);
}

/* A successor sleeps until the collector replies. */
static void wait_for(pid_t pid, const char *kind)
{
	for (int i = 0; i < TURNS; i++) {
		char name[21] = "", state = state_of(pid, name);

		if (state == 'Z' || (!strcmp(kind, "true") && !strcmp(name, kind) && state == 'S'))
			return;
		usleep(10000);
	}
}

static void end_as(const char *kind)
{
	if (!strcmp(kind, "true"))
		execlp("true", "true", (char *)NULL);
	else if (!strcmp(kind, "static"))
		execl("./static", "static", (char *)NULL);
	else if (!strcmp(kind, "kill"))
		kill(getpid(), SIGKILL);
	_exit(0);
}

static int held(pid_t collector, const char *kind)
{
	pid_t child[CHILDREN];

	stop_collector(collector);
	for (int i = 0; i < CHILDREN; i++) {
		child[i] = fork();
		if (child[i] == 0) {
			allocate(2);
			end_as(kind);
		}
	}
	for (int i = 0; i < CHILDREN; i++)
		wait_for(child[i], kind);
	kill(collector, SIGCONT);
	while (wait(NULL) > 0)
		;
	return 0;
}

static void execute_self(int depth)
{
	char level[20], seed[20];

	snprintf(level, sizeof(level), "%d", depth);
	snprintf(seed, sizeof(seed), "%u", chance);
	execl("/proc/self/exe", words[0], "-", level, seed, (char *)NULL);
	_exit(98);
}

static void grow(int depth)
{
	allocate(2 + draw(8));
	for (unsigned int i = draw(3); depth > 0 && i > 0; i--) {
		unsigned int seed = draw(30000);

		if (fork() == 0) {
			chance = seed;
			grow(depth - 1);
		}
	}
	if (draw(4) == 0)
		wait(NULL);
	if (depth > 0 && draw(3) > 0)
		execute_self(depth - 1);
	end_as(&"true\0kill\0exit"[5 * draw(3)]);
}

/* All images have the pipe: it ends with the last one. */
static int random_tree(pid_t collector)
{
	struct pollfd end = { .events = POLLIN };
	int ends[2];

	if (pipe(ends) < 0)
		return 97;
	for (int i = 0; i < 4; i++) {
		unsigned int seed = draw(30000);

		if (fork() == 0) {
			close(ends[0]);
			chance = seed;
			grow(DEPTH);
		}
	}
	close(ends[1]);
	end.fd = ends[0];
	for (int stop = 1; poll(&end, 1, (int)draw(stop ? 10 : 40)) == 0; stop = !stop)
		kill(collector, stop ? SIGSTOP : SIGCONT);
	kill(collector, SIGCONT);
	while (wait(NULL) > 0)
		;
	return 0;
}

int main(int argc, char **argv)
{
	words = argv;
	keep = malloc(1);
	if (argc < 4)
		return 96;
	chance = (unsigned int)atoi(argv[3]);
	if (!strcmp(argv[1], "-"))
		grow(atoi(argv[2]));
	if (!strcmp(argv[2], "held"))
		return held(atoi(argv[1]), argv[3]);
	return random_tree(atoi(argv[1]));
}
END
compile "${CC:-cc}" -w -o bursts bursts.c
echo 'int main(void) { return 0; }' >static.c
kinds='true exit kill'
! "${CC:-cc}" -static -w -o static static.c 2>errors || kinds="$kinds static"

# burst WORD...: writes what bursts printed and what the recording has, "PID KIB", sorted
burst() {
	# shellcheck disable=SC2016  # for the inner shell
	run memusage -q --record=kept.mur sh -c \
		'exec ./bursts $("$MU_SRC/tests/lib/pids" memusage-collec "$PPID") "$@"' sh "$@"
	printf '%s\n' "$out" | sort >printed
	memusageprint --processes kept.mur >table
	awk '$6 == "KiB" && $5 ~ /^[2-9]\.00$/ { print $1, $5 + 0 }' table | sort >found
}

for kind in $kinds; do
	burst held "$kind"
	is "$status" 0 "children, then $kind: the program ends as alone"
	is "$(wc -l <printed)" 20 '... the children have allocated'
	is "$(comm -23 printed found)" '' '... and all are in the recording'
done
like "$(cat table)" 'bursts' 'a recording'

for seed in ${MU_SEEDS:-1 2 3}; do
	burst random "$seed"
	is "$status" 0 "a random tree ($seed)"
	num "$(wc -l <printed)" -ge 4 '... has allocated'
	is "$(comm -23 printed found)" '' '... and each image is in the recording'
done
done_testing
