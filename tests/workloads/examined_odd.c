/* LDLIBS: -pthread */
/* examined_odd.c -- notices if an examiner disturbs what few programs do: `examined_odd WAY`.
 *
 * trap      handles SIGTRAP, which it raises all the time
 * int80     waits in epoll_wait() that it calls by int 0x80
 * dispatch  has its system calls dispatched to a handler, as Wine does
 * sequence  works in a restartable sequence
 * locks     locks a file, closes it, and locks it again
 * execute   executes itself as soon as a thread of it is traced
 * resumed   executes itself when the first thread is not traced any more, the last one still is
 * coroutine works on a stack of 8 KiB in the middle of other data
 *
 * Prints "ready", works until its standard input ends, or for 10 seconds in the first of `execute`
 * and `resumed`, and then what it noticed: "wrong=0" if nothing did. "unknown" if the machine cannot
 * do it.
 *
 * Source  Documentation/admin-guide/syscall-user-dispatch.rst and include/uapi/linux/rseq.h of Linux.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/lib/workload.h"

#if defined(__x86_64__)

enum { THREADS = 300, STACK = 8192, USED = 4096, BELOW = 65536 };

static volatile unsigned long handled;
static unsigned long wrong;

/* Asks for the end of standard input now and then only: a call costs more than the work. */
static bool is_over(void)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&p, 1, 0) != 0;
}

static void on_trap(int number)
{
	handled++;
}

static void raise_traps(void)
{
	signal(SIGTRAP, on_trap);
	while (!is_over()) {
		for (int i = 0; i < 2000; i++) {
			const unsigned long before = handled;

			__asm__ volatile("int3" : : : "memory");
			wrong += handled != before + 1;
		}
	}
}

static void wait_by_int80(void)
{
	enum { EPOLL_WAIT_32 = 256, INTERRUPTED = -4 };
	const int set = epoll_create1(0);
	void *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	while (!is_over()) {
		long result;

		__asm__ volatile("int $0x80" : "=a"(result)
				 : "0"((long)EPOLL_WAIT_32), "b"((long)set), "c"(low), "d"(1L), "S"(50L)
				 : "memory", "r8", "r9", "r10", "r11");
		wrong += result == INTERRUPTED;
	}
}

static volatile char selector;

static void on_dispatch(int number, siginfo_t *info, void *context)
{
	selector = 0;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = 42;
}

static bool dispatch_calls(void)
{
	enum { SET_DISPATCH = 59, ON = 1 }; /* PR_SET_SYSCALL_USER_DISPATCH */

	sigaction(SIGSYS, &(struct sigaction){ .sa_sigaction = on_dispatch, .sa_flags = SA_SIGINFO },
		  NULL);
	if (prctl(SET_DISPATCH, ON, 0L, 0L, &selector) != 0)
		return false;
	while (!is_over()) {
		long result;

		selector = 1;
		for (volatile int i = 0; i < 2000000; i++)
			continue;
		__asm__ volatile("syscall" : "=a"(result) : "0"(1000L) : "rcx", "r11", "memory");
		selector = 0;
		wrong += result != 42;
	}
	return true;
}

#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>

/* A sequence that was interrupted must not reach its end: the kernel clears the pointer to it, and
 * has it begin again. */
static bool run_sequences(void)
{
	struct rseq *own = (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);

	if (__rseq_size == 0)
		return false;
	while (!is_over()) {
		uint64_t left = 400000, seen = 0;
		int aborted = 1;

		__asm__ volatile(".pushsection __rseq_cs, \"aw\"\n.balign 32\n"
				 "3: .long 0, 0\n.quad 1f, 2f - 1f, 4f\n.popsection\n"
				 "lea 3b(%%rip), %%rax\nmov %%rax, %[pointer]\n"
				 "1: dec %[left]\njnz 1b\nmov %[pointer], %[seen]\nxor %[aborted], %[aborted]\n"
				 "2:\n.pushsection __rseq_failure, \"ax\"\n.byte 0x0f, 0xb9, 0x3d\n"
				 ".long 0x53053053\n4: mov $1, %[aborted]\njmp 2b\n.popsection\n"
				 : [left] "+r"(left), [seen] "=&r"(seen), [aborted] "+r"(aborted),
				   [pointer] "+m"(own->rseq_cs)
				 : : "rax", "memory", "cc");
		wrong += !aborted && seen == 0;
	}
	return true;
}
#else
static bool run_sequences(void)
{
	return false;
}
#endif

