/* forks.c -- species of processes: fork (memory of its own), share (the parent's memory), orphan (its
 * parent has ended), headless (its first thread has ended).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/zoo/zoo.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/zoo/older_libc.h"

void signal_self(int sig)
{
	syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), sig);
}

void child_begin(void)
{
	atomic_store(&zoo_sum, 0);
	signals_begin_child();
}

_Noreturn void child_end(struct draw *d, bool is_plain)
{
	int status = zoo_status();

	switch (is_plain ? 0 : draw_below(d, 8)) {
	case 1:
	case 2:
		exit(status);
	case 3:
		quick_exit(status);
	case 4:
		signal(SIGTERM, SIG_DFL);
		syscall(SYS_kill, syscall(SYS_getpid), status % 2 ? SIGKILL : SIGTERM);
		/* fall through */
	default:
		_exit(status);
	}
}

void child_wait(const struct step *s, pid_t pid, int options)
{
	int status = -1;
	pid_t got;

	do
		got = waitpid(pid, &status, options);
	while (got < 0 && errno == EINTR);
	must(s, got == pid, "the child is waited for");
	note(s, (uint64_t)status);
	if (WIFSIGNALED(status))
		must(s, WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM, "the child lives");
}

/* What a child can do whose parent had other threads, or not. */
static struct room child_room(const struct room *r)
{
	struct room inner = *r;

	if (!(r->can & CAN_ALONE))
		inner.can &= ~(unsigned int)CAN_LOAD;
	inner.can |= CAN_ALONE | CAN_QUIET;
	return inner;
}

static _Noreturn void live(const struct step *s, struct draw *d, struct room inner)
{
	child_begin();
	use_blocks(s, d, 5, 900);
	run_body(s, &inner);
	child_end(d, !(inner.can & CAN_LOAD));
}

struct child {
	const struct step *s;
	struct draw d;
	struct room room;
};

static int live_on_stack(void *arg)
{
	struct child *c = arg;

	live(c->s, &c->d, c->room);
}

/* A copy with a stack of its own, by clone(). */
static pid_t clone_on_stack(struct child *c, const struct room *r, struct place *p)
{
	c->room = child_room(r);
	c->room.can &= ~(unsigned int)(CAN_THREAD | CAN_CHANGE | CAN_FORK | CAN_LOAD);
	if (!place_take(p, &c->d, r->can & CAN_QUIET))
		return -1;
	c->room.stack = place_room(p);
	return clone(live_on_stack, p->base + (p->size & ~(size_t)15), SIGCHLD, c);
}

static pid_t fork_somehow(unsigned int how)
{
	switch (how) {
	case 1:
		return _Fork();
	case 2:
		return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#ifdef SYS_fork
	case 3:
		return (pid_t)syscall(SYS_fork);
#endif
	default:
		return fork();
	}
}

void do_fork(const struct step *s, const struct room *r)
{
	struct child c = { .s = s, .d = draw_of(s) };
	unsigned int how = draw_below(&c.d, 8);
	struct place place = { NULL };
	pid_t pid;

	if (!(r->can & CAN_ALONE))
		how = 0;
	if (how == 4) {
		pid = clone_on_stack(&c, r, &place);
	} else {
		c.room = child_room(r);
		/* libc does not know that this is another process. */
		if (how == 2 || how == 3)
			c.room.can &= ~(unsigned int)(CAN_THREAD | CAN_CHANGE | CAN_FORK | CAN_LOAD);
		pid = fork_somehow(how);
		if (pid == 0)
			live(s, &c.d, c.room);
	}
	note(s, pid > 0);
	if (draw_below(&c.d, 2))
		use_blocks(s, &c.d, 5, 900);
	if (pid > 0)
		child_wait(s, pid, 0);
	if (place.base)
		place_drop(&place, &c.d);
}

/* ---- share ---- */

/* The sum is the parent's, too: this child's status says nothing. */
static _Noreturn void live_shared(const struct step *s, struct draw *d, const struct room *r)
{
	use_blocks(s, d, 5, 900);
	run_body(s, r);
	if (draw_below(d, 4) == 0)
		syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
	_exit(9);
}

static int share_on_stack(void *arg)
{
	struct child *c = arg;

	live_shared(c->s, &c->d, &c->room);
}

static __attribute__((noinline)) pid_t share_vfork(struct child *c)
{
	pid_t pid = vfork();

	if (pid == 0)
		live_shared(c->s, &c->d, &c->room);
	return pid;
}

void do_share(const struct step *s, const struct room *r)
{
	struct child c = { .s = s, .d = draw_of(s) };
	unsigned int how = draw_below(&c.d, 4);
	struct place place = { NULL };
	pid_t pid;

	c.room = room_without(r, CAN_THREAD | CAN_CHANGE | CAN_FORK | CAN_LOAD);
	if (how < 2) {
		c.room.stack -= 4096;
		pid = share_vfork(&c);
	} else if (place_take(&place, &c.d, r->can & CAN_QUIET)) {
		c.room.stack = place_room(&place);
		pid = clone(share_on_stack, place.base + (place.size & ~(size_t)15),
			    CLONE_VM | (how == 2 ? CLONE_VFORK : 0) | SIGCHLD, &c);
	} else {
		return;
	}
	note(s, pid > 0);
	if (pid > 0)
		child_wait(s, pid, 0);
	if (place.base)
		place_drop(&place, &c.d);
}

/* ---- orphan ---- */

void do_orphan(const struct step *s, const struct room *r)
{
	struct draw d = draw_of(s);
	_Atomic pid_t *told = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	if (told == MAP_FAILED)
		return;
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	pid = fork();
	if (pid == 0) {
		pid_t orphan = draw_below(&d, 2) && r->can & CAN_ALONE ? _Fork() : fork();

		if (orphan == 0)
			live(s, &d, child_room(r));
		*told = orphan;
		_exit(orphan > 0 ? 3 : 4);
	}
	note(s, pid > 0);
	if (pid > 0)
		child_wait(s, pid, 0);
	if (pid > 0 && *told > 0)
		child_wait(s, *told, 0);
	munmap((void *)told, 4096);
}

/* ---- headless ---- */

/* Returns whether the first thread has ended, also if nobody can tell. */
static bool is_headless(void)
{
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	char text[64];
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *state;

	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	state = strrchr(text, ')');
	return !state || state[2] == 'Z';
}

static void *live_headless(void *arg)
{
	struct child *c = arg;

	while (!is_headless())
		sched_yield();
	live(c->s, &c->d, c->room);
}

void do_headless(const struct step *s, const struct room *r)
{
	static struct child c;
	struct draw d = draw_of(s);
	pthread_t thread;
	pid_t pid = fork();

	note(s, pid > 0);
	if (pid == 0) {
		c = (struct child){ .s = s, .d = d, .room = child_room(r) };
		c.room.stack = 1 << 20;
		if (pthread_create(&thread, NULL, live_headless, &c))
			_exit(99);
		/* Not pthread_exit(): it unwinds the stack, which may be a coroutine's. */
		for (;;)
			syscall(SYS_exit, 0);
	}
	if (pid > 0)
		child_wait(s, pid, 0);
}
