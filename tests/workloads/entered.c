/* entered.c -- a program whose only thread is at nearly all times among the first instructions of its own
 * malloc, and notices if its signals are blocked. Works until its standard input ends.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "tests/lib/workload.h"

enum { TURNS = 1000, ROOM = 1 << 16 };

static char room[ROOM];
static size_t used;
static volatile size_t freed;

/* A virtual machine takes a microsecond for cpuid. */
__asm__(".globl malloc\n"
	".type malloc, @function\n"
	"malloc:\n"
	"	push %rbx\n"
	"	cpuid\n"
	"	nop\n"
	"	nop\n"
	"	nop\n"
	"	pop %rbx\n"
	"	jmp allocate\n"
	".size malloc, . - malloc\n");

extern void *malloc(size_t size);
void *allocate(size_t size);

__attribute__((used)) void *allocate(size_t size)
{
	size = (size + 15) & ~(size_t)15;
	used = used + size > sizeof(room) ? 0 : used;
	return room + (used += size) - size;
}

void free(void *block)
{
	if (block)
		freed += (size_t)block % ROOM;
}

int main(void)
{
	sigset_t now;
	char byte;
	long done = 0, bad = 0;

	fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
	say("ready");
	do {
		for (int i = 0; i < TURNS; i++)
			free(malloc(16));
		done++;
		sigprocmask(SIG_BLOCK, NULL, &now);
		bad += sigismember(&now, SIGUSR1);
	} while (read(STDIN_FILENO, &byte, 1) != 0);
	say("done=%ld bad=%ld", done, bad);
	return bad != 0;
}
