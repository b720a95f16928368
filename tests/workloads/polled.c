/* polled.c -- a program whose only thread waits in poll() for its standard input to end, and then says how
 * often that call ended for nothing.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <poll.h>
#include <unistd.h>

#include "tests/lib/workload.h"

int main(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	char byte;
	long bad = 0;

	say("ready");
	do {
		while (poll(&input, 1, -1) != 1)
			bad++;
	} while (read(STDIN_FILENO, &byte, 1) > 0);
	say("done=1 bad=%ld", bad);
	return bad != 0;
}
