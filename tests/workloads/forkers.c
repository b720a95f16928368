/* forkers.c -- forks that meet: other forks, handlers, ends of threads: `forkers HOW [COUNT]`.
 *
 * Every child makes and frees three blocks of 5000 bytes, and ends with a status of its own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "tests/lib/fork_work.h"
#include "tests/lib/workload.h"

/* OWN blocks make an image that takes a while to copy. */
enum { OWN = 20000, THREADS = 6, STATUS = 23, PATIENCE = 20000 };

static void *own[OWN];
static volatile bool stop;
static int each; /* forks of a thread */
static pthread_barrier_t barrier;

static void fork_one(void)
{
	pid_t pid = fork();

	if (!pid) {
		child_work();
		_exit(STATUS);
	}
	reap(pid, STATUS);
}

static void *forks(void *unused)
{
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < each; i++)
		fork_one();
	return unused;
}

static void *hammer(void *unused)
{
	void *block[64] = { NULL };

	for (unsigned int i = 0; !stop; i++) {
		free(block[i % 64]);
		block[i % 64] = malloc(200 + i % 50 * 8);
	}
	for (int i = 0; i < 64; i++)
		free(block[i]);
	return unused;
}

/* Short-lived threads: their ends and their forks' copies meet. */
static void *ends(void *unused)
{
	free(malloc(200));
	return unused;
}

static void *makes_threads(void *unused)
{
	while (!stop) {
		pthread_t id;
		check(!pthread_create(&id, NULL, ends, NULL), "pthread_create");
		pthread_join(id, NULL);
	}
	return unused;
}

static void tell(void)
{
	say("truth 96-111 count=%d", OWN);
	say("truth 4992-5007 count=0");
}

/* COUNT children, each with some CALLS and BYTES beyond its usual work. */
static void tell_children(int count, int calls, int bytes)
{
	say("truth child calls=%d bytes=%d", count * (6 + calls), count * (15000 + bytes));
}

/* THREADS threads make COUNT forks each, all at once; HELPERS do something else meanwhile. */
static void fork_at_once(int count, void *(*const *helper)(void *), int helpers)
{
	pthread_t id[THREADS], other[4];

	make_own(own, OWN);
	each = count;
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < helpers; i++)
		check(!pthread_create(&other[i], NULL, helper[i], NULL), "pthread_create");
	for (int i = 0; i < THREADS; i++)
		check(!pthread_create(&id[i], NULL, forks, NULL), "pthread_create");
	for (int i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	stop = true;
	for (int i = 0; i < helpers; i++)
		pthread_join(other[i], NULL);
	tell();
}

static void at_once(int count)
{
	fork_at_once(count, NULL, 0);
	tell_children(THREADS * count, 0, 0);
}

static void busy(int count)
{
	static void *(*const helper[])(void *) = { hammer, makes_threads };

	fork_at_once(count, helper, 2);
	tell_children(THREADS * count, 0, 0);
}

/* ---- prepare handlers that overlap ------------------------------------------------------- */

static int inside, overlaps;

/* Waits until another thread is in here, too; not for ever, since libc may let in one at a time. */
static void prepare(void)
{
	void *block = malloc(700);

	if (__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) > 1)
		__atomic_add_fetch(&overlaps, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 100 && __atomic_load_n(&inside, __ATOMIC_SEQ_CST) < 2; i++)
		sched_yield();
	free(block);
}

static void parent(void)
{
	__atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
	free(malloc(700));
}

static void child(void)
{
	free(malloc(700));
}

static void overlap(int count)
{
	check(!pthread_atfork(prepare, parent, child), "pthread_atfork");
	fork_at_once(count, NULL, 0);
	say("truth 688-703 count=%d", 2 * THREADS * count);
	tell_children(THREADS * count, 2, 700);
	say("overlapped=%s", overlaps ? "yes" : "no");
}

/* ---- a fork in a signal handler ---------------------------------------------------------- */

