/* LDLIBS: -pthread */
/* attached_odd.c -- rarer things that a program is in the middle of when a recorder comes or goes:
 * `attached_odd WHAT`.
 *
 *	sequences	restartable sequences of four threads, as in <linux/rseq.h>
 *	ring		io_uring: reads and time-outs that the kernel completes
 *	polled		the same, where a thread of the kernel's looks for requests
 *	interruptions	signals that end a call, each of which the program must get to know of
 *	coroutines	two coroutines that allocate in turns, and signals at 2 kHz
 *	alone		one that is all of the program: there is no other thread
 *	preempted	one that allocates, and that a handler leaves 2,000 times a second for another
 *	execs		it executes itself anew all the time
 *
 * Works until its standard input ends; then prints what it has done and what was wrong, and ends with
 * status 1 if anything was, with 77 if the system does not have what it needs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/lib/until_input_ends.h"

enum { THREADS = 4, NOT_HERE = 77, STACK = 1 << 18 };

static void allocate_a_little(void)
{
	void *block[10];

	for (size_t i = 0; i < 10; i++)
		memset(block[i] = malloc(30 * i + 1), (int)i, 30 * i + 1);
	for (size_t i = 0; i < 10; i++) {
		bad += ((unsigned char *)block[i])[30 * i] != i;
		free(block[i]);
	}
}

/* ---- restartable sequences ------------------------------------------------------------------- */

#if defined(__x86_64__) && __has_include(<sys/rseq.h>)
#include <sys/rseq.h>

/* Of each processor: a sequence adds 1. The sum is that of all sequences that came to their end only
 * if none was interrupted and went on as if it had not been. */
static volatile uint64_t counter[1024][8];

static bool count_in_sequence(void)
{
	volatile struct rseq *own =
		(void *)((char *)__builtin_thread_pointer() + __rseq_offset);
	const uint32_t cpu = own->cpu_id_start;

	__asm__ goto volatile(
		".pushsection __rseq_cs, \"aw\"\n"
		".balign 32\n"
		"3: .long 0, 0\n"
		".quad 1f, 2f - 1f, 4f\n"
		".popsection\n"
		"leaq 3b(%%rip), %%rax\n"
		"movq %%rax, %[sequence]\n"
		"1: cmpl %[cpu], %[now]\n"
		"jnz 4f\n"
		"movq (%[counter]), %%rax\n"
		"movl $200, %%ecx\n"
		"5: pause\n"
		"decl %%ecx\n"
		"jnz 5b\n"
		"incq %%rax\n"
		"movq %%rax, (%[counter])\n"
		"2:\n"
		".pushsection __rseq_failure, \"ax\"\n"
		".byte 0x0f, 0xb9, 0x3d\n"
		".long 0x53053053\n"
		"4: jmp %l[interrupted]\n"
		".popsection\n"
		: : [sequence] "m"(own->rseq_cs), [cpu] "r"(cpu), [now] "m"(own->cpu_id),
		    [counter] "r"(&counter[cpu % 1024][0])
		: "rax", "rcx", "memory", "cc" : interrupted);
	return true;
interrupted:
	return false;
}

static void *work_in_sequences(void *arg)
{
	unsigned long own = 0;

	for (unsigned int i = 0; !must_end; i++) {
		own += count_in_sequence();
		if (i % 64 == 0)
			allocate_a_little();
	}
	done += own;
	return NULL;
}

static void do_sequences(void)
{
	pthread_t thread[THREADS];
	uint64_t sum = 0;

	if (__rseq_size == 0)
		exit(NOT_HERE);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work_in_sequences, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < 1024; i++)
		sum += counter[i][0];
	bad += sum != done;
}
#else
static void do_sequences(void)
{
	exit(NOT_HERE);
}
#endif

/* ---- io_uring ---------------------------------------------------------------------------------- */

struct ring {
	int fd;
	unsigned int wake; /* flag of io_uring_enter() */
	struct io_uring_params p;
	char *submissions, *completions;
	struct io_uring_sqe *entry;
};

#define WORD(area, offset) (*(_Atomic uint32_t *)((area) + (offset)))

