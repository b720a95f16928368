/* LDLIBS: -pthread */
/* waits.c -- a program whose threads each wait in another kind of call, and notice if it ends by
 * anything but what they wait for.
 *
 * The argument is a number of further threads, which wait by epoll_wait. Prints "ready", waits until
 * its standard input ends, ends all calls, and prints how many kinds there were and how many calls
 * returned early or with a wrong result; these are named on standard error.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_NS 400000000L
/* Time limits of sockets are in ticks of the kernel, of which the first is not a whole one. */
#define TICK_NS 20000000L

struct waiter {
	const char *name;
	long (*wait)(struct waiter *); /* returns what the call returns */
	long result;		       /* of a call that is undisturbed */
	int error;		       /* errno, if it is negative */
	bool has_limit;		       /* the call ends by itself, after LIMIT_NS */
	void (*release)(struct waiter *);
	int fd[2];
	pthread_t thread;
};

static atomic_bool is_released;
static atomic_int disturbed;
static int ends[2]; /* a pipe that becomes readable at the end */
static sem_t semaphore;
static int queue, semaphores, lock_file[2];
static pid_t child;
static const struct timespec limit = { .tv_nsec = LIMIT_NS };
static const struct timeval socket_limit = { .tv_usec = LIMIT_NS / 1000 };

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void check(bool is_right, const char *what)
{
	if (is_right)
		return;
	perror(what);
	exit(2);
}

/* ---- until something happens ------------------------------------------------------------------ */

static long wait_read(struct waiter *w)
{
	char byte;

	return read(w->fd[0], &byte, 1);
}

static void release_write(struct waiter *w)
{
	check(write(w->fd[1], "x", 1) == 1, "write");
}

/* A write that has written something returns at a stop, with what it has written: nothing can be done
 * about that. So the pipe is full before. */
static long wait_write(struct waiter *w)
{
	static char room[65536];
	const int flags = fcntl(w->fd[1], F_GETFL);

	fcntl(w->fd[1], F_SETFL, flags | O_NONBLOCK);
	while (write(w->fd[1], room, sizeof(room)) > 0)
		;
	fcntl(w->fd[1], F_SETFL, flags);
	return write(w->fd[1], room, 1);
}

static void release_read(struct waiter *w)
{
	static char room[65536];

	check(read(w->fd[0], room, sizeof(room)) > 0, "read");
}

static long wait_poll(struct waiter *w)
{
	struct pollfd p = { .fd = ends[0], .events = POLLIN };

	return poll(&p, 1, -1);
}

static long wait_select(struct waiter *w)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	return select(ends[0] + 1, &set, NULL, NULL, NULL);
}

static int epoll_of_ends(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1(0);

	check(epoll >= 0 && !epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event), "epoll");
	return epoll;
}

static long wait_epoll(struct waiter *w)
{
	struct epoll_event event;

	return epoll_wait(epoll_of_ends(), &event, 1, -1);
}

static long wait_eventfd(struct waiter *w)
{
	eventfd_t value;

	w->fd[0] = eventfd(0, 0);
	w->fd[1] = dup(w->fd[0]);
	return eventfd_read(w->fd[0], &value);
}

static void release_eventfd(struct waiter *w)
{
	check(!eventfd_write(w->fd[1], 1), "eventfd_write");
}

static long wait_sem(struct waiter *w) { return sem_wait(&semaphore); }
static void release_sem(struct waiter *w) { sem_post(&semaphore); }

static long wait_message(struct waiter *w)
{
	struct { long type; char text[8]; } message;

	return msgrcv(queue, &message, sizeof(message.text), 0, 0);
}

static void release_message(struct waiter *w)
{
	struct { long type; char text[8]; } message = { 1, "x" };

	check(!msgsnd(queue, &message, 1, 0), "msgsnd");
}

static long wait_semop(struct waiter *w)
{
	struct sembuf down = { .sem_num = 0, .sem_op = -1 };

	return semop(semaphores, &down, 1);
}

static void release_semop(struct waiter *w)
{
	struct sembuf up = { .sem_num = 0, .sem_op = 1 };

	check(!semop(semaphores, &up, 1), "semop");
}

static long wait_recv(struct waiter *w)
{
	char byte;

	check(!socketpair(AF_UNIX, SOCK_STREAM, 0, w->fd), "socketpair");
	return recv(w->fd[0], &byte, 1, 0);
}

/* The shortest address: the kernel chooses a name. */
static int listener(struct sockaddr_storage *address, socklen_t *length)
{
	sa_family_t unix_family = AF_UNIX;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	check(fd >= 0 && !bind(fd, (struct sockaddr *)&unix_family, sizeof(unix_family)) &&
	      !listen(fd, 1), "listen");
	*length = sizeof(*address);
	check(!getsockname(fd, (struct sockaddr *)address, length), "getsockname");
	return fd;
}

