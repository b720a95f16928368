/* signals.c -- species of signals: signal (the body is executed in a handler) and timer (handlers that
 * come at any time while the body is executed).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/zoo/zoo.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/signal_room.h"
#include "tests/zoo/older_libc.h"

/* ---- signal ---- */

enum { PAGE = 4096, CANARY = 256, SMALL = 1024 };
#define AUTODISARM (1u << 31)

struct call {
	const struct step *s;
	struct room room;
	struct draw d;
	struct call *outer;
	bool leaves;
	sigjmp_buf out;
};

static __thread struct call *calls;
static __thread char *trap;
static size_t least_stack;

static void in_handler(void)
{
	struct call *c = calls;

	if (!c)
		return;
	calls = c->outer;
	use_blocks(c->s, &c->d, 3, 400);
	/* A small stack is for what allocates, and for nothing that comes on top. */
	if (c->room.stack > SMALL)
		run_body(c->s, &c->room);
	else
		use_blocks(c->s, &c->d, 12, 3000);
	if (c->leaves)
		siglongjmp(c->out, 6);
}

static void on_signal(int sig)
{
	(void)sig;
	in_handler();
}

static void on_info(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info, (void)context;
	in_handler();
}

/* A page that is to be written gets writable. What else faults is a failure, and ends as such. */
static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (!trap || info->si_addr != trap) {
		signal(sig, SIG_DFL);
		return;
	}
	mprotect(trap, PAGE, PROT_READ | PROT_WRITE);
	in_handler();
}

static void handle(int sig, void (*handler)(int), int flags, bool masks)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	if (masks)
		sigfillset(&action.sa_mask);
	sigaction(sig, &action, NULL);
}

void signals_init(void)
{
	/* libc calls realloc by way of ld.so the first time, which takes as much stack as the registers. */
	free(reallocarray(malloc(1), 2, 1));
	least_stack = bytes_of_signal();
	handle(SIGUSR1, on_signal, SA_ONSTACK | SA_NODEFER | SA_RESTART, false);
	handle(SIGUSR2, on_signal, SA_ONSTACK | SA_RESTART, false);
	handle(SIGURG, (void (*)(int))on_info, SA_ONSTACK | SA_SIGINFO | SA_RESTART, false);
	handle(SIGWINCH, on_signal, SA_RESTART, false);
	handle(SIGRTMIN + 2, (void (*)(int))on_info, SA_ONSTACK | SA_SIGINFO, true);
	handle(SIGSEGV, (void (*)(int))on_fault, SA_ONSTACK | SA_SIGINFO | SA_NODEFER, false);
}

/* An alternate stack: WHOLE bytes from BASE, of which the lowest must stay as they are. */
struct alternate {
	char *base;
	size_t whole, low;
	bool is_mapped;
	stack_t old;
};

static bool is_untouched(const struct alternate *a)
{
	for (size_t i = 0; !a->is_mapped && i < a->low; i++)
		if (a->base[i] != 'c')
			return false;
	return true;
}

/* Small ones lie above a page without access, or above bytes that are looked at afterwards. What malloc
 * itself takes is at most 440 bytes, and what the handler takes 330; a recorder may take 1 KB more. */
