/* LDLIBS: -Wl,-z,now */
/* sandbox.c -- forbids itself what it does not need, and then works:
 * `sandbox strict|filter|list|moved|ticks|bare|limited|alternate|inherited [told]`. With told, strict
 * and filter work after each byte that they read from standard input.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/signal_room.h"
#include "tests/lib/workload.h"

enum { BLOCKS = 20000, LEVELS = 12 };

static int is_bare; /* a filter without no_new_privs, as root may load it */

static void work(int count)
{
	static void *block[BLOCKS];

	for (int i = 0; i < count; i++)
		block[i] = malloc(200);
	for (int i = 0; i < count; i++)
		free(block[i]);
	say("truth 192-207 count=%d", count);
}

/* Allocates at 2^LEVELS places, so that every table of a recorder has to grow. */
static __attribute__((noinline)) void *descend(unsigned int way, int level);
static void *(*volatile next_level)(unsigned int way, int level) = descend;
static void *descend(unsigned int way, int level)
{
	void *block;

	if (level == LEVELS)
		return malloc(300);
	if (way >> level & 1)
		block = next_level(way, level + 1);
	else
		block = next_level(way, level + 1);
	__asm__ volatile("" : "+r"(block)); /* no tail call */
	return block;
}

static void *work_at_many_places(void *unused)
{
	for (unsigned int i = 0; i < 1u << LEVELS; i++)
		free(next_level(i, 0));
	return unused;
}

static void work_when_told(void)
{
	char byte;

	while (read(0, &byte, 1) == 1)
		work(400);
}

/* Nothing but read, write and exit. The heap is large enough already. */
static void strict(int is_told)
{
	free(malloc(100000));
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)) {
		say("no seccomp");
		return;
	}
	if (is_told)
		work_when_told();
	else
		work(400);
	syscall(SYS_exit, 7);
}

static int load(const struct sock_fprog *program)
{
	if ((is_bare || !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) &&
	    !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program))
		return 1;
	say("no seccomp");
	return 0;
}

/* Death for each call that only a recorder makes. */
static int load_filter(void)
{
	static const int forbidden[] = { SYS_madvise,	   SYS_mincore, SYS_membarrier, SYS_socket,
					 SYS_timer_create, SYS_futex,	SYS_sched_yield, SYS_gettid,
					 SYS_getpid,	   SYS_tgkill,	SYS_prctl,	 SYS_kcmp,
					 SYS_rt_sigreturn };
	enum { COUNT = sizeof(forbidden) / sizeof(forbidden[0]) };
	struct sock_filter code[2 * COUNT + 2];
	struct sock_fprog program = { .len = 2 * COUNT + 2, .filter = code };

	code[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					       offsetof(struct seccomp_data, nr));
	for (unsigned int i = 0; i < COUNT; i++) {
		code[1 + 2 * i] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)forbidden[i], 0, 1);
		code[2 + 2 * i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
							       SECCOMP_RET_KILL_PROCESS);
	}
	code[2 * COUNT + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return load(&program);
}

static void filter(int is_told)
{
	if (!load_filter())
		return;
	if (is_told) {
		work_when_told();
		exit(8);
	}
	work_at_many_places(NULL);
	work(BLOCKS);
	exit(8);
}

static void burn_and_end(int number)
{
	const clock_t end = clock() + CLOCKS_PER_SEC / 10;

	(void)number;
	while (clock() < end)
		;
	work(BLOCKS);
	exit(13);
}

/* A handler works on a stack that has room for one signal, and not for ld.so, which would save the vector
 * registers there to bind a function at its first call: 2.7 KB with AVX-512. */
static void alternate(void)
{
	const size_t size = bytes_of_signal() + 2500;
	const stack_t stack = { .ss_sp = malloc(size), .ss_size = size };
	const struct sigaction action = { .sa_handler = burn_and_end, .sa_flags = SA_ONSTACK };
	const pid_t self_pid = getpid();

	if (!load_filter())
		return;
	check(!sigaltstack(&stack, NULL) && !sigaction(SIGUSR1, &action, NULL), "a stack");
	kill(self_pid, SIGUSR1);
}

/* The program that it executes has the filter from its first instruction on. */
static void inherited(void)
{
	work(10);
	if (load_filter())
		execl("/proc/self/exe", "sandbox", "again", (char *)NULL);
}

