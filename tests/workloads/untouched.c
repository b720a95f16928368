/* untouched.c -- has not called malloc when it says "ready"; with the next byte of its standard
 * input it makes ten blocks of 100 bytes, says "done", and ends with the one after it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>
#include <unistd.h>

static void wait_for_byte(void)
{
	char byte;

	if (read(0, &byte, 1) < 0)
		_exit(99);
}

static void say(const char *line, size_t length)
{
	if (write(1, line, length) != (ssize_t)length)
		_exit(99);
}

int main(void)
{
	static char *volatile kept[10];

	say("ready\n", 6);
	wait_for_byte();
	for (int i = 0; i < 10; i++)
		kept[i] = malloc(100);
	say("done\n", 5);
	wait_for_byte();
	return kept[9] == NULL;
}
