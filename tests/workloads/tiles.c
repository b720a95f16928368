/* LDLIBS: -pthread */
/* tiles.c -- multiplies matrices in the tile registers of AMX, which are 8 KiB of a thread's state:
 * the same product each time, with malloc and realloc between the instructions, and a signal
 * handler once in a millisecond.
 *
 * Prints "no tiles" if the CPU or the kernel has none, else "ready". Works until its standard input
 * ends, and for LEAST products, then prints "wrong=N", how many were wrong.
 *
 * Source  Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, chapter 18;
 *         Documentation/arch/x86/xstate.rst of Linux.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#ifndef __x86_64__

int main(void)
{
	puts("no tiles");
	return 0;
}

#else

enum { THREADS = 3, LEAST = 20000, ROWS = 16, ROW = 64, TILE = ROWS * ROW };
enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 }; /* ARCH_REQ_XCOMP_PERM, XFEATURE_XTILE_DATA */

struct tile_config {
	uint8_t palette, start_row, reserved[14];
	uint16_t row_bytes[16];
	uint8_t rows[16];
};
_Static_assert(sizeof(struct tile_config) == 64, "what ldtilecfg reads");

static atomic_bool must_end;
static atomic_int wrong, signals;

/* In bytes, as assemblers of 2020 do not know the instructions. */
static void configure_tiles(void)
{
	struct tile_config config = { .palette = 1 };

	for (int i = 0; i < 3; i++) {
		config.row_bytes[i] = ROW;
		config.rows[i] = ROWS;
	}
	/* ldtilecfg (%rax) */
	__asm__ volatile(".byte 0xc4, 0xe2, 0x78, 0x49, 0x00" : : "a"(&config), "m"(config));
}

/* tilezero %tmm0; tileloadd (%rax,%rcx,1), %tmm1 */
static void load_first(const int8_t *left)
{
	__asm__ volatile(".byte 0xc4, 0xe2, 0x7b, 0x49, 0xc0\n.byte 0xc4, 0xe2, 0x7b, 0x4b, 0x0c, 0x08"
			 : : "a"(left), "c"((uint64_t)ROW) : "memory");
}

/* tileloadd (%rax,%rcx,1), %tmm2 */
static void load_second(const int8_t *right)
{
	__asm__ volatile(".byte 0xc4, 0xe2, 0x7b, 0x4b, 0x14, 0x08"
			 : : "a"(right), "c"((uint64_t)ROW) : "memory");
}

/* tdpbssd %tmm2, %tmm1, %tmm0 */
static void multiply(void)
{
	__asm__ volatile(".byte 0xc4, 0xe2, 0x6b, 0x5e, 0xc1");
}

/* tilestored %tmm0, (%rax,%rcx,1) */
static void store_product(int8_t *product)
{
	__asm__ volatile(".byte 0xc4, 0xe2, 0x7a, 0x4b, 0x04, 0x08"
			 : : "a"(product), "c"((uint64_t)ROW) : "memory");
}

static void compute(int8_t *product, const int8_t *left, const int8_t *right, size_t size)
{
	char *block;

	load_first(left);
	block = malloc(size % 1000 + 1);
	block[0] = 1;
	load_second(right);
	block = realloc(block, size % 3000 + 10);
	multiply();
	free(block);
	store_product(product);
}

static void *work(void *seed)
{
	int8_t left[TILE], right[TILE], first[TILE], product[TILE];

	for (int i = 0; i < TILE; i++) {
		left[i] = (int8_t)(i * 7 + *(const int *)seed);
		right[i] = (int8_t)(i * 13 + 1);
	}
	configure_tiles();
	compute(first, left, right, 0);
	for (size_t i = 0; i < LEAST || !must_end; i++) {
		compute(product, left, right, i);
		wrong += memcmp(first, product, TILE) != 0;
	}
	return NULL;
}

/* The kernel saves the tiles for it. It allocates nothing, since it may interrupt malloc. */
static void on_timer(int number)
{
	signals++;
}

int main(void)
{
	const struct itimerval often = { { 0, 1000 }, { 0, 1000 } };
	static int seed[THREADS] = { 1, 2, 3 };
	pthread_t thread[THREADS];
	char byte;

	if (syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) != 0) {
		puts("no tiles");
		return 0;
	}
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = on_timer, .sa_flags = SA_RESTART }, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, &seed[i]);
	puts("ready");
	fflush(stdout);
	setitimer(ITIMER_REAL, &often, NULL);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	must_end = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("wrong=%d\n", wrong);
	return wrong != 0;
}

#endif
