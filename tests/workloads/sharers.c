/* sharers.c -- two processes that share their memory without being threads, of which the one that
 * made the other ends first. The other one goes on to allocate for a quarter of a second; then it
 * says on file descriptor 3 how it went, and ends with 7.
 *
 *	sharers ends		the first ends by _exit(0)
 *	sharers killed		... by SIGKILL
 *	sharers executes	... by executing true
 *	sharers quiet		the first is a forked child, which has allocated nothing
 *	sharers hidden		... by _exit(0); only root may read their memory
 *	sharers instruction	... by _exit(0); the other was made by an instruction
 *	sharers vfork		the first waits in vfork(), and the other kills it
 *	sharers copy		the other is a copy, made by an instruction: it shares nothing
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BLOCKS = 64, STACK = 1 << 20 };

static volatile int has_begun;

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

__attribute__((noinline)) static void change_block(unsigned char **block, unsigned int turn)
{
	const size_t size = 24 + turn * 37 % 3000;

	if (*block && **block != (unsigned char)(uintptr_t)block)
		_exit(98);
	if (turn % 3 == 0) {
		*block = realloc(*block, size);
	} else {
		free(*block);
		*block = malloc(size);
	}
	**block = (unsigned char)(uintptr_t)block;
}

static int go_on(void *unused)
{
	static unsigned char *block[BLOCKS];
	const double until = seconds() + 0.25;
	unsigned int turn = 0;

	(void)unused;
	has_begun = 1;
	/* The first one allocates nothing from now on: both have the same thread-local storage. */
	for (; seconds() < until; turn++)
		change_block(&block[turn % BLOCKS], turn);
	_exit(write(3, "went on\n", 8) == 8 && turn > 100 ? 7 : 97);
}

/* The kernel's calling convention: the new process has a stack of its own, or this one's copy. */
static void clone_by_instruction(unsigned long flags, void *stack)
{
#ifdef __x86_64__
	long result;
	register long settid __asm__("r10") = 0, tls __asm__("r8") = 0;

	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xor %%ebp, %%ebp\n\t"
			 "and $-16, %%rsp\n\t"
			 "xor %%edi, %%edi\n\t"
			 "call *%[go_on]\n"
			 "1:"
			 : "=a"(result)
			 : "a"((long)SYS_clone), "D"(flags | SIGCHLD), "S"(stack), "d"(0L),
			   "r"(settid), "r"(tls), [go_on] "b"(go_on)
			 : "rcx", "r11", "memory");
	if (result > 0)
		return;
#else
	(void)flags, (void)stack;
#endif
	_exit(99);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	unsigned char *stack = malloc(STACK);
	const struct timespec pause_time = { .tv_nsec = 1000000 };

	if (!stack)
		return 99;
	for (int i = 0; i < 200; i++)
		free(malloc((size_t)i * 10));
	if (strcmp(how, "quiet") == 0 && fork() != 0) {
		wait(NULL);
		_exit(0);
	}
	if (strcmp(how, "hidden") == 0)
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (strcmp(how, "vfork") == 0) {
		/* The same stack, but the first one is gone before it could return to it. */
		if (vfork() == 0) {
			kill(getppid(), SIGKILL);
			go_on(NULL);
		}
		_exit(99);
	}
	if (strcmp(how, "instruction") == 0)
		clone_by_instruction(CLONE_VM, stack + STACK);
	else if (strcmp(how, "copy") == 0)
		clone_by_instruction(0, NULL);
	else if (clone(go_on, stack + STACK, CLONE_VM | SIGCHLD, NULL) < 0)
		_exit(99);
	while (!has_begun && strcmp(how, "copy") != 0)
		nanosleep(&pause_time, NULL);
	if (strcmp(how, "killed") == 0)
		kill(getpid(), SIGKILL);
	if (strcmp(how, "executes") == 0)
		execlp("true", "true", (char *)NULL);
	_exit(0);
}
