/* leak_steps.c -- loses blocks step by step, one step for each byte of its standard input, and writes
 * "ready ADDRESS" after each, so that a client can look at it in between. At the address is a block to
 * which a variable points, and twice another block: to its start, and to its 10th byte.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct node {
	struct node *next, *other;
	char room[16];
};

static char *volatile held, *volatile inside, *volatile spare;
static char **volatile table;

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
	char room[8192];

	memset(room, 0, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	__asm__ volatile("xor %%ecx, %%ecx; xor %%edx, %%edx; xor %%esi, %%esi; xor %%edi, %%edi;"
			 "xor %%r8d, %%r8d; xor %%r9d, %%r9d; xor %%r10d, %%r10d;"
			 "xor %%r11d, %%r11d; xor %%eax, %%eax" ::: "rax", "rcx", "rdx", "rsi",
			 "rdi", "r8", "r9", "r10", "r11", "cc", "memory");
}

static __attribute__((noinline)) void take_step(int step)
{
	switch (step) {
	case 0:
		held = calloc(1, 40);
		table = calloc(1, 64);
		table[2] = held;
		table[5] = held + 9;
		spare = malloc(44);
		inside = (char *)malloc(60) + 5;
		make_list(3);
		break;
	case 1:
		make_list(2);
		break;
	case 2:
		lose_branches();
		break;
	case 3:
		free(spare);
		spare = NULL;
		inside -= 5; /* to its start */
		break;
	default:
		make_list(1);
	}
}

int main(void)
{
	char byte, line[64];

	for (int step = 0;; step++) {
		take_step(step);
		const int length = snprintf(line, sizeof(line), "ready 0x%lx\n",
					    (unsigned long)held);

		wipe();
		if (write(STDOUT_FILENO, line, (size_t)length) != length ||
		    read(STDIN_FILENO, &byte, 1) != 1)
			return 0;
	}
}
