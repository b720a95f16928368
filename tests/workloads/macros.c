/* macros.c -- a program built with Valgrind's macros that says what must come of them, and checks
 * that nothing else does. Prints "no headers" where it was built without Valgrind's.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#if !__has_include(<valgrind/dhat.h>) || !defined(__x86_64__)

int main(void)
{
	puts("no headers");
	return 0;
}

#else

#include <valgrind/dhat.h>
#include <valgrind/valgrind.h>

static char room[1 << 20] __attribute__((aligned(4096)));
static int wrong;

static void check(int ok, const char *what)
{
	if (!ok) {
		wrong++;
		write(1, "wrong: ", 7);
		write(1, what, strlen(what));
		write(1, "\n", 1);
	}
}

/* Allocates nothing. */
#define SAY(...) \
	do { \
		char line[400]; \
		write(1, line, (size_t)snprintf(line, sizeof(line), __VA_ARGS__)); \
	} while (0)

/* ---- each macro -------------------------------------------------------------------------- */

static __attribute__((noinline)) void take(char *at, size_t size)
{
	VALGRIND_MALLOCLIKE_BLOCK(at, size, 0, 0);
}

static void blocks(void)
{
	for (int i = 0; i < 100; i++)
		take(room + 64 * i, 48);
	for (int i = 0; i < 40; i++)
		VALGRIND_FREELIKE_BLOCK(room + 64 * i, 0);
	VALGRIND_RESIZEINPLACE_BLOCK(room + 64 * 50, 48, 60, 0);
	SAY("truth malloc calls=100 bytes=4800\ntruth free calls=40 bytes=1920\n"
	    "truth realloc calls=1 bytes=12\ntruth realloc-nomove count=1\n"
	    "truth heap peak=4800 total=4812\n");
}

static void pools(int is_served)
{
	int pool, other, moved, meta;
	char *at = room + 10000, *outer = room + 100000;

	check(VALGRIND_MEMPOOL_EXISTS(&pool) == 0, "no pool yet");
	VALGRIND_CREATE_MEMPOOL(&pool, 8, 0);
	VALGRIND_CREATE_MEMPOOL(&other, 0, 1);
	check(!is_served || VALGRIND_MEMPOOL_EXISTS(&pool) == 1, "a pool");
	for (int i = 0; i < 20; i++)
		VALGRIND_MEMPOOL_ALLOC(&pool, at + 100 * i, 100);
	VALGRIND_MEMPOOL_FREE(&pool, at);
	VALGRIND_MEMPOOL_CHANGE(&pool, at + 100, at + 5000, 250);
	VALGRIND_MEMPOOL_TRIM(&pool, at + 450, 1000); /* 50 of one, 9 whole, 50 of one */
	VALGRIND_MOVE_MEMPOOL(&pool, &moved);
	check(VALGRIND_MEMPOOL_EXISTS(&pool) == 0, "it moved");
	check(!is_served || VALGRIND_MEMPOOL_EXISTS(&moved) == 1, "it is there");
	VALGRIND_DESTROY_MEMPOOL(&moved);
	VALGRIND_DESTROY_MEMPOOL(&other);
	VALGRIND_CREATE_MEMPOOL_EXT(&meta, 0, 0,
				    VALGRIND_MEMPOOL_METAPOOL | VALGRIND_MEMPOOL_AUTO_FREE);
	VALGRIND_MEMPOOL_ALLOC(&meta, outer, 1000); /* room, no block */
	take(outer, 400);
	take(outer + 400, 300);
	VALGRIND_MEMPOOL_FREE(&meta, outer);
	VALGRIND_DESTROY_MEMPOOL(&meta);
	SAY("truth malloc calls=22 bytes=2700\ntruth realloc calls=3 bytes=150\n"
	    "truth free calls=22 bytes=2750\ntruth heap peak=2050\n");
}

static void nested(void)
{
	char *block = malloc(10000);

	take(block + 100, 500);
	take(block + 700, 500);
	VALGRIND_FREELIKE_BLOCK(block + 100, 0);
	free(block);
	SAY("truth malloc calls=1 bytes=10000\ntruth free calls=1\ntruth heap peak=10000\n");
}

static __attribute__((noinline)) void happen(unsigned weight)
{
	DHAT_AD_HOC_EVENT(weight);
}

static void ad_hoc(void)
{
	happen(10);
	happen(20);
	happen(30);
	free(malloc(1));
	SAY("units 60 events 3\n");
}

