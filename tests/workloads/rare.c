/* LDLIBS: -lrt -lanl -ldl */
/* rare.c -- what few programs do: each KIND does one thing, and says how it went.
 *
 *	rare sibling	a child of its parent's (CLONE_PARENT)
 *	rare notified	timers, asynchronous I/O and message queues that call functions in new threads
 *	rare disarmed	signal handlers on a stack that a nested one may use again (SS_AUTODISARM)
 *	rare apart	another C library beside its own (dlmopen)
 *	rare traced	a child that it traces, step by step
 *	rare executed	fexecve, execveat, a script without "#!", a program that is not there
 *	rare spawned	posix_spawn, system, popen
 *	rare prepared	handlers of fork that allocate, in four threads that fork
 *	rare named	functions of libc that load modules: users, character sets, addresses
 *	rare closed	close_range over everything
 *	rare renamed	its arguments and environment overwritten by a title
 *	rare confined	limits of 0, small stacks
 *	rare unmasked	exceptions for all that floating point arithmetic can raise
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <aio.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <iconv.h>
#include <mqueue.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_close_range /* headers before Linux 5.9 */
#define SYS_close_range 436
#endif

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

enum { MOST = 300 };

static atomic_int calls;

static void use(int blocks, size_t size)
{
	void *volatile block[MOST];

	for (int i = 0; i < blocks; i++)
		block[i] = memset(malloc(size + (size_t)i), 1, size);
	for (int i = 0; i < blocks; i++)
		free(block[i]);
}

/* The status of a child that has ended, or -1. */
static int status_of(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int end_of_sibling(void *unused)
{
	(void)unused;
	use(20, 100);
	_exit(3);
}

static int sibling(void)
{
	const size_t size = 1 << 16;
	char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	printf("%d\n", clone(end_of_sibling, stack + size, CLONE_PARENT | SIGCHLD, NULL) > 0);
	use(20, 200);
	usleep(100000);
	return 4;
}

static void on_notice(union sigval unused)
{
	(void)unused;
	use(20, 100);
	atomic_fetch_add(&calls, 1);
}

static void await_calls(int count)
{
	while (atomic_load(&calls) < count)
		usleep(1000);
	atomic_store(&calls, 0);
}

static struct sigevent in_thread(void)
{
	return (struct sigevent){ .sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_notice };
}

static void use_timer(void)
{
	const struct itimerspec often = { { 0, 5000000 }, { 0, 5000000 } };
	struct sigevent event = in_thread();
	timer_t timer;

	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &often, NULL);
	await_calls(10);
	timer_delete(timer);
}

static long write_asynchronously(void)
{
	static char text[4096];
	struct sigevent event = in_thread();
	struct aiocb part[8], *list[8];
	int fd = open(".", O_TMPFILE | O_RDWR, 0600);
	long written = 0;

	for (int i = 0; i < 8; i++) {
		part[i] = (struct aiocb){ .aio_fildes = fd, .aio_buf = text, .aio_nbytes = sizeof(text),
					  .aio_offset = i * 4096, .aio_lio_opcode = LIO_WRITE };
		list[i] = &part[i];
	}
	lio_listio(LIO_NOWAIT, list, 8, &event);
	await_calls(1);
	for (int i = 0; i < 8; i++) {
		/* A late call of the timer may have come before. */
		while (aio_error(&part[i]) == EINPROGRESS)
			usleep(1000);
		written += aio_return(&part[i]);
	}
	close(fd);
	return written;
}

static int notified(void)
{
	struct mq_attr attr = { .mq_maxmsg = 2, .mq_msgsize = 10 };
	struct sigevent event = in_thread();
	char name[40];
	mqd_t queue;

	use_timer();
	printf("%ld\n", write_asynchronously());
	snprintf(name, sizeof(name), "/memusage-rare-%d", (int)getpid());
	queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attr);
	if (queue < 0)
		return 0;
	atomic_store(&calls, 0);
	mq_notify(queue, &event);
	mq_send(queue, "x", 1, 0);
	await_calls(1);
	mq_unlink(name);
	return 0;
}