static long wait_accept(struct waiter *w)
{
	struct sockaddr_storage address;
	socklen_t length;

	w->fd[0] = listener(&address, &length);
	return accept(w->fd[0], NULL, NULL) < 0 ? -1 : 0;
}

static void release_accept(struct waiter *w)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);

	check(!getsockname(w->fd[0], (struct sockaddr *)&address, &length), "getsockname");
	check(!connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&address, length),
	      "connect");
}

static long wait_child(struct waiter *w)
{
	int status;

	return waitpid(child, &status, 0) == child ? WEXITSTATUS(status) : -1;
}

static void release_child(struct waiter *w) { close(w->fd[1]); }

static long wait_flock(struct waiter *w) { return flock(lock_file[1], LOCK_EX); }
static void release_flock(struct waiter *w) { flock(lock_file[0], LOCK_UN); }

static long wait_lock(struct waiter *w)
{
	struct flock range = { .l_type = F_WRLCK };

	return fcntl(lock_file[1], F_OFD_SETLKW, &range);
}

static void release_lock(struct waiter *w)
{
	struct flock range = { .l_type = F_UNLCK };

	fcntl(lock_file[0], F_OFD_SETLK, &range);
}

static long wait_siginfo(struct waiter *w)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return sigwaitinfo(&set, NULL) == SIGUSR1 ? 0 : -1;
}

static void release_siginfo(struct waiter *w) { pthread_kill(w->thread, SIGUSR1); }

static long wait_pause(struct waiter *w)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	return pause();
}

static void release_pause(struct waiter *w) { pthread_kill(w->thread, SIGUSR2); }
static void on_signal(int number) { }

/* ---- for a time ------------------------------------------------------------------------------- */

static long wait_ppoll(struct waiter *w)
{
	struct pollfd p = { .fd = w->fd[0], .events = POLLIN };

	return ppoll(&p, 1, &limit, NULL);
}

static long wait_pselect(struct waiter *w) { return pselect(0, NULL, NULL, NULL, &limit, NULL); }

static long wait_epoll_limit(struct waiter *w)
{
	struct epoll_event event;
	int epoll = epoll_create1(0);
	long result = epoll_wait(epoll, &event, 1, LIMIT_NS / 1000000);

	close(epoll);
	return result;
}

static long wait_sleep(struct waiter *w) { return nanosleep(&limit, NULL); }

static long wait_clock(struct waiter *w)
{
	const int64_t end = now_ns() + LIMIT_NS;
	const struct timespec at = { end / 1000000000, end % 1000000000 };

	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static long wait_futex(struct waiter *w)
{
	static uint32_t word;

	return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &limit, NULL, 0);
}

static long wait_semtimedop(struct waiter *w)
{
	struct sembuf down = { .sem_num = 1, .sem_op = -1 };

	return semtimedop(semaphores, &down, 1, &limit);
}

static long wait_sigtimed(struct waiter *w)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	return sigtimedwait(&set, NULL, &limit);
}

static long wait_recvmsg(struct waiter *w)
{
	char byte;
	struct iovec part = { &byte, 1 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	check(!socketpair(AF_UNIX, SOCK_STREAM, 0, w->fd), "socketpair");
	setsockopt(w->fd[0], SOL_SOCKET, SO_RCVTIMEO, &socket_limit, sizeof(socket_limit));
	long result = recvmsg(w->fd[0], &message, 0);
	int error = errno;
	close(w->fd[0]);
	close(w->fd[1]);
	errno = error;
	return result;
}

static long wait_accept_limit(struct waiter *w)
{
	struct sockaddr_storage address;
	socklen_t length;
	int fd = listener(&address, &length);

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &socket_limit, sizeof(socket_limit));
	long result = accept(fd, NULL, NULL);
	int error = errno;
	close(fd);
	errno = error;
	return result;
}

static long wait_events(struct waiter *w)
{
	aio_context_t context = 0;
	struct io_event event;
	struct timespec time = limit;

	if (syscall(SYS_io_setup, 1, &context) < 0)
		return nanosleep(&limit, NULL); /* not on this machine */
	long result = syscall(SYS_io_getevents, context, 1, 1, &event, &time);
	int error = errno;
	syscall(SYS_io_destroy, context);
	errno = error;
	return result;
}

/* ---- all -------------------------------------------------------------------------------------- */

