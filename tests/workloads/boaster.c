/* boaster.c -- a process that says of 64 MiB of its memory that they are its environment: whoever
 * reads all of that may read as much as an address space has.
 *
 * Makes the file that it is told to, and waits for SIGTERM. Prints "read" if somebody has read its
 * environment to the end by then, else "unread".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE
#include <linux/prctl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { LONG = 64 << 20, PAGE = 4096, FIELDS = 52 };

/* Reads /proc/self/stat (proc(5)): FIELD[0] is not used. */
static int read_fields(uint64_t field[FIELDS])
{
	FILE *in = fopen("/proc/self/stat", "r");
	char text[4096] = "", *at;
	size_t length = in ? fread(text, 1, sizeof(text) - 1, in) : 0;

	if (in)
		fclose(in);
	at = length ? strrchr(text, ')') : NULL;
	for (int i = 3; at && i < FIELDS; i++) {
		at = strchr(at + 1, ' ');
		field[i] = at ? strtoull(at + 1, NULL, 10) : 0;
	}
	return at != NULL;
}

static int name_environment(uint8_t *memory)
{
	uint64_t field[FIELDS];

	if (!read_fields(field))
		return 0;
	struct prctl_mm_map map = {
		.start_code = field[26],
		.end_code = field[27],
		.start_data = field[45],
		.end_data = field[46],
		.start_brk = field[47],
		.brk = (uint64_t)(uintptr_t)sbrk(0),
		.start_stack = field[28],
		.arg_start = field[48],
		.arg_end = field[49],
		.env_start = (uint64_t)(uintptr_t)memory,
		.env_end = (uint64_t)(uintptr_t)memory + LONG,
		.exe_fd = (uint32_t)-1,
	};
	return prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof(map), 0) == 0;
}

int main(int argc, char **argv)
{
	uint8_t *memory = mmap(NULL, LONG, PROT_READ,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	unsigned char is_there = 0;
	sigset_t end;
	FILE *made;
	int signal;

	if (argc != 2 || memory == MAP_FAILED || !name_environment(memory))
		return 2;
	madvise(memory, LONG, MADV_NOHUGEPAGE);
	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	sigprocmask(SIG_BLOCK, &end, NULL);
	made = fopen(argv[1], "w");
	if (!made || fclose(made) != 0 || sigwait(&end, &signal) != 0)
		return 2;
	/* Nobody but a reader of the environment has touched it. */
	mincore(memory + LONG - PAGE, PAGE, &is_there);
	puts(is_there & 1 ? "read" : "unread");
	return 0;
}