static void open_ring(struct ring *r)
{
	r->fd = (int)syscall(SYS_io_uring_setup, 8, &r->p);
	if (r->fd < 0)
		exit(NOT_HERE);
	r->submissions = mmap(NULL, r->p.sq_off.array + r->p.sq_entries * 4, PROT_READ | PROT_WRITE,
			      MAP_SHARED, r->fd, IORING_OFF_SQ_RING);
	r->completions = mmap(NULL, r->p.cq_off.cqes + r->p.cq_entries * 16, PROT_READ | PROT_WRITE,
			      MAP_SHARED, r->fd, IORING_OFF_CQ_RING);
	r->entry = mmap(NULL, r->p.sq_entries * sizeof(*r->entry), PROT_READ | PROT_WRITE,
			MAP_SHARED, r->fd, IORING_OFF_SQES);
	check(r->submissions != MAP_FAILED && r->completions != MAP_FAILED &&
	      (void *)r->entry != MAP_FAILED, "ring");
}

static void submit(struct ring *r, const struct io_uring_sqe *e)
{
	const uint32_t tail = WORD(r->submissions, r->p.sq_off.tail);
	const uint32_t place = tail & WORD(r->submissions, r->p.sq_off.ring_mask);

	r->entry[place] = *e;
	WORD(r->submissions, r->p.sq_off.array + place * 4) = place;
	WORD(r->submissions, r->p.sq_off.tail) = tail + 1;
	bad += syscall(SYS_io_uring_enter, r->fd, 1, 0, r->wake, NULL, 0) != 1;
}

/* Waits for one completion, and checks its result. The wait for a time-out may be over before the
 * kernel's thread has completed it. */
static void complete(struct ring *r, uint64_t expected, int result)
{
	const struct io_uring_cqe *c;
	uint32_t head = WORD(r->completions, r->p.cq_off.head);
	long got;

	do
		got = syscall(SYS_io_uring_enter, r->fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0);
	while (got == 0 && r->wake && head == WORD(r->completions, r->p.cq_off.tail));
	if (got < 0 || head == WORD(r->completions, r->p.cq_off.tail)) {
		bad++;
		say("io_uring_enter: %ld, error %d", got, errno);
		return;
	}
	c = (void *)(r->completions + r->p.cq_off.cqes +
		     (head & WORD(r->completions, r->p.cq_off.ring_mask)) * sizeof(*c));
	bad += c->user_data != expected || c->res != result;
	WORD(r->completions, r->p.cq_off.head) = head + 1;
}

static void use_ring(struct ring ring)
{
	const struct __kernel_timespec limit = { .tv_nsec = 3000000 };
	char text[6] = "";
	int ends[2];

	open_ring(&ring);
	check(pipe(ends) == 0, "pipe");
	for (; !must_end; done++) {
		submit(&ring, &(struct io_uring_sqe){ .opcode = IORING_OP_TIMEOUT, .len = 1,
						      .addr = (uintptr_t)&limit, .user_data = 1 });
		complete(&ring, 1, -ETIME);
		submit(&ring, &(struct io_uring_sqe){ .opcode = IORING_OP_READ, .fd = ends[0],
						      .addr = (uintptr_t)text, .len = 5,
						      .off = UINT64_MAX, .user_data = 2 });
		allocate_a_little();
		check(write(ends[1], "hello", 5) == 5, "write");
		complete(&ring, 2, 5);
		bad += strcmp(text, "hello") != 0;
	}
}

static void do_ring(void)
{
	use_ring((struct ring){ .fd = -1 });
}

static void do_polled(void)
{
	use_ring((struct ring){ .wake = IORING_ENTER_SQ_WAKEUP,
				.p = { .flags = IORING_SETUP_SQPOLL, .sq_thread_idle = 5 } });
}

/* ---- signals that end a call ------------------------------------------------------------------- */

static volatile unsigned long handled;

static void on_signal(int number)
{
	handled++;
}

/* The signal can come only within the call, which then must say so. */
static void do_interruptions(void)
{
	const struct itimerval often = { { 0, 3000 }, { 0, 3000 } };
	const struct sigaction action = { .sa_handler = on_signal };
	struct epoll_event event;
	int epoll = epoll_create1(0);
	sigset_t alarms, none;
	unsigned long before, lost = 0;

	sigemptyset(&none);
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarms, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (; !must_end; done++) {
		errno = 0;
		before = handled;
		if (done % 2)
			bad += epoll_pwait(epoll, &event, 1, -1, &none) != -1 || errno != EINTR;
		else
			bad += ppoll(NULL, 0, NULL, &none) != -1 || errno != EINTR;
		bad += handled == before;
		/* One that comes while the thread is let go may find the call about to begin again:
		 * its handler runs, and the call waits for the next one. */
		lost += handled - before > 1;
		allocate_a_little();
	}
	say("lost=%lu", lost);
}

/* ---- coroutines -------------------------------------------------------------------------------- */

static ucontext_t coroutine[2], caller;

static void on_alarm(int number)
{
	for (volatile int i = 0; i < 1000; i++)
		;
}

