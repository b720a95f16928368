/* makedat.c -- a data file of any length, in glibc's format, on standard output.
 *
 *	makedat RECORDS
 *
 * The heap is a saw-tooth with rare spikes of one record, the stack a slower one, the time
 * advances unevenly; headers as after a proper end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct entry {
	uint64_t heap, stack, time;
};

static struct entry entry_at(uint64_t i)
{
	struct entry e = {
		.heap = i % 100000 * 48 + (i % 333333 == 0 ? 9000000 : 0),
		.stack = 2000 + i % 7919 * 8,
		.time = 1000000000 + i * 40 + i % 1000 * i % 7,
	};

	return e;
}

int main(int argc, char **argv)
{
	uint64_t count = argc == 2 ? strtoull(argv[1], NULL, 10) : 0;
	struct entry e = { .stack = 14000000, .time = 1000000000 };

	fwrite(&e, sizeof(e), 1, stdout);
	e = (struct entry){ .heap = 13799952, .stack = 65352, .time = entry_at(count).time + 7000 };
	fwrite(&e, sizeof(e), 1, stdout);
	for (uint64_t i = 0; i < count; i++) {
		e = entry_at(i);
		fwrite(&e, sizeof(e), 1, stdout);
	}
	return fflush(stdout) != 0;
}