static void others(void)
{
	check(RUNNING_ON_VALGRIND == 0, "not on Valgrind");
	check(VALGRIND_COUNT_ERRORS == 0, "no errors");
	VALGRIND_DISCARD_TRANSLATIONS(room, 10);
	VALGRIND_PRINTF("this is not printed %d\n", 1);
	check(VALGRIND_STACK_REGISTER(room, room + 100) == 0, "default result");
	VALGRIND_DISABLE_ERROR_REPORTING;
	VALGRIND_MONITOR_COMMAND("nothing");
	free(malloc(1));
}

/* ---- registers, red zone ------------------------------------------------------------------- */

/* A leaf that fills the red zone and all registers, makes a request, and tells in what differs.
 * rdi: the request's arguments, rsi: 32 bytes for each vector register, rdx: whether there are 256
 * bits of them. Returns the result of the request, or -1 if anything changed. */
__asm__(".text\n.type leaf, @function\nleaf:\n.cfi_startproc\n"
	"push %rbx\n.cfi_adjust_cfa_offset 8\npush %rbp\n.cfi_adjust_cfa_offset 8\n"
	"push %r12\n.cfi_adjust_cfa_offset 8\npush %r13\n.cfi_adjust_cfa_offset 8\n"
	"push %r14\n.cfi_adjust_cfa_offset 8\npush %r15\n.cfi_adjust_cfa_offset 8\n"
	"mov %rdx, %r15\n"
	".irp n,8,16,24,32,40,48,56,64,72,80,88,96,104,112,120,128\n"
	"movq $0x1000+\\n, -\\n(%rsp)\n.endr\n"
	"test %r15, %r15\njz 1f\n"
	".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nvmovdqu 32*\\n(%rsi), %ymm\\n\n.endr\n"
	"jmp 2f\n1:\n"
	".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nmovdqu 32*\\n(%rsi), %xmm\\n\n.endr\n"
	"2:\nmov %rdi, %rax\nmov $0x2001, %rbx\nmov $0x2002, %rcx\nmov $0x2005, %rbp\n"
	"mov $0x2008, %r8\nmov $0x2009, %r9\nmov $0x200a, %r10\nmov $0x200b, %r11\n"
	"mov $0x200c, %r12\nmov $0x200d, %r13\nmov $0x200e, %r14\nmov $77, %rdx\n"
	"rolq $3, %rdi\nrolq $13, %rdi\nrolq $61, %rdi\nrolq $51, %rdi\nxchgq %rbx, %rbx\n"
	"cmp %rdi, %rax\njne 9f\n"
	"cmp $0x2001, %rbx\njne 9f\ncmp $0x2002, %rcx\njne 9f\ncmp $0x2005, %rbp\njne 9f\n"
	"cmp $0x2008, %r8\njne 9f\ncmp $0x2009, %r9\njne 9f\ncmp $0x200a, %r10\njne 9f\n"
	"cmp $0x200b, %r11\njne 9f\ncmp $0x200c, %r12\njne 9f\ncmp $0x200d, %r13\njne 9f\n"
	"cmp $0x200e, %r14\njne 9f\n"
	".irp n,8,16,24,32,40,48,56,64,72,80,88,96,104,112,120,128\n"
	"cmpq $0x1000+\\n, -\\n(%rsp)\njne 9f\n.endr\n"
	"test %r15, %r15\njz 3f\n"
	".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
	"vmovdqu %ymm\\n, 512+32*\\n(%rsi)\n.endr\njmp 4f\n3:\n"
	".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
	"movdqu %xmm\\n, 512+32*\\n(%rsi)\n.endr\n"
	"4:\nmov %rdx, %rax\njmp 8f\n9:\nmov $-1, %rax\n8:\n"
	"pop %r15\n.cfi_adjust_cfa_offset -8\npop %r14\n.cfi_adjust_cfa_offset -8\n"
	"pop %r13\n.cfi_adjust_cfa_offset -8\npop %r12\n.cfi_adjust_cfa_offset -8\n"
	"pop %rbp\n.cfi_adjust_cfa_offset -8\npop %rbx\n.cfi_adjust_cfa_offset -8\n"
	"ret\n.cfi_endproc\n.size leaf, . - leaf\n");
long leaf(const unsigned long *arguments, unsigned char *vectors, long has_avx);

static void one_leaf(unsigned long request, const void *a, unsigned long b, long want)
{
	const unsigned long arguments[6] = { request, (unsigned long)a, b, 0, 0, 0 };
	unsigned char vectors[1024];
	long avx = __builtin_cpu_supports("avx");
	size_t bytes = avx ? 32 : 16;

	for (int i = 0; i < 512; i++)
		vectors[i] = (unsigned char)(i * 7 + 13);
	memset(vectors + 512, 0, 512);
	check(leaf(arguments, vectors, avx) == want, "registers, red zone and result");
	for (int i = 0; i < 16; i++)
		check(!memcmp(vectors + 32 * i, vectors + 512 + 32 * i, bytes),
		      "vector registers");
}

