/* leak_pools.c -- programs with allocators of their own that tell Valgrind of their blocks, and lose
 * some: `leak_pools KIND`. What Memcheck says of each is the truth that tests compare with.
 * `leak_pools` alone lists the kinds.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define KIND static __attribute__((noinline)) void

enum { ROOM = 65536, ELEMENTS = 12, ELEMENT = 100, STEP = 128 };
enum { METAPOOL = 2, AUTO_FREE = 1 };

/* Valgrind's header, as far as it is needed: the same bytes of code, and the same numbers. */
static __attribute__((noinline)) unsigned long request(unsigned long number, const volatile void *a,
							const volatile void *b, unsigned long c,
							unsigned long d)
{
	volatile unsigned long argument[6] = { number, (unsigned long)a, (unsigned long)b, c, d, 0 };
	volatile unsigned long result = 0;

#ifdef __x86_64__
	__asm__ volatile("rolq $3, %%rdi ; rolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi ; rolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "=d"(result)
			 : "a"(&argument[0]), "0"(0ul)
			 : "cc", "memory");
#endif
	/* What is left of it on the stack is no pointer. */
	memset((void *)(uintptr_t)argument, 0, sizeof(argument));
	return result;
}

#define MALLOCLIKE(at, size) request(0x1301, at, (void *)(size), 0, 0)
#define FREELIKE(at) request(0x1302, at, NULL, 0, 0)
#define CREATE_POOL(pool, flags) request(0x1303, pool, NULL, 0, flags)
#define DESTROY_POOL(pool) request(0x1304, pool, NULL, 0, 0)
#define POOL_ALLOC(pool, at, size) request(0x1305, pool, at, size, 0)
#define POOL_FREE(pool, at) request(0x1306, pool, at, 0, 0)

static char *volatile held[64];
static char *volatile room_of_pool;
static char pool[64];
static char static_room[ROOM] __attribute__((aligned(4096)));

static __attribute__((noinline)) char *pool_take(char *at, size_t size)
{
	POOL_ALLOC(pool, at, size);
	memset(at, 0, size);
	return at;
}

static __attribute__((noinline)) char *own_take(char *at, size_t size)
{
	MALLOCLIKE(at, size);
	memset(at, 0, size);
	return at;
}

/* Of the elements from AT on four are held by their start, three by their middle, the others are
 * lost: one by itself, the last four in a list that begins with the second of them. */
static __attribute__((noinline)) void fill(char *at, char *(*take)(char *, size_t))
{
	for (int i = 0; i < ELEMENTS; i++) {
		char *element = take(at + i * STEP, ELEMENT);

		if (i < 4)
			held[i] = element;
		else if (i < 7)
			held[i] = element + 50;
	}
	*(char **)(at + 9 * STEP) = at + 10 * STEP;
	*(char **)(at + 10 * STEP) = at + 11 * STEP;
	*(char **)(at + 11 * STEP) = at + 8 * STEP;
}

/* ---- pools --------------------------------------------------------------------------------------- */

KIND in_held_block(void)
{
	room_of_pool = malloc(ROOM);
	memset(room_of_pool, 0, ROOM);
	CREATE_POOL(pool, 0);
	fill(room_of_pool + 4096, pool_take);
}

KIND in_lost_block(void)
{
	char *room = malloc(ROOM);

	memset(room, 0, ROOM);
	CREATE_POOL(pool, 0);
	fill(room + 4096, pool_take);
}

/* The head of the room has the only pointers. */
KIND by_head(void)
{
	room_of_pool = malloc(ROOM);
	memset(room_of_pool, 0, ROOM);
	CREATE_POOL(pool, 0);
	for (int i = 0; i < 5; i++)
		((char **)room_of_pool)[i] = pool_take(room_of_pool + 4096 + i * STEP, ELEMENT);
}

KIND in_mapping(void)
{
	char *room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CREATE_POOL(pool, 0);
	fill(room + 4096, pool_take);
}

KIND in_static_room(void)
{
	CREATE_POOL(pool, 0);
	fill(static_room + 4096, pool_take);
}

KIND some_freed(void)
{
	in_held_block();
	for (int i = 0; i < ELEMENTS; i += 2)
		POOL_FREE(pool, room_of_pool + 4096 + i * STEP);
}

KIND destroyed(void)
{
	in_held_block();
	DESTROY_POOL(pool);
}

/* ---- blocks in blocks -------------------------------------------------------------------------- */

KIND own_in_held_block(void)
{
	room_of_pool = malloc(ROOM);
	memset(room_of_pool, 0, ROOM);
	fill(room_of_pool + 4096, own_take);
}

KIND own_in_mapping(void)
{
	char *room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	fill(room + 4096, own_take);
}

KIND own_in_static_room(void)
{
	fill(static_room + 4096, own_take);
}

KIND own_freed(void)
{
	own_in_held_block();
	for (int i = 0; i < ELEMENTS; i++)
		FREELIKE(room_of_pool + 4096 + i * STEP);
}

/* The pool hands out rooms, and the program's allocator makes blocks of them. */
static void make_meta(unsigned long flags)
{
	room_of_pool = malloc(ROOM);
	memset(room_of_pool, 0, ROOM);
	CREATE_POOL(pool, flags);
	POOL_ALLOC(pool, room_of_pool + 2048, 8192);
	fill(room_of_pool + 4096, own_take);
}

KIND meta(void)
{
	make_meta(METAPOOL);
}

KIND meta_freed(void)
{
	make_meta(METAPOOL | AUTO_FREE);
	POOL_FREE(pool, room_of_pool + 2048);
}

#define ROW(name) { #name, name }
static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	ROW(in_held_block), ROW(in_lost_block), ROW(by_head), ROW(in_mapping), ROW(in_static_room),
	ROW(some_freed), ROW(destroyed), ROW(own_in_held_block), ROW(own_in_mapping),
	ROW(own_in_static_room), ROW(own_freed), ROW(meta), ROW(meta_freed),
};

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

/* What it leaves on the stack is far from where main and its calls are. clang 21 would leave out what
 * nobody uses of the room. */
static __attribute__((noinline)) void run_below(void (*run)(void))
{
	char room[4096];

	__asm__ volatile("" : : "r"(room) : "memory");
	run();
	__asm__ volatile("" : : "r"(room) : "memory");
}

int main(int argc, char **argv)
{
	/* Memcheck looks at no pool of a program without a block of malloc. */
	held[63] = malloc(1000);
	for (size_t i = 0; argc < 2 && i < KINDS; i++)
		puts(kinds[i].name);
	for (size_t i = 0; argc > 1 && i < KINDS; i++) {
		if (strcmp(argv[1], kinds[i].name) == 0)
			run_below(kinds[i].run);
	}
	return 0;
}