static void lock_files(void)
{
	while (!is_over()) {
		for (int i = 0; i < 100; i++) {
			int fd = open("locked", O_CREAT | O_RDWR | O_CLOEXEC, 0600);

			wrong += flock(fd, LOCK_EX | LOCK_NB) != 0;
			close(fd);
		}
	}
}

/* ---- executing ----------------------------------------------------------------------------------- */

static volatile pid_t first, last;

static void *note_thread(void *volatile *arg)
{
	*(volatile pid_t *)arg = (pid_t)syscall(SYS_gettid);
	for (;;)
		pause();
}

static bool is_traced(pid_t tid)
{
	char path[64], text[4096];
	const char *line;
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[size > 0 ? size : 0] = '\0';
	line = strstr(text, "TracerPid:\t");
	return line && atoi(line + 11) != 0;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void execute(char **argv, bool when_resumed)
{
	const double end = now() + 10;
	pid_t volatile other;
	char text[32];

	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, (void *(*)(void *))note_thread,
			       (void *)(i == 0 ? &first : i == THREADS - 1 ? &last : &other));
	}
	while (!first || !last)
		usleep(100);
	say("ready");
	while (now() < end && (when_resumed ? !is_traced(last) || is_traced(first) : !is_traced(first)))
		;
	snprintf(text, sizeof(text), "%.6f", now());
	execlp(argv[0], argv[0], "executed", text, (char *)NULL);
}

/* ---- a small stack --------------------------------------------------------------------------- */

static ucontext_t caller, coroutine;

static __attribute__((noinline)) void work_in_coroutine(void)
{
	volatile char used[USED];

	for (used[0] = 1; !is_over(); used[1] = 2)
		usleep(1000);
}

static void run_coroutine(void)
{
	unsigned char *data = malloc(BELOW + STACK);

	memset(data, 0x5a, BELOW + STACK);
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = data + BELOW;
	coroutine.uc_stack.ss_size = STACK;
	coroutine.uc_link = &caller;
	makecontext(&coroutine, work_in_coroutine, 0);
	swapcontext(&caller, &coroutine);
	for (int i = 0; i < BELOW; i++)
		wrong += data[i] != 0x5a;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	void *volatile block = malloc(100);
	bool is_known = true;

	if (strcmp(way, "executed") == 0) {
		say("wrong=%d", argc > 2 && now() - atof(argv[2]) > 5);
		return 0;
	}
	if (strcmp(way, "execute") == 0 || strcmp(way, "resumed") == 0)
		execute(argv, strcmp(way, "resumed") == 0);
	say("ready");
	if (strcmp(way, "trap") == 0)
		raise_traps();
	else if (strcmp(way, "int80") == 0)
		wait_by_int80();
	else if (strcmp(way, "dispatch") == 0)
		is_known = dispatch_calls();
	else if (strcmp(way, "sequence") == 0)
		is_known = run_sequences();
	else if (strcmp(way, "locks") == 0)
		lock_files();
	else if (strcmp(way, "coroutine") == 0)
		run_coroutine();
	else
		is_known = false;
	free(block);
	if (is_known)
		say("wrong=%lu", wrong);
	else
		say("unknown");
	return wrong != 0;
}

#else

int main(void)
{
	say("ready");
	say("unknown");
	return 0;
}

#endif
