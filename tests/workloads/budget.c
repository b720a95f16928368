/* budget.c -- allocates what its arguments say, and prints it.
 *
 * budget LINES LOST: LINES blocks of 1000 bytes, live at once; LOST blocks of 300 that nothing
 * points to in the end; as many of 40 that are freed at once.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1000, LOST = 300, BRIEF = 40, MOST = 100000 };

static void *kept[MOST];

__attribute__((noinline)) static void *read_line(size_t size)
{
	return memset(malloc(size), 1, size);
}

__attribute__((noinline)) static void parse(long lines)
{
	for (long i = 0; i < lines; i++)
		kept[i] = read_line(LINE);
}

__attribute__((noinline)) static void lose(long blocks)
{
	for (long i = 0; i < blocks; i++) {
		void *volatile block = read_line(LOST);

		block = NULL;
		(void)block;
	}
}

__attribute__((noinline)) static void hurry(long blocks)
{
	for (long i = 0; i < blocks; i++) {
		void *volatile block = malloc(BRIEF);

		free(block);
	}
}

/* The stack of what was called has no pointer left. */
__attribute__((noinline)) static void wipe(void)
{
	char room[4096];

	memset(room, 0, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
}

int main(int argc, char **argv)
{
	static char text[BUFSIZ];
	const long lines = argc > 1 ? atol(argv[1]) : 100, lost = argc > 2 ? atol(argv[2]) : 0;

	setvbuf(stdout, text, _IOFBF, sizeof(text));
	if (lines < 0 || lines > MOST || lost < 0)
		return 2;
	parse(lines);
	hurry(lost);
	lose(lost);
	wipe();
	printf("peak=%ld calls=%ld lost=%ld temporary=%ld\n", lines * LINE + lost * LOST,
	       lines + 2 * lost, lost * LOST, lost);
	for (long i = 0; i < lines; i++)
		free(kept[i]);
	return argc > 3 ? atoi(argv[3]) : 0;
}