static void again(void)
{
	work_at_many_places(NULL);
	work(BLOCKS);
	exit(11);
}

/* What it may have is 128 MiB: nearly all of that must be its own. */
static void limited(void)
{
	const struct rlimit limit = { 128 << 20, 128 << 20 };
	int count = 0;

	if (!load_filter())
		return;
	if (setrlimit(RLIMIT_DATA, &limit))
		exit(97);
	while (count < 200 && malloc(1 << 20))
		count++;
	say("%s", count >= 110 ? "enough" : "too little");
	exit(12);
}

static void *wait_and_work(void *barrier)
{
	pthread_barrier_wait(barrier);
	return work_at_many_places(NULL);
}

static int run_threads(int count)
{
	pthread_barrier_t barrier;
	pthread_t thread[8];

	pthread_barrier_init(&barrier, NULL, (unsigned int)count);
	for (int i = 0; i < count; i++)
		if (pthread_create(&thread[i], NULL, wait_and_work, &barrier))
			exit(97);
	for (int i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
	return count;
}

/* Death for each call that libc does not make for threads, children and malloc. */
static void list(void)
{
	static const int allowed[] = { SYS_read,	 SYS_write,	      SYS_exit,
				       SYS_exit_group,	 SYS_brk,	      SYS_mmap,
				       SYS_munmap,	 SYS_mremap,	      SYS_mprotect,
				       SYS_madvise,	 SYS_futex,	      SYS_clone,
				       SYS_clone3,	 SYS_set_robust_list, SYS_rseq,
				       SYS_rt_sigprocmask, SYS_rt_sigreturn,  SYS_wait4 };
	enum { COUNT = sizeof(allowed) / sizeof(allowed[0]) };
	struct sock_filter code[2 * COUNT + 2];
	struct sock_fprog program = { .len = 2 * COUNT + 2, .filter = code };
	int status = -1;

	mallopt(M_ARENA_MAX, 2);
	run_threads(2);
	code[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					       offsetof(struct seccomp_data, nr));
	for (unsigned int i = 0; i < COUNT; i++) {
		code[1 + 2 * i] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)allowed[i], 0, 1);
		code[2 + 2 * i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	code[2 * COUNT + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
							   SECCOMP_RET_KILL_PROCESS);
	if (!load(&program))
		return;
	work_at_many_places(NULL);
	run_threads(8);
	run_threads(8);
	if (fork() == 0) {
		work_at_many_places(NULL);
		run_threads(2);
		_exit(5);
	}
	if (wait(&status) < 0 || WEXITSTATUS(status) != 5)
		exit(98);
	work(BLOCKS);
	exit(9);
}

/* What the kernel clears at the end of a thread is not its ID: so it is with glibc 2.43. */
static void moved(void)
{
	static unsigned int word;

	syscall(SYS_set_tid_address, &word);
	list();
}

/* A signal for whoever reads the time stamp counter. */
static void ticks(void)
{
	int status = -1;

	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0)) {
		say("no such mode");
		return;
	}
	work_at_many_places(NULL);
	run_threads(2);
	if (fork() == 0)
		exit(5);
	if (wait(&status) < 0 || WEXITSTATUS(status) != 5)
		exit(98);
	work(BLOCKS);
	prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
	exit(10);
}

int main(int argc, char **argv)
{
	is_bare = argc > 1 && !strcmp(argv[1], "bare");
	if (argc > 1 && !strcmp(argv[1], "strict"))
		strict(argc > 2);
	else if (argc > 1 && !strcmp(argv[1], "list"))
		list();
	else if (argc > 1 && !strcmp(argv[1], "moved"))
		moved();
	else if (argc > 1 && !strcmp(argv[1], "ticks"))
		ticks();
	else if (argc > 1 && !strcmp(argv[1], "inherited"))
		inherited();
	else if (argc > 1 && !strcmp(argv[1], "again"))
		again();
	else if (argc > 1 && !strcmp(argv[1], "alternate"))
		alternate();
	else if (argc > 1 && !strcmp(argv[1], "limited"))
		limited();
	else
		filter(argc > 2);
	free(malloc(10));
	return 0;
}
