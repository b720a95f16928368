/* accesses.c -- reads and writes that are known to the last byte; accesses [THREADS [LIBC]].
 *
 * Prints what each place that allocates reads and writes in all threads, and how often each byte
 * is touched: "place NAME reads=N writes=N counts=A:N,B:N,..." (runs of value:length).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>

#include "tests/lib/workload.h"

#define ROUNDS 1000
#define NOINLINE __attribute__((noinline, noclone))

struct mixed {
	volatile uint64_t eight;
	volatile uint32_t four;
	volatile uint16_t two;
	volatile uint8_t one[10];
};

/* 24 bytes: the first 8 written once and read twice, 4 read-modified, 2 written, 1 read. */
NOINLINE struct mixed *place_mixed(void) { return malloc(sizeof(struct mixed)); }
NOINLINE void touch_mixed(void)
{
	struct mixed *m = place_mixed();

	m->eight = 1;
	(void)m->eight;
	(void)m->eight;
	m->four = 2;
	m->four += 3;
	m->two = 4;
	m->one[3] = 5;
	(void)m->one[3];
	free(m);
}

/* 1024 bytes are counted one by one, 1025 are not. */
NOINLINE volatile char *place_last(void) { return malloc(1024); }
NOINLINE volatile char *place_beyond(void) { return malloc(1025); }
NOINLINE void touch_edges(void)
{
	volatile char *a = place_last(), *b = place_beyond();

	for (int i = 0; i < 1024; i += 2)
		a[i] = 1;
	for (int i = 0; i < 1025; i++)
		(void)b[i];
	free((void *)a);
	free((void *)b);
}

NOINLINE volatile char *place_never(void) { return malloc(64); }
NOINLINE volatile char *place_sizes(size_t n) { return malloc(n); }
NOINLINE void touch_sizes(void)
{
	free((void *)place_never());
	for (size_t n = 10; n < 13; n++) {
		volatile char *p = place_sizes(n);
		p[n - 1] = 1;
		free((void *)p);
	}
}

NOINLINE volatile uint64_t *place_large(void) { return malloc(3 << 20); }
NOINLINE void touch_large(void)
{
	volatile uint64_t *p = place_large();

	for (size_t i = 0; i < (3 << 20) / 8; i += 512)
		p[i] = p[i + 511];
	free((void *)p);
}

/* Atomic operations read and write. */
NOINLINE void *place_atomic(void) { return calloc(1, 32); }
NOINLINE void touch_atomic(void)
{
	struct { _Atomic uint64_t a; _Atomic uint32_t b; _Atomic uint16_t c; _Atomic uint8_t d; }
		*p = place_atomic();
	uint64_t want = 1;

	atomic_fetch_add(&p->a, 1);
	atomic_compare_exchange_strong(&p->a, &want, 7);
	atomic_exchange(&p->b, 3);
	atomic_store_explicit(&p->c, 4, memory_order_relaxed); /* the strongest may be an exchange */
	(void)atomic_load(&p->c);
	atomic_fetch_or(&p->d, 1);
	check(p->a == 7 && p->b == 3 && p->c == 4 && p->d == 1, "atomic operations");
	free(p);
}

/* realloc copies; the block keeps what was counted before. */
NOINLINE volatile char *place_realloc(void) { return malloc(100); }
NOINLINE void touch_realloc(void)
{
	volatile char *p = place_realloc();

	p[0] = 1;
	p = realloc((void *)p, 200);
	p[150] = 1;
	p = realloc((void *)p, 50);
	(void)p[0];
	free((void *)p);
}

static void *work(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		touch_mixed();
		touch_edges();
		touch_sizes();
		touch_atomic();
	}
	for (int i = 0; i < 3; i++) {
		touch_large();
		touch_realloc();
	}
	return unused;
}

/* One block that all threads share. */
static volatile uint64_t *shared;
static pthread_barrier_t barrier;
NOINLINE volatile uint64_t *place_shared(void) { return malloc(16); }
static void *share(void *unused)
{
	pthread_barrier_wait(&barrier);
	work(NULL);
	for (int i = 0; i < 100 * ROUNDS; i++)
		(void)shared[0];
	for (int i = 0; i < 500; i++)
		shared[1] = 1;
	return unused;
}

/* A handler touches a block while the program touches others and allocates. */
static volatile uint32_t *handled;
static atomic_int handler_runs;
NOINLINE volatile uint32_t *place_handled(void) { return malloc(8); }
static void handler(int signal)
{
	(void)signal;
	handled[1] = handled[0];
	handler_runs++;
}

static void say_place(const char *name, uint64_t reads, uint64_t writes, const char *counts)
{
	say("place %s reads=%llu writes=%llu counts=%s", name, (unsigned long long)reads,
	    (unsigned long long)writes, counts);
}

/* "A:N" of a value, which is at most 65535. */
static const char *run(char *text, uint64_t value, int length)
{
	static uint64_t last;
	static int so_far;
	char *comma = strrchr(text, ',');

	value = value < 65535 ? value : 65535;
	so_far = *text && value == last ? so_far + length : length;
	if (*text && value == last)
		*(comma ? comma : text) = '\0';
	last = value;
	snprintf(text + strlen(text), 40, "%s%llu:%d", *text ? "," : "",
		 (unsigned long long)value, so_far);
	return text;
}

static void say_truth(uint64_t n)
{
	uint64_t r = n * ROUNDS, few = n * 3;
	char text[4096] = "";

	run(text, 3 * r, 8), run(text, 3 * r, 4), run(text, r, 2), run(text, 0, 3);
	say_place("place_mixed", r * 21, r * 19, (run(text, 2 * r, 1), run(text, 0, 6)));
	say_place("place_last", 0, r * 512, "alternating");
	say_place("place_beyond", r * 1025, 0, "-");
	say_place("place_never", 0, 0, "0:64");
	say_place("place_sizes", 0, r * 3, "-");
	say_place("place_large", few * 768 * 8, few * 768 * 8, "-");
	text[0] = '\0';
	run(text, 5 * r, 8), run(text, 3 * r, 4), run(text, 3 * r, 2), run(text, 3 * r, 1);
	say_place("place_atomic", r * (8 * 3 + 4 * 2 + 2 * 2 + 2), r * (16 + 4 + 2 + 1),
		  run(text, 0, 17));
	say_place("place_realloc", few * (150 + 1), few * (2 + 150), "-");
	text[0] = '\0';
	run(text, n * 100 * ROUNDS, 8);
	say_place("place_shared", n * 100 * ROUNDS * 8, n * 500 * 8, run(text, n * 500, 8));
	text[0] = '\0';
	run(text, (uint64_t)handler_runs, 4);
	say_place("place_handled", 4 * (uint64_t)handler_runs, 4 * (uint64_t)handler_runs,
		  run(text, (uint64_t)handler_runs, 4));
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t thread[64];

	shared = place_shared();
	handled = place_handled();
	signal(SIGALRM, handler);
	pthread_barrier_init(&barrier, NULL, (unsigned int)n);
	for (int i = 1; i < n; i++)
		pthread_create(&thread[i], NULL, share, NULL);
	setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 500 }, { 0, 500 } }, NULL);
	share(NULL);
	for (int i = 1; i < n; i++)
		pthread_join(thread[i], NULL);
	setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 0 } }, NULL);
	free((void *)shared);
	free((void *)handled);
	say_truth((uint64_t)n);
	return 0;
}