static void *leaves(void *argument)
{
	char *mine = room + (size_t)argument * 100000;

	for (int i = 0; i < 2000; i++) {
		one_leaf(VG_USERREQ__MALLOCLIKE_BLOCK, mine + 16 * i, 16, 77);
		one_leaf(VG_USERREQ__RUNNING_ON_VALGRIND, NULL, 0, 77);
		if (i % 2)
			one_leaf(VG_USERREQ__FREELIKE_BLOCK, mine + 16 * i, 0, 77);
	}
	return NULL;
}

/* The first event of a process, and of threads: what is done once, by libc, keeps them too. */
static void registers(void)
{
	pthread_t thread[8];

	leaves(NULL);
	for (size_t i = 0; i < 8; i++)
		pthread_create(&thread[i], NULL, leaves, (void *)(i + 1));
	for (int i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
	SAY("truth malloc calls>=18000\ntruth free calls>=9000\n");
}

/* ---- floating point over requests, threads ------------------------------------------------- */

static __attribute__((noinline)) double sum(const double *value, int count, char *mine)
{
	double a = 0, b = 1, c = 2, d = 3;

	for (int i = 0; i < count; i++) {
		VALGRIND_MALLOCLIKE_BLOCK(mine + 8 * i, 8, 0, 0);
		a += value[i] * 1.5;
		b = b * 0.5 + a;
		c -= b / (1 + a);
		d += c * value[count - 1 - i];
		VALGRIND_FREELIKE_BLOCK(mine + 8 * i, 0);
	}
	return a + b + c + d;
}

static double result;

static void *work(void *argument)
{
	double value[1000], first = 0;
	char *mine = room + (size_t)argument * 8000;

	for (int i = 0; i < 1000; i++)
		value[i] = i * 0.25 + (double)(size_t)argument;
	for (int turn = 0; turn < 20; turn++) {
		double got = sum(value, 1000, mine);
		if (turn == 0)
			first = got;
		check(got == first, "floating point");
	}
	if (!argument)
		result = first;
	return NULL;
}

static void threads(void)
{
	pthread_t thread[8];

	for (size_t i = 0; i < 8; i++)
		pthread_create(&thread[i], NULL, work, (void *)i);
	for (int i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
	SAY("%.17g\n", result);
	SAY("truth malloc calls>=160000\ntruth free calls>=160000\n");
}

/* ---- signals ------------------------------------------------------------------------------- */

static volatile int signals;

static void on_signal(int number)
{
	(void)number;
	take(room + 900000, 10);
	VALGRIND_FREELIKE_BLOCK(room + 900000, 0);
	signals++;
}

static void interrupted(void)
{
	const struct itimerval often = { { 0, 200 }, { 0, 200 } };
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int turn = 0; turn < 1000000 && (signals < 200 || turn < 100000); turn++)
		one_leaf(VG_USERREQ__MALLOCLIKE_BLOCK, room + 16, 16, 77);
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	free(malloc(1));
}

/* ---- what looks like a request and is none ------------------------------------------------- */

static const unsigned char copy[19] __attribute__((section(".text.copy"))) = {
	0x48, 0xc1, 0xc7, 0x03, 0x48, 0xc1, 0xc7, 0x0d, 0x48, 0xc1,
	0xc7, 0x3d, 0x48, 0xc1, 0xc7, 0x33, 0x48, 0x87, 0xdb
};

static void copies(void)
{
	unsigned int sum = 0;

	for (int i = 0; i < 19; i++)
		sum += ((const volatile unsigned char *)copy)[i];
	check(sum == 2410, "constants are left alone");
	take(room, 10);
	SAY("truth malloc calls=1 bytes=10\n");
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";

	if (!strcmp(part, "blocks"))
		blocks();
	else if (!strcmp(part, "pools"))
		pools(argc > 2);
	else if (!strcmp(part, "nested"))
		nested();
	else if (!strcmp(part, "ad_hoc"))
		ad_hoc();
	else if (!strcmp(part, "others"))
		others();
	else if (!strcmp(part, "registers"))
		registers();
	else if (!strcmp(part, "threads"))
		threads();
	else if (!strcmp(part, "interrupted"))
		interrupted();
	else if (!strcmp(part, "copies"))
		copies();
	else if (!strcmp(part, "running"))
		SAY("running %u\n", (unsigned)RUNNING_ON_VALGRIND);
	return wrong != 0;
}

#endif
