/* leak_hidden.c -- keeps blocks by their inverted addresses, so that a leak check finds no pointer to
 * them, and loses others. Each byte of its standard input is a step, and "ready" is written after each:
 * 200 blocks hidden and 25 lost; 150 of the hidden ones freed and 30 reallocated; the 50 others kept by
 * plain pointers; and those freed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HIDDEN = 200, FREED = 150, MOVED = 30, LOST = 25 };

static volatile uintptr_t kept[HIDDEN];

static __attribute__((noinline)) void hide(void)
{
	for (int i = 0; i < HIDDEN; i++)
		kept[i] = ~(uintptr_t)calloc(1, 16);
}

static __attribute__((noinline)) void lose(void)
{
	void *volatile lost;

	for (int i = 0; i < LOST; i++)
		lost = calloc(1, 32);
	lost = NULL;
}

static __attribute__((noinline)) void use(void)
{
	for (int i = 0; i < FREED; i++)
		free((void *)~kept[i]);
	for (int i = FREED; i < FREED + MOVED; i++) {
		char *moved = realloc((void *)~kept[i], 48);

		memset(moved, 0, 48);
		kept[i] = ~(uintptr_t)moved;
	}
}

static __attribute__((noinline)) void show(void)
{
	for (int i = FREED; i < HIDDEN; i++)
		kept[i] = ~kept[i];
}

static __attribute__((noinline)) void free_rest(void)
{
	for (int i = FREED; i < HIDDEN; i++)
		free((void *)kept[i]);
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

int main(void)
{
	char byte;

	for (int step = 0;; step++) {
		switch (step) {
		case 0:
			hide();
			lose();
			break;
		case 1:
			use();
			break;
		case 2:
			show();
			break;
		case 3:
			free_rest();
		}
		wipe();
		if (write(STDOUT_FILENO, "ready\n", 6) != 6 || read(STDIN_FILENO, &byte, 1) != 1)
			return 0;
	}
}
