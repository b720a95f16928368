/* leak_steps.c -- loses blocks step by step, one step for each byte of its standard input, and writes
 * "ready" after each, so that a client can look at it in between.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct node {
	struct node *next, *other;
	char room[16];
};

static char *volatile held, *volatile inside;

static __attribute__((noinline)) struct node *make_list(int length)
{
	struct node *first = NULL;

	while (length-- > 0) {
		struct node *n = malloc(sizeof(*n));

		*n = (struct node){ .next = first };
		first = n;
	}
	return first;
}

/* Two lists with a common tail: their first nodes lead to it. */
static __attribute__((noinline)) void lose_branches(void)
{
	struct node *tail = make_list(2), *a = make_list(1), *b = make_list(1);

	a->next = b->next = tail;
	tail->other = a;
}

/* No address stays in a register or on the stack. */
static __attribute__((noinline)) void wipe(void)
{
	volatile char room[8192];

	memset((char *)room, 0, sizeof(room));
	__asm__ volatile("xor %%ecx, %%ecx; xor %%edx, %%edx; xor %%esi, %%esi; xor %%edi, %%edi;"
			 "xor %%r8d, %%r8d; xor %%r9d, %%r9d; xor %%r10d, %%r10d;"
			 "xor %%r11d, %%r11d; xor %%eax, %%eax" ::: "rax", "rcx", "rdx", "rsi",
			 "rdi", "r8", "r9", "r10", "r11", "cc", "memory");
}

static __attribute__((noinline)) void take_step(int step)
{
	switch (step) {
	case 0:
		held = malloc(40);
		inside = (char *)malloc(60) + 5;
		make_list(3);
		break;
	case 1:
		make_list(2);
		break;
	case 2:
		free(held);
		held = NULL;
		inside -= 5; /* to its start */
		break;
	case 3:
		lose_branches();
		break;
	default:
		make_list(1);
	}
}

int main(void)
{
	char byte;

	for (int step = 0;; step++) {
		take_step(step);
		wipe();
		if (write(STDOUT_FILENO, "ready\n", 6) != 6 || read(STDIN_FILENO, &byte, 1) != 1)
			return 0;
	}
}
