/* LDLIBS: -pthread */
/* holder_roots.c -- One block of a known size for each kind of root, and blocks that several hold.
 *
 * A line on standard input ends it, after "ready".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct link {
	struct link *next, *before;
	void *data;
};

void *global_block;			/* 10,001 bytes */
static struct link *ring;		/* 100 links with 1,000 bytes each, both ways */
__thread void *volatile local_block;	/* 20,002 bytes, of the main thread; the other: 30,003 */
void *first_of_two, *second_of_two;	/* 40,004 bytes together */
void *many[8];				/* an array: all its pointers are one root */
void *a, *b, *c, *d, *e;		/* 50,005 bytes together: five roots */
static pthread_barrier_t barrier;

static void make_ring(void)
{
	struct link *last = NULL;

	for (int i = 0; i < 100; i++) {
		struct link *l = calloc(1, sizeof(*l));

		l->data = malloc(1000);
		l->before = last;
		if (last)
			last->next = l;
		else
			ring = l;
		last = l;
	}
	last->next = ring;
	ring->before = last;
}

static void *static_in_function(void)
{
	static void *volatile hidden;

	if (!hidden)
		hidden = malloc(60006);
	return hidden;
}

/* The pointer is in the frame of this function alone while the thread waits. */
static void *hold_on_stack(void *unused)
{
	void *volatile on_stack = malloc(70007);

	local_block = malloc(30003);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	free(on_stack);
	return unused;
}

__attribute__((noinline)) static void lose(void)
{
	void **lost = malloc(80008);

	memset(lost, 0, 80008);
	*lost = malloc(90);
	memset(&lost, 0, sizeof(lost));
}

/* Overwrites what the functions before have left on the stack. */
__attribute__((noinline)) static void clear_stack(void)
{
	volatile char room[16384];

	for (size_t i = 0; i < sizeof(room); i++)
		room[i] = 0;
}

int main(void)
{
	void **mapped = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0);
	pthread_t thread;
	char line[16];

	setvbuf(stdin, NULL, _IONBF, 0);
	setvbuf(stdout, NULL, _IONBF, 0);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, hold_on_stack, NULL);
	pthread_barrier_wait(&barrier);
	global_block = malloc(10001);
	local_block = malloc(20002);
	first_of_two = second_of_two = malloc(40004);
	a = b = c = d = e = malloc(50005);
	for (int i = 0; i < 7; i++)
		many[i] = malloc(1001);
	many[7] = many[0];
	make_ring();
	static_in_function();
	mapped[1000] = malloc(11011);
	lose();
	clear_stack();
	puts("ready");
	fgets(line, sizeof(line), stdin);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	munmap(mapped, 1 << 20);
	return 0;
}