static bool take_alternate(struct alternate *a, struct call *c, bool quiet)
{
	size_t size = least_stack + 1792 + 256 * draw_below(&c->d, 8);
	bool is_small = quiet && draw_below(&c->d, 2);

	if (!is_small)
		size = least_stack + (40 << 10) + 1000 * draw_below(&c->d, 60);
	a->is_mapped = draw_below(&c->d, 2);
	a->low = a->is_mapped ? PAGE : CANARY;
	a->whole = size + a->low;
	a->base = a->is_mapped ? mmap(NULL, a->whole, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : malloc(a->whole);
	if (!a->base || a->base == MAP_FAILED)
		return false;
	if (a->is_mapped)
		mprotect(a->base, PAGE, PROT_NONE);
	else
		memset(a->base, 'c', CANARY);
	c->room.stack = is_small ? SMALL : 32 << 10;
	return true;
}

static void drop_alternate(const struct step *s, struct alternate *a)
{
	must(s, is_untouched(a), "the alternate stack suffices");
	if (a->is_mapped && s->arg % 2)
		syscall(SYS_munmap, a->base, a->whole);
	else if (a->is_mapped)
		munmap(a->base, a->whole);
	else
		free(a->base);
}

static bool set_alternate(struct alternate *a, struct call *c, bool quiet)
{
	stack_t new;

	if (sigaltstack(NULL, &a->old) || a->old.ss_flags & SS_ONSTACK ||
	    !take_alternate(a, c, quiet))
		return false;
	new = (stack_t){ .ss_sp = a->base + a->low, .ss_size = a->whole - a->low,
			 .ss_flags = draw_below(&c->d, 4) ? 0 : (int)AUTODISARM };
	must(c->s, sigaltstack(&new, NULL) == 0, "an alternate stack is set");
	return true;
}

/* A coroutine of a handler has left the alternate stack, on which the handler waits: the next signal
 * there would overwrite it. */
static bool is_alternate_in_use(void)
{
	stack_t now;

	return !sigaltstack(NULL, &now) && !(now.ss_flags & (SS_ONSTACK | SS_DISABLE));
}

static bool is_blocked(int sig)
{
	sigset_t set;

	return sigprocmask(SIG_BLOCK, NULL, &set) || sigismember(&set, sig);
}

static int draw_signal(struct draw *d)
{
	const int all[] = { SIGUSR1, SIGUSR2, SIGURG, SIGWINCH, SIGRTMIN + 2, SIGSEGV };
	int sig = all[draw_below(d, 6)];

	return is_blocked(sig) ? SIGUSR1 : sig;
}

static void fault(const struct step *s)
{
	char *page = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return;
	trap = page;
	*(volatile char *)page = 1;
	note(s, (uint64_t)*page);
	munmap(page, PAGE);
}

static void send_signal(const struct call *c, int sig)
{
	if (sig == SIGSEGV)
		fault(c->s);
	else if (c->room.can & CAN_THREAD && c->s->arg % 3 == 0)
		pthread_kill(pthread_self(), sig);
	else
		signal_self(sig);
}

void do_signal(const struct step *s, const struct room *r)
{
	struct call c = { .s = s, .room = *r, .d = draw_of(s), .outer = calls };
	int sig = draw_signal(&c.d);
	struct alternate a;
	bool has_alternate;

	if (is_blocked(sig)) {
		run_body(s, r);
		return;
	}
	c.room.stack = r->stack - least_stack - 2048;
	has_alternate = sig != SIGWINCH && draw_below(&c.d, 4) &&
			set_alternate(&a, &c, r->can & CAN_QUIET);
	if (!has_alternate && sig != SIGWINCH && is_alternate_in_use()) {
		run_body(s, r);
		return;
	}
	/* What was mapped for a fault is not given back then. */
	c.leaves = draw_below(&c.d, 4) == 0;
	if (sigsetjmp(c.out, 1) == 0) {
		calls = &c;
		send_signal(&c, sig);
	}
	note(s, calls == c.outer);
	if (has_alternate) {
		sigaltstack(&a.old, NULL);
		drop_alternate(s, &a);
	}
	use_blocks(s, &c.d, 2, 300);
}

/* ---- timer ---- */

/* Each handler starts the timer again when it ends: on a busy machine one may take longer than the
 * interval, and handlers without a pause would leave the program no time. */
static _Atomic unsigned int ticks;
static volatile unsigned int kind_of_tick;
static _Atomic bool is_ticking;
static _Atomic int handlers; /* that run now, perhaps in other threads */
static volatile int interval_timer; /* of setitimer(); -1: TIMER */
static timer_t timer;

static int start_timer(long us)
{
	struct itimerval interval = { .it_value.tv_usec = us };
	struct itimerspec once = { .it_value.tv_nsec = us * 1000 };

	if (interval_timer >= 0)
		return setitimer(interval_timer, &interval, NULL);
	return timer_settime(timer, 0, &once, NULL);
}

/* waitpid() is where a thread is cancelled, which would never leave its handler then. */
static void wait_in_handler(pid_t pid)
{
	int status;

	while (pid > 0 && syscall(SYS_wait4, pid, &status, 0, NULL) < 0 && errno == EINTR)
		;
}

/* What may be done wherever the program is, in malloc too. */
static void on_tick(int sig)
{
	int error = errno;
	void *map;
	pid_t pid;

	(void)sig;
	atomic_fetch_add(&handlers, 1);
	switch (kind_of_tick) {
	case 1:
		map = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (map != MAP_FAILED)
			munmap(map, 3 * PAGE);
		break;
	case 2:
		pid = _Fork();
		if (pid == 0)
			_exit(3);
		wait_in_handler(pid);
		break;
	case 3:
		pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		if (pid == 0)
			syscall(SYS_exit_group, 3);
		wait_in_handler(pid);
		break;
	default:
		break;
	}
	atomic_fetch_add(&ticks, 1);
	if (atomic_load(&is_ticking))
		start_timer(3000);
	atomic_fetch_sub(&handlers, 1);
	errno = error;
}

void signals_begin_child(void)
{
	atomic_store(&handlers, 0);
}

static void body_and_ticks(const struct step *s, struct draw *d, const struct room *r)
{
	struct room inner = room_without(r, CAN_QUIET | CAN_CHANGE);

	inner.stack -= 24 << 10;
	atomic_store(&is_ticking, true);
	note(s, (uint64_t)start_timer(2000));
	run_body(s, &inner);
	for (unsigned int i = 0; i < 100000 && atomic_load(&ticks) < 3; i++)
		free(realloc(malloc(i % 300), draw_below(d, 400) + 1));
	atomic_store(&is_ticking, false);
	/* One in another thread may be about to start the timer, whose signal would end the program. */
	while (atomic_load(&handlers) > 0)
		sched_yield();
}

static void by_interval(const struct step *s, struct draw *d, const struct room *r)
{
	static const int which[] = { ITIMER_REAL, ITIMER_PROF, ITIMER_VIRTUAL };
	static const int signals[] = { SIGALRM, SIGPROF, SIGVTALRM };
	unsigned int i = draw_below(d, 3);
	struct itimerval none = { { 0, 0 }, { 0, 0 } }, was;

	handle(signals[i], on_tick, SA_RESTART, false);
	note(s, (uint64_t)getitimer(which[i], &was));
	note(s, (uint64_t)was.it_value.tv_sec | (uint64_t)was.it_value.tv_usec);
	interval_timer = which[i];
	body_and_ticks(s, d, r);
	setitimer(which[i], &none, NULL);
	handle(signals[i], SIG_IGN, 0, false);
	signal(signals[i], SIG_DFL);
}

static void by_timer(const struct step *s, struct draw *d, const struct room *r)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 4 };

	handle(SIGRTMIN + 4, on_tick, SA_RESTART, false);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		return;
	interval_timer = -1;
	body_and_ticks(s, d, r);
	note(s, (uint64_t)timer_delete(timer));
	handle(SIGRTMIN + 4, SIG_IGN, 0, false);
}

void do_timer(const struct step *s, const struct room *r)
{
	struct draw d = draw_of(s);

	kind_of_tick = draw_below(&d, 4);
	atomic_store(&ticks, 0);
	if (draw_below(&d, 2))
		by_interval(s, &d, r);
	else
		by_timer(s, &d, r);
}
