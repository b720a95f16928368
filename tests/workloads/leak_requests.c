/* leak_requests.c -- asks for leak checks by Valgrind's macros, or with the argument "header" by
 * those of memusage.h, and prints what it is told.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/memusage.h"

/* Valgrind's header, as far as it is needed: the same bytes of code, and the same numbers. */
static unsigned long request(unsigned long number, unsigned long a, unsigned long b,
			     unsigned long c, unsigned long d)
{
	volatile unsigned long argument[6] = { number, a, b, c, d, 0 };
	volatile unsigned long result;

	__asm__ volatile("rolq $3, %%rdi ; rolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi ; rolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "=d"(result)
			 : "a"(&argument[0]), "0"(0ul)
			 : "cc", "memory");
	return result;
}

enum { DO_LEAK_CHECK = 0x4d430006, COUNT_LEAKS, COUNT_LEAK_BLOCKS = 0x4d43000c };

static __attribute__((noinline)) void lose(size_t size)
{
	char room[4096];
	char *volatile p = malloc(size);

	memset(p, 0, size);
	p = NULL;
	__asm__ volatile("" : : "r"(room) : "memory");
	/* Nor in a register that functions may change. */
	__asm__ volatile("xor %%ecx, %%ecx; xor %%edx, %%edx; xor %%esi, %%esi; xor %%edi, %%edi;"
			 "xor %%r8d, %%r8d; xor %%r9d, %%r9d; xor %%r10d, %%r10d;"
			 "xor %%r11d, %%r11d; xor %%eax, %%eax" ::: "rax", "rcx", "rdx", "rsi",
			 "rdi", "r8", "r9", "r10", "r11", "cc");
}

static void *volatile held;
static bool uses_header;

static __attribute__((noinline)) void print_counts(const char *when)
{
	unsigned long n[4] = { 9, 9, 9, 9 }, b[4] = { 9, 9, 9, 9 };

	if (uses_header) {
		MEMUSAGE_COUNT_LEAKS(n[0], n[1], n[2], n[3]);
		MEMUSAGE_COUNT_LEAK_BLOCKS(b[0], b[1], b[2], b[3]);
	} else {
		request(COUNT_LEAKS, (unsigned long)&n[0], (unsigned long)&n[1], (unsigned long)&n[2],
			(unsigned long)&n[3]);
		request(COUNT_LEAK_BLOCKS, (unsigned long)&b[0], (unsigned long)&b[1],
			(unsigned long)&b[2], (unsigned long)&b[3]);
	}
	fprintf(stderr, "%s lost=%lu/%lu dubious=%lu/%lu reachable=%lu/%lu suppressed=%lu/%lu\n",
		when, n[0], b[0], n[1], b[1], n[2], b[2], n[3], b[3]);
}

enum check { FULL, ADDED, CHANGED, NEW, QUICK };

static __attribute__((noinline)) void check_by_header(enum check which)
{
	errno = 4711;
	switch (which) {
	case FULL:
		MEMUSAGE_DO_LEAK_CHECK();
		break;
	case ADDED:
		MEMUSAGE_DO_ADDED_LEAK_CHECK();
		break;
	case CHANGED:
		MEMUSAGE_DO_CHANGED_LEAK_CHECK();
		break;
	case NEW:
		MEMUSAGE_DO_NEW_LEAK_CHECK();
		break;
	case QUICK:
		MEMUSAGE_DO_QUICK_LEAK_CHECK();
		break;
	}
	if (errno != 4711)
		fprintf(stderr, "errno has changed\n");
}

static __attribute__((noinline)) void check(enum check which)
{
	if (uses_header)
		check_by_header(which);
	else
		request(DO_LEAK_CHECK, which == QUICK, which == QUICK ? 0 : which, 0, 0);
}

int main(int argc, char **argv)
{
	const bool waits = argc > 1 && strcmp(argv[1], "wait") == 0;
	char byte;

	uses_header = argc > 1 && strcmp(argv[1], "header") == 0;
	print_counts("before");
	lose(100);
	held = (char *)malloc(50) + 3;
	check(FULL);
	print_counts("first");
	if (waits && (write(STDOUT_FILENO, "ready\n", 6) != 6 || read(STDIN_FILENO, &byte, 1) != 1))
		return 1;
	lose(30);
	check(ADDED);
	print_counts("added");
	held = (char *)held - 3;
	check(CHANGED);
	check(QUICK);
	print_counts("last");
	if (waits)
		return read(STDIN_FILENO, &byte, 1) < 0;
	if (argc > 1) {
		lose(20);
		check(NEW);
		check(NEW);
	}
	return 0;
}