static struct waiter all[] = {
	{ "read", wait_read, 1, 0, false, release_write },
	{ "write", wait_write, 1, 0, false, release_read },
	{ "poll", wait_poll, 1 },
	{ "select", wait_select, 1 },
	{ "epoll_wait", wait_epoll, 1 },
	{ "eventfd", wait_eventfd, 0, 0, false, release_eventfd },
	{ "sem_wait", wait_sem, 0, 0, false, release_sem },
	{ "msgrcv", wait_message, 1, 0, false, release_message },
	{ "semop", wait_semop, 0, 0, false, release_semop },
	{ "recv", wait_recv, 1, 0, false, release_write },
	{ "accept", wait_accept, 0, 0, false, release_accept },
	{ "waitpid", wait_child, 7, 0, false, release_child },
	{ "flock", wait_flock, 0, 0, false, release_flock },
	{ "fcntl", wait_lock, 0, 0, false, release_lock },
	{ "sigwaitinfo", wait_siginfo, 0, 0, false, release_siginfo },
	{ "pause", wait_pause, -1, EINTR, false, release_pause },
	{ "ppoll", wait_ppoll, 0, 0, true },
	{ "pselect", wait_pselect, 0, 0, true },
	{ "epoll_wait with a limit", wait_epoll_limit, 0, 0, true },
	{ "nanosleep", wait_sleep, 0, 0, true },
	{ "clock_nanosleep", wait_clock, 0, 0, true },
	{ "futex", wait_futex, -1, ETIMEDOUT, true },
	{ "semtimedop", wait_semtimedop, -1, EAGAIN, true },
	{ "sigtimedwait", wait_sigtimed, -1, EAGAIN, true },
	{ "recvmsg with a limit", wait_recvmsg, -1, EAGAIN, true },
	{ "accept with a limit", wait_accept_limit, -1, EAGAIN, true },
	{ "io_getevents", wait_events, 0, 0, true },
};
#define KINDS (sizeof(all) / sizeof(*all))

static void *run_waiter(void *arg)
{
	struct waiter *w = arg;

	do {
		const int64_t begin = now_ns();
		const long result = w->wait(w);
		const int error = result < 0 ? errno : 0;
		const int64_t time = now_ns() - begin;
		const bool is_early = w->has_limit ? time < LIMIT_NS - TICK_NS : !is_released;

		if (result == w->result && error == w->error && !is_early)
			continue;
		disturbed++;
		fprintf(stderr, "%s: %ld, errno %d, after %ld ns\n", w->name, result, error,
			(long)time);
		if (!w->has_limit)
			break;
	} while (w->has_limit && !is_released);
	return NULL;
}

static void prepare(void)
{
	char name[] = "waits.XXXXXX", byte;
	int until[2];
	struct flock range = { .l_type = F_WRLCK };
	sigset_t set;

	signal(SIGUSR2, on_signal);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	check(!pipe(until) && (child = fork()) >= 0, "fork");
	if (child == 0) {
		close(until[1]);
		_exit(read(until[0], &byte, 1) == 0 ? 7 : 8);
	}
	close(until[0]);
	sem_init(&semaphore, 0, 0);
	queue = msgget(IPC_PRIVATE, 0600);
	semaphores = semget(IPC_PRIVATE, 2, 0600);
	check(queue >= 0 && semaphores >= 0, "System V IPC");
	lock_file[0] = mkstemp(name);
	lock_file[1] = open(name, O_RDWR | O_CLOEXEC);
	check(!unlink(name) && !flock(lock_file[0], LOCK_EX) &&
	      !fcntl(lock_file[0], F_OFD_SETLK, &range), "locks");
	for (size_t i = 0; i < KINDS; i++)
		check(!pipe(all[i].fd), "pipe");
	check(!pipe(ends), "pipe");
	for (size_t i = 0; i < KINDS; i++)
		if (all[i].wait == wait_child)
			all[i].fd[1] = until[1];
}

static void release_all(void)
{
	is_released = true;
	check(write(ends[1], "x", 1) == 1, "write");
	for (size_t i = 0; i < KINDS; i++)
		if (all[i].release)
			all[i].release(&all[i]);
}

int main(int argc, char **argv)
{
	const size_t more = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	struct waiter further = { "one of many", wait_epoll, 1 };
	pthread_t *thread = calloc(more + 1, sizeof(*thread));
	pthread_attr_t small;
	char byte;

	prepare();
	for (size_t i = 0; i < KINDS; i++)
		check(!pthread_create(&all[i].thread, NULL, run_waiter, &all[i]), "thread");
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (size_t i = 0; i < more; i++)
		check(!pthread_create(&thread[i], &small, run_waiter, &further), "thread");
	usleep(200000); /* most wait by then */
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	release_all();
	for (size_t i = 0; i < KINDS; i++)
		pthread_join(all[i].thread, NULL);
	for (size_t i = 0; i < more; i++)
		pthread_join(thread[i], NULL);
	msgctl(queue, IPC_RMID, NULL);
	semctl(semaphores, 0, IPC_RMID);
	printf("kinds=%zu disturbed=%d\n", KINDS, disturbed);
	free(thread);
	return 0;
}
