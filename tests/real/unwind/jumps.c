/* jumps.c -- stacks that change otherwise than by calls and returns: `jumps HOW`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static void *volatile kept;
static volatile uint64_t sum;

static NOINLINE void touch(size_t size)
{
	void *p = malloc(size);

	kept = p;
	free(p);
	sum++;
}

static NOINLINE int descend(int depth, int (*end)(int))
{
	int result;

	touch((size_t)depth + 1);
	result = depth ? descend(depth - 1, end) : end(depth);
	sum += (uint64_t)depth; /* no tail call */
	return result + 1;
}

/* ---- longjmp, from several depths, over frames that stay remembered */

static jmp_buf outer;

static NOINLINE int jump(int value)
{
	touch(10);
	longjmp(outer, value + 1);
}

static void longjmps(void)
{
	for (volatile int i = 0; i < 2000; i++) {
		if (!setjmp(outer))
			descend(i % 60, jump);
		touch(20);
	}
}

/* ---- signal handlers: on the same stack, on another, jumping out, at any instruction */

static sigjmp_buf out_of_handler;

static NOINLINE int raises(int value)
{
	touch(30);
	raise(SIGUSR1);
	touch(31);
	return value;
}

static NOINLINE int ends(int value)
{
	touch(40);
	return value;
}

static void handler(int number)
{
	(void)number;
	descend(5, ends);
}

static void jumping_handler(int number)
{
	(void)number;
	descend(3, ends);
	siglongjmp(out_of_handler, 1);
}

static void use_stack(void)
{
	stack_t stack = { .ss_size = 65536 };

	stack.ss_sp = malloc(stack.ss_size);
	sigaltstack(&stack, NULL);
}

static void signals(int flags, void (*function)(int))
{
	struct sigaction action = { .sa_handler = function, .sa_flags = flags };

	use_stack();
	sigaction(SIGUSR1, &action, NULL);
	for (volatile int i = 0; i < 1000; i++)
		if (!sigsetjmp(out_of_handler, 1))
			descend(i % 20, raises);
}

/* The signal comes between any two instructions, also of a function's prologue. */
static NOINLINE uint64_t spin(uint64_t n)
{
	return n < 2 ? n : spin(n - 1) + spin(n - 2);
}

static void timers(int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags | SA_RESTART };
	struct itimerval every = { { 0, 200 }, { 0, 200 } };
	struct itimerval never = { { 0, 0 }, { 0, 0 } };
	char text[64];

	use_stack();
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < 6000; i++) {
		sum += spin(14);
		snprintf(text, sizeof(text), "%.17g %d %s", (double)sum / 7, i, "text");
		sum += strlen(text) + (uint64_t)strtod(text, NULL) % 7;
	}
	setitimer(ITIMER_REAL, &never, NULL);
}

/* ---- coroutines */

enum { COROUTINES = 8, STACK = 65536 };

static ucontext_t scheduler, routine[COROUTINES];
static volatile int current, running;

static NOINLINE int yields(int value)
{
	touch(50);
	swapcontext(&routine[current], &scheduler);
	touch(51);
	return value;
}

static void coroutine(void)
{
	for (int i = 0; i < 100; i++)
		descend(i % 13, yields);
	running--;
}

static void coroutines(bool is_mapped)
{
	for (int i = 0; i < COROUTINES; i++) {
		getcontext(&routine[i]);
		routine[i].uc_stack.ss_size = STACK;
		routine[i].uc_stack.ss_sp =
			is_mapped ? mmap(NULL, STACK, PROT_READ | PROT_WRITE,
					      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
				       : malloc(STACK);
		routine[i].uc_link = &scheduler;
		makecontext(&routine[i], coroutine, 0);
	}
	running = COROUTINES;
	for (int turn = 0; running > 0; turn++) {
		current = turn % COROUTINES;
		/* One that has returned may not be entered again. */
		if (turn / COROUTINES <= 100)
			swapcontext(&scheduler, &routine[current]);
		touch(52);
	}
}

/* ---- frames of unusual shape */

static NOINLINE int aligned(int depth)
{
	_Alignas(64) char line[64];
	char *room = alloca((size_t)depth * 16 + 1);

	memset(line, depth, sizeof(line));
	memset(room, depth, (size_t)depth * 16 + 1);
	touch(60);
	int result = depth ? aligned(depth - 1) : 0;
	touch(61);
	return result + line[depth % 64] + room[0];
}

static NOINLINE int variable(int depth)
{
	char room[depth * 7 + 1];

	memset(room, depth, sizeof(room));
	touch(62);
	int result = depth ? variable(depth - 1) : aligned(5);
	touch(63);
	return result + room[depth];
}

static int compare(const void *a, const void *b)
{
	touch(64);
	return *(const int *)a - *(const int *)b;
}

static void shapes(void)
{
	int numbers[200];

	for (int i = 0; i < 300; i++)
		variable(i % 12);
	for (int i = 0; i < 200; i++)
		numbers[i] = i * 7919 % 199;
	qsort(numbers, 200, sizeof(int), compare);
	for (int i = 0; i < 200; i++)
		sum += bsearch(&i, numbers, 200, sizeof(int), compare) != NULL;
}

static void deep(void)
{
	descend(500, ends);
	descend(3000, ends); /* more than are kept of a stack */
	descend(100, ends);
}

/* ---- objects that come and go at the same address */

static void reload(void)
{
	void *former = NULL;
	int same = 0;

	for (int i = 0; i < 40; i++) {
		void *object = dlopen(i & 1 ? "./first.so" : "./second.so", RTLD_NOW);
		void (*call)(void (*)(size_t)) = object ? dlsym(object, "call") : NULL;
		if (!call) {
			fprintf(stderr, "jumps: %s\n", dlerror());
			exit(1);
		}
		same += (void *)call == former;
		former = (void *)call;
		for (int k = 0; k < 50; k++)
			call(touch);
		dlclose(object);
	}
	puts(same >= 20 ? "at the same address" : "not at the same address");
}

static void *in_thread(void *argument)
{
	(void)argument;
	for (int i = 0; i < 200; i++)
		variable(i % 9);
	return NULL;
}

static void threads(void)
{
	pthread_t id[8];

	for (int i = 0; i < 8; i++)
		pthread_create(&id[i], NULL, in_thread, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(id[i], NULL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "longjmp"))
		longjmps();
	else if (!strcmp(how, "handler"))
		signals(0, handler);
	else if (!strcmp(how, "altstack"))
		signals(SA_ONSTACK, handler);
	else if (!strcmp(how, "jumping-handler"))
		signals(0, jumping_handler);
	else if (!strcmp(how, "jumping-altstack"))
		signals(SA_ONSTACK, jumping_handler);
	else if (!strcmp(how, "timer"))
		timers(0);
	else if (!strcmp(how, "timer-altstack"))
		timers(SA_ONSTACK);
	else if (!strcmp(how, "coroutines"))
		coroutines(1);
	else if (!strcmp(how, "coroutines-heap"))
		coroutines(0);
	else if (!strcmp(how, "shapes"))
		shapes();
	else if (!strcmp(how, "deep"))
		deep();
	else if (!strcmp(how, "reload"))
		reload();
	else if (!strcmp(how, "threads"))
		threads();
	else
		return 2;
	return 0;
}
