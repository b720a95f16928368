/* CFLAGS: -O2 -fno-inline -fomit-frame-pointer -fno-optimize-sibling-calls */
/* trampoline.c -- Calls itself through generated trampolines without unwind tables, as CPython's
 * -X perf makes them, and allocates in the innermost call: prints how many calls lead to it.
 *
 * trampoline [signal]: the allocation is in a signal handler; its frame needs all registers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DEPTH = 5, BLOCKS = 3, SIZE = 12345, STEP = 32 };

typedef void *level_fn(int depth, int is_signal);
/* The fourth argument, in %rcx, is the function to call. */
typedef void *jump_fn(int depth, int is_signal, void *unused, level_fn *target);

static jump_fn *jump[DEPTH + 1];
static void *block;

static void allocate(int signal_number)
{
	(void)signal_number;
	block = malloc(SIZE);
}

static void *level(int depth, int is_signal)
{
	void *result;

	/* A value in the register that other code has its frame pointer in. */
	__asm__ volatile("mov $9, %%ebp" ::: "rbp", "memory");
	if (depth == 0) {
		if (is_signal)
			raise(SIGUSR1);
		else
			allocate(0);
		result = block;
	} else {
		result = jump[depth](depth - 1, is_signal, NULL, level);
	}
	__asm__ volatile("" ::: "rbp", "memory");
	return result;
}

/* endbr64; sub $size,%rsp; call *%rcx; add $size,%rsp; ret */
static void make_trampolines(void)
{
	unsigned char code[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x83, 0xec, 0, 0xff, 0xd1,
				 0x48, 0x83, 0xc4, 0, 0xc3 };
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		exit(2);
	for (int i = 0; i <= DEPTH; i++) {
		code[7] = code[13] = (unsigned char)(8 + 16 * i);
		memcpy(page + i * STEP, code, sizeof(code));
		jump[i] = (jump_fn *)(uintptr_t)(page + i * STEP);
	}
	if (mprotect(page, 4096, PROT_READ | PROT_EXEC) != 0)
		exit(2);
}

int main(int argc, char **argv)
{
	int is_signal = argc > 1 && strcmp(argv[1], "signal") == 0;

	make_trampolines();
	signal(SIGUSR1, allocate);
	for (int i = 0; i < BLOCKS; i++)
		free(level(DEPTH, is_signal));
	printf("depth=%d blocks=%d bytes=%d\n", DEPTH, BLOCKS, BLOCKS * SIZE);
	return 0;
}
