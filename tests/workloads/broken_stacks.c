/* CFLAGS: -O0 -fno-inline */
/* broken_stacks.c -- allocations whose callers cannot be found, can be guessed only, or are too many:
 * prints how many of each.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>

#if defined(__x86_64__)
/* Without unwind tables: one has no frame pointer, but some value in its register, one has. */
__asm__(".text\n"
	"lost:\n\t"
	"push %rbp\n\t"
	"mov $8, %ebp\n\t"
	"call malloc@plt\n\t"
	"pop %rbp\n\t"
	"ret\n"
	"guessed:\n\t"
	"push %rbp\n\t"
	"mov %rsp, %rbp\n\t"
	"call malloc@plt\n\t"
	"pop %rbp\n\t"
	"ret\n");
void *lost(size_t n);
void *guessed(size_t n);
#define LOST 3
#define GUESSED 5
#else
static void *lost(size_t n) { return malloc(n); }
static void *guessed(size_t n) { return malloc(n); }
#define LOST 0
#define GUESSED 0
#endif

enum { DEEP = 3000, DEEP_CALLS = 2, WHOLE = 7 };

static void deep(int n)
{
	if (n > 0)
		deep(n - 1);
	else
		malloc(100);
}

int main(void)
{
	for (int i = 0; i < LOST; i++)
		lost(1000);
	for (int i = 0; i < GUESSED; i++)
		guessed(2000);
	for (int i = 0; i < DEEP_CALLS; i++)
		deep(DEEP);
	for (int i = 0; i < WHOLE; i++)
		malloc(10);
	printf("lost=%d guessed=%d cut=%d\n", LOST, GUESSED, DEEP_CALLS);
	return 0;
}