static volatile int depth, handled;

static void on_signal(int number)
{
	handled++;
	if (depth++ < 2)
		raise(number);
	depth--;
}

static int disarmed(void)
{
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536, .ss_flags = (int)SS_AUTODISARM }, now;
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER };

	printf("%d\n", sigaltstack(&stack, NULL));
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 50; i++) {
		raise(SIGUSR1);
		use(5, 50);
	}
	sigaltstack(NULL, &now);
	printf("%d %d\n", handled, now.ss_sp == stack.ss_sp);
	return 0;
}

static int apart(void)
{
	void *library = dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW), *block[100];
	void *(*its_malloc)(size_t) = (void *(*)(size_t))dlsym(library, "malloc");
	void (*its_free)(void *) = (void (*)(void *))dlsym(library, "free");

	for (size_t i = 0; i < 100; i++)
		block[i] = its_malloc(100 * i);
	use(100, 1000);
	for (size_t i = 0; i < 100; i++)
		its_free(block[i]);
	printf("%d\n", dlclose(library));
	use(100, 1000);
	return 0;
}

static int traced(void)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		use(50, 100);
		_exit(5);
	}
	waitpid(pid, &status, 0);
	for (int i = 0; WIFSTOPPED(status); i++) {
		ptrace(i < 2000 ? PTRACE_SINGLESTEP : PTRACE_SYSCALL, pid, NULL, NULL);
		waitpid(pid, &status, 0);
	}
	printf("%d\n", WEXITSTATUS(status));
	return 0;
}

static int executed(void)
{
	char *words[] = { "echo", "executed", NULL };
	FILE *script = fopen("no-interpreter", "w");
	pid_t pid;

	fputs("echo script $1; exit 6\n", script);
	fclose(script);
	chmod("no-interpreter", 0755);
	for (int how = 0; how < 4; how++) {
		pid = fork();
		if (pid == 0) {
			if (how == 0)
				fexecve(open("/bin/echo", O_RDONLY | O_CLOEXEC), words, environ);
			else if (how == 1)
				syscall(SYS_execveat, AT_FDCWD, "/bin/echo", words, environ, 0);
			else if (how == 2)
				execlp("./no-interpreter", "no-interpreter", "word", (char *)NULL);
			else
				execl("/nonexistent", "nonexistent", (char *)NULL);
			use(10, 10);
			_exit(errno);
		}
		dprintf(1, "%d: %d\n", how, status_of(pid));
	}
	return 0;
}

static int spawned(void)
{
	char *words[] = { "echo", "spawned", NULL }, line[32] = "";
	posix_spawnattr_t attr;
	pid_t pid = -1;
	FILE *pipe;
	int error;

	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_RESETIDS);
	error = posix_spawnp(&pid, "echo", NULL, &attr, words, environ);
	dprintf(1, "%d %d\n", status_of(pid), error);
	dprintf(1, "%d\n", posix_spawn(&pid, "/nonexistent", NULL, NULL, words, environ));
	dprintf(1, "%d\n", WEXITSTATUS(system("exit 3")));
	pipe = popen("echo through a pipe", "r");
	if (pipe && fgets(line, sizeof(line), pipe))
		dprintf(1, "%s%d\n", line, pclose(pipe));
	return 0;
}

static void prepare(void) { use(5, 100); }
static void follow_in_parent(void) { use(5, 200); }
static void follow_in_child(void) { use(5, 300); }

static void *fork_often(void *unused)
{
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			use(5, 10);
			_exit(i);
		}
		if (status_of(pid) != i)
			puts("a child has ended otherwise");
	}
	return unused;
}

static int prepared(void)
{
	pthread_t thread[4];

	pthread_atfork(prepare, follow_in_parent, follow_in_child);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, fork_often, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	puts("forked");
	return 0;
}

