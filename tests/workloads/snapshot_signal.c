/* snapshot_signal.c -- a program that gets SIGUSR2, which may be asked to make snapshots, and tells
 * all that it can see of that: `snapshot_signal HOW`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/lib/workload.h"

static void *volatile block;
static volatile sig_atomic_t hits, code, has_context, first_masked, itself_masked, on_stack;
static sigjmp_buf back;
static char stack[65536];

static void look(int number)
{
	sigset_t mask;
	char here;

	hits++;
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	first_masked = sigismember(&mask, SIGUSR1);
	itself_masked = sigismember(&mask, number);
	on_stack = (size_t)(&here - stack) < sizeof(stack);
	errno = EDOM;
}

static void handler(int number)
{
	look(number);
}

static void full_handler(int number, siginfo_t *info, void *context)
{
	code = info->si_code;
	has_context = context != NULL;
	look(number);
}

static void leaver(int number)
{
	look(number);
	siglongjmp(back, 1);
}

static const char *name_of(const struct sigaction *a)
{
	return a->sa_handler == SIG_DFL ? "default" : a->sa_handler == SIG_IGN ? "ignored" :
	       a->sa_handler == handler ? "handler" : a->sa_handler == leaver ? "leaver" :
	       a->sa_sigaction == full_handler ? "full handler" : "foreign";
}

static void tell(const char *when)
{
	struct sigaction a;

	sigaction(SIGUSR2, NULL, &a);
	say("%s: %s, flags %x, mask %d %d", when, name_of(&a),
	    (unsigned int)a.sa_flags & ~0x04000000u, sigismember(&a.sa_mask, SIGUSR1),
	    sigismember(&a.sa_mask, SIGHUP));
}

static void tell_hits(const char *when)
{
	say("%s: %d hits, code %d, context %d, masked %d %d, on its stack %d", when, (int)hits,
	    (int)code, (int)has_context, (int)first_masked, (int)itself_masked, (int)on_stack);
}

static void take(int flags, void (*simple)(int))
{
	struct sigaction a = { .sa_handler = simple, .sa_flags = flags };

	sigaddset(&a.sa_mask, SIGUSR1);
	if (flags & SA_SIGINFO)
		a.sa_sigaction = full_handler;
	check(sigaction(SIGUSR2, &a, NULL) == 0, "sigaction");
}

/* Sends the signal to this thread in 100 ms, then ends what it waits for. */
static int pipe_ends[2];

static void *disturb(void *main)
{
	const struct timespec pause = { 0, 100000000 };

	nanosleep(&pause, NULL);
	pthread_kill(*(pthread_t *)main, SIGUSR2);
	nanosleep(&pause, NULL);
	if (write(pipe_ends[1], "x", 1) != 1)
		_exit(97);
	return NULL;
}

static void wait_interrupted(bool poll_only)
{
	pthread_t main = pthread_self(), other;
	struct pollfd p;
	char byte;
	int result;

	check(pipe(pipe_ends) == 0, "pipe");
	pthread_create(&other, NULL, disturb, &main);
	p = (struct pollfd){ .fd = pipe_ends[0], .events = POLLIN };
	errno = 0;
	result = poll_only ? poll(&p, 1, 5000) : (int)read(pipe_ends[0], &byte, 1);
	say("%s: %d, %s", poll_only ? "poll" : "read", result,
	    result >= 0 ? "ok" : errno == EINTR ? "interrupted" : "failed");
	pthread_join(other, NULL);
}

/* Survives only where somebody else takes the signal. */
static void by_default(void)
{
	block = malloc(12345);
	tell("at first");
	raise(SIGUSR2);
	wait_interrupted(false);
	wait_interrupted(true);
	tell("at last");
	free(block);
}

static void with_handler(void)
{
	block = malloc(12345);
	take(SA_SIGINFO | SA_RESTART, NULL);
	tell("set");
	errno = 0;
	raise(SIGUSR2);
	tell_hits("raised");
	say("errno of the handler: %d", errno == EDOM);
	wait_interrupted(false);
	wait_interrupted(true);
	take(0, handler);
	tell("set again");
	wait_interrupted(false);
	siginterrupt(SIGUSR2, 0);
	tell("siginterrupt");
	wait_interrupted(false);
	siginterrupt(SIGUSR2, 1);
	tell("siginterrupt");
	tell_hits("at last");
}

static void once(void)
{
	const stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };

	sigaltstack(&own, NULL);
	take((int)SA_RESETHAND | SA_NODEFER | SA_ONSTACK | SA_RESTART, handler);
	tell("set");
	raise(SIGUSR2);
	tell_hits("raised");
	tell("afterwards");
}