static void allocate_in_turns(int own)
{
	for (; !must_end; done++) {
		allocate_a_little();
		swapcontext(&coroutine[own], &coroutine[!own]);
	}
}

static void do_coroutines(void)
{
	const struct itimerval often = { { 0, 500 }, { 0, 500 } };
	const struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };

	for (int i = 0; i < 2; i++) {
		getcontext(&coroutine[i]);
		coroutine[i].uc_stack.ss_sp = malloc(STACK);
		coroutine[i].uc_stack.ss_size = STACK;
		coroutine[i].uc_link = &caller;
		makecontext(&coroutine[i], (void (*)(void))allocate_in_turns, 1, i);
	}
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	swapcontext(&caller, &coroutine[0]);
}

static void allocate_alone(void)
{
	const struct timespec pause = { .tv_nsec = 300000 };
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	for (; poll(&input, 1, 0) == 0; done++) {
		allocate_a_little();
		nanosleep(&pause, NULL);
	}
}

static void do_alone(void)
{
	getcontext(&coroutine[0]);
	coroutine[0].uc_stack.ss_sp = malloc(STACK);
	coroutine[0].uc_stack.ss_size = STACK;
	coroutine[0].uc_link = &caller;
	makecontext(&coroutine[0], allocate_alone, 0);
	say("ready");
	swapcontext(&caller, &coroutine[0]);
}

/* The other one allocates nothing: the first may stand in the middle of malloc. */
static void wait_a_little(int own)
{
	const struct timespec pause = { .tv_nsec = 300000 };

	for (; !must_end; done++) {
		nanosleep(&pause, NULL);
		swapcontext(&coroutine[own], &coroutine[!own]);
	}
}

static void allocate_only(int own)
{
	(void)own;
	while (!must_end)
		allocate_a_little();
}

/* Blocked while the other one runs, since it has the mask of the handler. */
static void leave_for_other(int number)
{
	(void)number;
	swapcontext(&coroutine[0], &coroutine[1]);
}

static void do_preempted(void)
{
	const struct itimerval often = { { 0, 500 }, { 0, 500 } };
	const struct sigaction action = { .sa_handler = leave_for_other, .sa_flags = SA_RESTART };
	void (*run[2])(int) = { allocate_only, wait_a_little };

	sigaction(SIGALRM, &action, NULL);
	for (int i = 0; i < 2; i++) {
		getcontext(&coroutine[i]);
		coroutine[i].uc_stack.ss_sp = malloc(STACK);
		coroutine[i].uc_stack.ss_size = STACK;
		coroutine[i].uc_link = &caller;
		makecontext(&coroutine[i], (void (*)(void))run[i], 1, i);
	}
	/* main() has blocked it in all threads. */
	sigdelset(&coroutine[0].uc_sigmask, SIGALRM);
	setitimer(ITIMER_REAL, &often, NULL);
	swapcontext(&caller, &coroutine[0]);
}

/* ---- exec -------------------------------------------------------------------------------------- */

static void do_execs(char **argv)
{
	const struct timespec pause = { .tv_nsec = 30000000 };
	char count[32];
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	done = argv[2] ? strtoul(argv[2], NULL, 10) + 1 : 0;
	if (done == 0)
		say("ready");
	if (poll(&input, 1, 0) > 0)
		return;
	allocate_a_little();
	nanosleep(&pause, NULL);
	allocate_a_little();
	snprintf(count, sizeof(count), "%lu", (unsigned long)done);
	execv("/proc/self/exe", (char *[]){ argv[0], argv[1], count, NULL });
	exit(1);
}

/* ------------------------------------------------------------------------------------------------ */

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "execs") == 0) {
		do_execs(argv);
	} else if (strcmp(what, "alone") == 0) {
		do_alone();
	} else {
		sigset_t alarm;

		sigemptyset(&alarm);
		sigaddset(&alarm, SIGALRM);
		if (strcmp(what, "preempted") == 0)
			sigprocmask(SIG_BLOCK, &alarm, NULL);
		const pthread_t waiting = begin_awaiting_end();

		if (strcmp(what, "sequences") == 0)
			do_sequences();
		else if (strcmp(what, "ring") == 0)
			do_ring();
		else if (strcmp(what, "polled") == 0)
			do_polled();
		else if (strcmp(what, "interruptions") == 0)
			do_interruptions();
		else if (strcmp(what, "coroutines") == 0)
			do_coroutines();
		else if (strcmp(what, "preempted") == 0)
			do_preempted();
		pthread_join(waiting, NULL);
	}
	return tell_result();
}