static int named(void)
{
	struct gaicb question = { .ar_name = "localhost" }, *list[] = { &question };
	iconv_t conversion = iconv_open("UTF-16", "EUC-JP");
	struct passwd *user = getpwuid(0);

	printf("%s\n", user ? user->pw_name : "nobody");
	printf("%d\n", conversion != (iconv_t)-1);
	if (conversion != (iconv_t)-1)
		iconv_close(conversion);
	printf("%d\n", getaddrinfo_a(GAI_WAIT, list, 1, NULL));
	printf("%d\n", gai_error(&question));
	if (question.ar_result)
		freeaddrinfo(question.ar_result);
	return 0;
}

static int closed(void)
{
	int out = dup(1);
	pid_t pid;

	syscall(SYS_close_range, 0, out - 1, 2 /* CLOSE_RANGE_UNSHARE */);
	use(10, 20);
	pid = fork();
	if (pid == 0) {
		syscall(SYS_close_range, 0, ~0U, 0);
		use(5, 6);
		_exit(2);
	}
	dprintf(out, "%d %d\n", status_of(pid), open("/dev/null", O_RDONLY));
	close(out);
	use(10, 5);
	return 0;
}

static int renamed(char **argv)
{
	char **copy = calloc(1000, sizeof(*copy)), *last = argv[1];
	pid_t pid;

	for (int i = 0; i < 999 && environ[i]; i++) {
		last = environ[i];
		copy[i] = strdup(last);
	}
	memset(argv[0], 0, (size_t)(last + strlen(last) - argv[0]));
	strcpy(argv[0], "a title");
	environ = copy;
	use(30, 100);
	pid = fork();
	if (pid == 0) {
		use(10, 10);
		execlp("sh", "sh", "-c", "echo child; exit 6", (char *)NULL);
	}
	dprintf(1, "%d\n", status_of(pid));
	return 0;
}

static int confined(void)
{
	struct rlimit limit = { 64 << 10, 64 << 10 };
	pid_t pid;

	setrlimit(RLIMIT_STACK, &limit);
	pid = fork();
	if (pid == 0)
		execlp("echo", "echo", "a small stack", (char *)NULL);
	dprintf(1, "%d\n", status_of(pid));
	limit = (struct rlimit){ 0, 0 };
	setrlimit(RLIMIT_NOFILE, &limit);
	use(20, 20);
	setrlimit(RLIMIT_NPROC, &limit);
	setrlimit(RLIMIT_FSIZE, &limit);
	setrlimit(RLIMIT_MEMLOCK, &limit);
	setrlimit(RLIMIT_SIGPENDING, &limit);
	use(30, 30);
	return 5;
}

#if defined(__x86_64__)
static int unmasked(void)
{
	unsigned int old, strict;
	pid_t pid;

	__asm__ volatile("stmxcsr %0" : "=m"(old));
	strict = old & ~0x1f80u;
	__asm__ volatile("ldmxcsr %0" : : "m"(strict));
	use(300, 300);
	pid = fork();
	if (pid == 0) {
		use(10, 10);
		_exit(3);
	}
	use(10, 10);
	__asm__ volatile("ldmxcsr %0" : : "m"(old));
	printf("%d\n", status_of(pid));
	return 0;
}
#else
static int unmasked(void) { return 0; }
#endif

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*call)(void);
	} kinds[] = {
		{ "sibling", sibling }, { "notified", notified }, { "disarmed", disarmed }, { "apart", apart },
		{ "traced", traced }, { "executed", executed }, { "spawned", spawned }, { "prepared", prepared },
		{ "named", named }, { "closed", closed }, { "confined", confined }, { "unmasked", unmasked },
	};

	if (argc == 2 && strcmp(argv[1], "renamed") == 0)
		return renamed(argv);
	for (size_t i = 0; argc == 2 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(argv[1], kinds[i].name) == 0)
			return kinds[i].call();
	return 2;
}