static volatile sig_atomic_t handled;
static int earlier; /* pairs of malloc and free before the first fork */
static pid_t (*fork_of_handler)(void) = fork;

static pid_t fork_by_clone(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

#ifdef SYS_fork
static pid_t fork_by_fork(void)
{
	return (pid_t)syscall(SYS_fork);
}
#else
#define fork_by_fork fork_by_clone
#endif

static void fork_in_handler(int number)
{
	const struct itimerval next = { { 0, 0 }, { 0, 400 } };
	pid_t pid = fork_of_handler();

	(void)number;
	/* The child returns to what was interrupted, and ends when it has come out of it. */
	if (!pid)
		stop = true;
	else
		reap(pid, STATUS);
	handled++;
	/* Not by itself: on a busy machine the next would come before anything was done. */
	if (pid)
		setitimer(ITIMER_REAL, &next, NULL);
}

/* Forks that interrupt malloc and free wherever they are; one thread, or libc's own locks would
 * be held in the child. */
static void in_handler(int count)
{
	struct sigaction action = { .sa_handler = fork_in_handler, .sa_flags = SA_RESTART };
	struct itimerval first = { { 0, 0 }, { 0, 400 } }, never = { { 0, 0 }, { 0, 0 } };
	sigset_t alarm;
	pid_t self = getpid();
	int made = earlier;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &first, NULL);
	for (; handled < count && !stop; made++)
		free(malloc(100));
	/* No child may begin after it was asked whether this is one. */
	sigprocmask(SIG_BLOCK, &alarm, NULL);
	if (getpid() != self) {
		for (int i = 0; i < 100; i++)
			free(malloc(200));
		_exit(STATUS);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	say("truth malloc calls=%d bytes=%d", made, made * 100);
	say("truth free calls=%d", made);
	say("truth 192-207 count=0");
}

/* The same after so many events that a recorder may have megabytes of them: a child that copied these
 * would touch thousands of pages. */
enum { EVENTS = 600000, PAGES = 500 };

static pid_t fork_of_few_pages(void)
{
	struct rusage usage;
	pid_t pid = fork_by_clone();

	if (!pid && (getrusage(RUSAGE_SELF, &usage) || usage.ru_minflt > PAGES))
		_exit(STATUS + 1);
	return pid;
}

static void long_in_handler(int count)
{
	for (; earlier < EVENTS; earlier++)
		free(malloc(100));
	fork_of_handler = fork_of_few_pages;
	in_handler(count);
}

/* libc's handlers of forks know nothing of these. */
static void clone_in_handler(int count)
{
	fork_of_handler = fork_by_clone;
	in_handler(count);
}

static void raw_in_handler(int count)
{
	fork_of_handler = fork_by_fork;
	in_handler(count);
}

#if __GLIBC_PREREQ(2, 34)
static void bare_in_handler(int count)
{
	fork_of_handler = _Fork;
	in_handler(count);
}
#else
#define bare_in_handler raw_in_handler
#endif

/* ---- a handler that libc runs after all others ---------------------------------------------- */

enum { GO = 1, DONE = 2 };
static void (*last_prepare)(void), (*first_child)(void);
static volatile int turn;
static sigjmp_buf back;

static void run_last_prepare(void)
{
	if (last_prepare)
		last_prepare();
}

static void run_first_child(void)
{
	if (first_child)
		first_child();
}

/* A function of an object, in whose file the names follow the symbols. dlsym() would find what
 * stands in for it, and dlopen() here keeps glibc 2.36 from setting `environ`. */
static void *find_in(const struct link_map *object, const char *name)
{
	const ElfW(Sym) *symbol = NULL;
	const char *names = NULL;

	for (const ElfW(Dyn) *entry = object->l_ld; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			symbol = (const ElfW(Sym) *)entry->d_un.d_ptr;
		if (entry->d_tag == DT_STRTAB)
			names = (const char *)entry->d_un.d_ptr;
	}
	for (; (const char *)symbol < names; symbol++)
		if (symbol->st_value && !strcmp(names + symbol->st_name, name))
			return (void *)(object->l_addr + symbol->st_value);
	return NULL;
}

/* Registered before any library's constructor runs, and past whoever stands in for libc: so it is
 * the last prepare handler, right before the fork, and the first one in the child. */
static void register_first(void)
{
	struct link_map *libc = _r_debug.r_map;
	int (*add)(void (*)(void), void (*)(void), void (*)(void), void *) = NULL;

	while (libc && !strstr(libc->l_name, "/libc.so"))
		libc = libc->l_next;
	if (libc)
		*(void **)&add = find_in(libc, "__register_atfork");
	if (add)
		add(run_last_prepare, NULL, run_first_child, NULL);
}

__attribute__((section(".preinit_array"), used)) static void (*const early)(void) = register_first;

/* What libc does itself there: it waits for a lock whose owner may be about to allocate. */
static void await_other(void)
{
	turn = GO;
	while (turn != DONE)
		sched_yield();
}

static void *is_awaited(void *unused)
{
	for (int i = 0; i < each; i++) {
		while (turn != GO)
			sched_yield();
		free(malloc(400));
		turn = DONE;
	}
	return unused;
}

/* The other thread allocates between the copy of the image and the fork. */
static void late(int count)
{
	pthread_t id;

	each = count;
	check(!pthread_create(&id, NULL, is_awaited, NULL), "pthread_create");
	last_prepare = await_other;
	for (int i = 0; i < count; i++)
		fork_one();
	last_prepare = NULL;
	pthread_join(id, NULL);
	fork_one();
	say("truth 400-415 count=%d", count);
	tell_children(1, 0, 0);
}

static void jump_out(void)
{
	free(malloc(400));
	siglongjmp(back, 1);
}

/* It leaves the fork, which never comes to its end. (The locks that libc holds then are its own
 * and recursive, or not yet taken.) */
static void leave(int count)
{
	pthread_t id;
	volatile int i = 0;

	check(!pthread_create(&id, NULL, hammer, NULL), "pthread_create");
	last_prepare = jump_out;
	for (; i < count; i++)
		if (!sigsetjmp(back, 1))
			fork_one();
	last_prepare = NULL;
	for (int k = 0; k < 10; k++)
		fork_one();
	stop = true;
	pthread_join(id, NULL);
	tell_children(10, 0, 0);
}

/* ---- a child that begins when its parent is long gone ------------------------------------ */

static void sleep_long(void)
{
	sleep(4);
}

/* Many children come while it sleeps. */
static void orphan(int count)
{
	int status;
	int children = 1;
	pid_t pid;

	(void)count;
	make_own(own, OWN);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (!fork()) {
		first_child = sleep_long;
		if (fork())
			_exit(STATUS);
		child_work();
		_exit(STATUS);
	}
	check((pid = wait(&status)) > 0 && status == STATUS << 8, "the parent's status");
	for (; (pid = waitpid(-1, &status, WNOHANG)) == 0; children++) {
		fork_one();
		usleep(5000);
	}
	check(pid > 0 && status == STATUS << 8, "the orphan's status");
	tell();
	tell_children(children, 0, 0);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(int);
	} way[] = {
		{ "at-once", at_once }, { "busy", busy }, { "overlap", overlap },
		{ "handler", in_handler }, { "clone-handler", clone_in_handler },
		{ "raw-handler", raw_in_handler }, { "bare-handler", bare_in_handler },
		{ "long-handler", long_in_handler },
		{ "orphan", orphan }, { "late", late }, { "leave", leave },
	};
	int count = argc > 2 ? atoi(argv[2]) : 1;

	for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++)
		if (argc > 1 && !strcmp(argv[1], way[i].name))
			way[i].run(count);
	return 0;
}
