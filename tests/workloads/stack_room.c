/* stack_room.c -- how much of the stack calls of malloc and its kin use, below their caller's frame.
 *
 *	stack_room [little]
 *
 * Each call is made at the top of a painted stack, as a coroutine and as a handler on an alternate
 * signal stack; what is not painted any more afterwards was used. Most calls are made from places of
 * their own, once: all that is done for a return address or a stack that is new is measured. Some ask
 * the kernel for memory, or give it back, which is deeper in libc. Prints "NAME BYTES" for each kind
 * of call: the most of all of them. With `little` all are made by handlers on alternate signal stacks
 * that end 1,000 bytes below their frame, and that is painted as well.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/lib/on_stack.h"

enum { ROOM = 256 << 10, PAINT = 0xa5, PLACES = 8, TURNS = 3, LITTLE = 1000 };

static unsigned char *stack;
static unsigned char *volatile top; /* of the frame that makes the call that is measured */
static void *block;

/* Eight call sites, of which each is met for the first time once. */
#define CALLS(CALL)                                                              \
	switch (place) {                                                         \
	case 0: CALL; __asm__ volatile("nop"); break;                            \
	case 1: CALL; __asm__ volatile("nop; nop"); break;                       \
	case 2: CALL; __asm__ volatile("nop; nop; nop"); break;                  \
	case 3: CALL; __asm__ volatile("nop; nop; nop; nop"); break;             \
	case 4: CALL; __asm__ volatile("nop; nop; nop; nop; nop"); break;        \
	case 5: CALL; __asm__ volatile("nop; nop; nop; nop; nop; nop"); break;   \
	case 6: CALL; __asm__ volatile("nop; nop; nop; nop; nop; nop; nop"); break; \
	default: CALL; __asm__ volatile("");                                     \
	}

#define KIND(NAME, CALL)                                                         \
	static __attribute__((noinline)) void call_##NAME(int place)             \
	{                                                                        \
		top = __builtin_frame_address(0);                                \
		CALLS(CALL)                                                      \
	}

KIND(malloc, block = malloc(100))
KIND(calloc, block = calloc(10, 10))
KIND(realloc, block = realloc(block, 3000))
KIND(shrink, block = realloc(block, 30))
KIND(memalign, block = aligned_alloc(64, 640))
KIND(large, block = malloc(1 << 20))
KIND(free, free(block))
KIND(malloc_brk, block = malloc(90000))
KIND(calloc_brk, block = calloc(1, 90000))
KIND(realloc_brk, block = realloc(block, 90000))
KIND(memalign_brk, block = aligned_alloc(4096, 90112))
KIND(free_brk, free(block))

static const struct kind {
	const char *name;
	void (*call)(int place);
} kinds[] = {
	{ "malloc", call_malloc }, { "realloc", call_realloc }, { "shrink", call_shrink },
	{ "free", call_free },	   { "calloc", call_calloc },	{ "free", call_free },
	{ "memalign", call_memalign }, { "free", call_free },	{ "large", call_large },
	{ "free", call_free },	   { "malloc_brk", call_malloc_brk },
	{ "free_brk", call_free_brk }, { "calloc_brk", call_calloc_brk },
	{ "free_brk", call_free_brk }, { "memalign_brk", call_memalign_brk },
	{ "free_brk", call_free_brk }, { "malloc", call_malloc },
	{ "realloc_brk", call_realloc_brk }, { "free_brk", call_free_brk },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static const struct kind *kind;
static int kind_place;
static size_t most[KINDS];

static void measured(void)
{
	unsigned char *low = stack;

	while (low < top && *low == PAINT)
		low++;
	if ((size_t)(top - low) > most[kind - kinds])
		most[kind - kinds] = (size_t)(top - low);
}

static void on_the_stack(void)
{
	kind->call(kind_place);
}

static void as_coroutine(void)
{
	run_as_coroutine(on_the_stack, stack, ROOM);
}

static void as_handler(void)
{
	run_as_handler(on_the_stack, stack, ROOM);
}

static __attribute__((noinline)) void note_top(void)
{
	top = __builtin_frame_address(0);
}

static void as_handler_with_little(void)
{
	unsigned char *low;

	run_as_handler(note_top, stack, ROOM);
	low = top - LITTLE;
	run_as_handler(on_the_stack, low, (size_t)(stack + ROOM - low));
}

static void measure_all(void (*run)(void))
{
	for (int turn = 0; turn < TURNS; turn++)
		for (kind_place = 0; kind_place < PLACES; kind_place++)
			for (kind = kinds; kind < kinds + KINDS; kind++) {
				memset(stack, PAINT, ROOM);
				run();
				measured();
			}
}

/* By name: a kind that is called in several ways is one. */
static void print(void)
{
	for (int i = 0; i < KINDS; i++) {
		size_t bytes = most[i];
		int first = 1;

		for (int k = 0; k < KINDS; k++) {
			if (strcmp(kinds[k].name, kinds[i].name))
				continue;
			first = first && k >= i;
			bytes = most[k] > bytes ? most[k] : bytes;
		}
		if (first)
			printf("%s %zu\n", kinds[i].name, bytes);
	}
}

int main(int argc, char **argv)
{
	int is_little = argc > 1 && !strcmp(argv[1], "little");

	/* Each block of 90,000 bytes is new memory, and goes back to the kernel. */
	mallopt(M_MMAP_THRESHOLD, 500000);
	mallopt(M_TRIM_THRESHOLD, 0);
	mallopt(M_TOP_PAD, 0);
	stack = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED)
		return 1;
	if (!is_little)
		measure_all(as_coroutine);
	measure_all(is_little ? as_handler_with_little : as_handler);
	print();
	return 0;
}