static void leave(void)
{
	for (volatile int i = 0; i < 3; i++) {
		take(SA_NODEFER, leaver);
		if (sigsetjmp(back, 1) == 0)
			raise(SIGUSR2);
		block = malloc(100);
		free(block);
	}
	tell_hits("left three times");
}

static void forms(void)
{
	struct sigaction a;

	say("signal: %d", signal(SIGUSR2, handler) == SIG_DFL);
	tell("signal");
	say("signal: %d", signal(SIGUSR2, handler) == handler);
	raise(SIGUSR2);
	say("sysv_signal: %d", sysv_signal(SIGUSR2, handler) == handler);
	tell("sysv_signal");
	raise(SIGUSR2);
	tell("used up");
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
	say("sigset: %d", sigset(SIGUSR2, handler) == SIG_DFL);
	tell("sigset");
	say("sigset hold: %d", sigset(SIGUSR2, SIG_HOLD) == handler);
	raise(SIGUSR2);
	tell_hits("held");
	say("sigset again: %d", sigset(SIGUSR2, handler) == SIG_HOLD);
	tell_hits("let go");
	sigignore(SIGUSR2);
	tell("sigignore");
	sigaction(SIGUSR2, &(struct sigaction){ .sa_handler = handler }, &a);
	say("was %s", name_of(&a));
	say("error: %d", signal(SIGUSR2, SIG_ERR) == SIG_ERR && errno == EINVAL);
	say("none: %d", signal(100, SIG_DFL) == SIG_ERR && errno == EINVAL);
}

static void blocked(void)
{
	const struct timespec second = { 1, 0 };
	sigset_t only, now;
	siginfo_t info;
	int number = 0;

	take(0, handler);
	sigemptyset(&only);
	sigaddset(&only, SIGUSR2);
	sigprocmask(SIG_BLOCK, &only, NULL);
	kill(getpid(), SIGUSR2);
	sigpending(&now);
	say("pending: %d", sigismember(&now, SIGUSR2));
	sigwait(&only, &number);
	say("waited for: %d", number == SIGUSR2);
	kill(getpid(), SIGUSR2);
	say("waited for: %d", sigtimedwait(&only, &info, &second) == SIGUSR2);
	kill(getpid(), SIGUSR2);
	say("waited for: %d", sigwaitinfo(&only, &info) == SIGUSR2);
	kill(getpid(), SIGUSR2);
	int fd = signalfd(-1, &only, 0);
	struct signalfd_siginfo read_info;
	say("read: %d", read(fd, &read_info, sizeof(read_info)) == sizeof(read_info));
	tell_hits("never called");
	kill(getpid(), SIGUSR2);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	tell_hits("unblocked");
}

/* What a program that is started finds: ignored stays, handlers go. */
static void start(void)
{
	for (int i = 0; i < 2; i++) {
		pid_t pid;

		signal(SIGUSR2, i ? SIG_IGN : handler);
		pid = fork();
		if (pid == 0) {
			unsetenv("LD_PRELOAD");
			execl("/bin/sh", "sh", "-c", "kill -USR2 $$; echo survived", NULL);
			_exit(99);
		}
		int status = 0;
		waitpid(pid, &status, 0);
		say("child: %s %d", WIFSIGNALED(status) ? "signal" : "status",
		    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	}
}

/* One that is forked and has done nothing yet is asked, too. */
static void forked(void)
{
	int status = 0;
	pid_t pid;

	block = malloc(12345);
	pid = fork();
	if (pid == 0) {
		raise(SIGUSR2);
		_exit(3);
	}
	waitpid(pid, &status, 0);
	say("child: %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

/* In the middle of events of several threads. */
static volatile bool is_over;

static void *work(void *unused)
{
	while (!is_over)
		free(malloc(100));
	return unused;
}

static void storm(void)
{
	const struct timespec pause = { 0, 2000000 };
	pthread_t thread[4];

	block = malloc(12345);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	for (int i = 0; i < 100; i++) {
		pthread_kill(thread[i % 4], SIGUSR2);
		nanosleep(&pause, NULL);
	}
	is_over = true;
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	say("survived");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} how[] = { { "default", by_default }, { "handler", with_handler }, { "once", once },
		    { "leave", leave }, { "forms", forms }, { "blocked", blocked },
		    { "start", start }, { "forked", forked }, { "storm", storm } };

	free(malloc(1000));
	for (size_t i = 0; argc == 2 && i < sizeof(how) / sizeof(*how); i++) {
		if (strcmp(argv[1], how[i].name) == 0) {
			how[i].run();
			return 0;
		}
	}
	return 2;
}
