/* stack_frames.c -- The frames of stopped threads: which part of a stack belongs to which function.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/unwind/stack_frames.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"
#include "profile/base/limits.h"
#include "profile/base/seal.h"
#include "profile/unwind/stack_walk.h"

enum {
	SECONDS = 10,		/* of CPU for all threads */
	PATIENCE_S = 60,	/* in all, on a busy machine */
	FRAMES_ALL = 1 << 20,	/* of all threads */
	SENT_TOGETHER = 64
};
#define MEMORY (UINT64_C(1) << 30)

/* ---- the child -------------------------------------------------------------------------- */

/* Not by exit(), since exit handlers and buffers are the parent's. */
__attribute__((noreturn)) static void leave_child(void)
{
	for (;;)
		syscall(SYS_exit_group, 0);
}

struct sender {
	struct stack_frame frame[SENT_TOGETHER];
	size_t count;
	int fd;
};

static void send_frames(struct sender *s)
{
	const char *from = (const char *)s->frame;

	for (size_t left = s->count * sizeof(*s->frame); left > 0;) {
		const ssize_t n = write(s->fd, from, left);

		if (n < 0 && errno != EINTR)
			leave_child();
		from += n > 0 ? n : 0;
		left -= n > 0 ? (size_t)n : 0;
	}
	s->count = 0;
}

/* Frames of a thread are sent before the next thread is begun. */
static bool queue_frame(void *data, const struct stack_frame *frame)
{
	struct sender *s = data;

	if (s->count == SENT_TOGETHER || (s->count > 0 && frame->depth == 0))
		send_frames(s);
	s->frame[s->count++] = *frame;
	return true;
}

__attribute__((noreturn))
static void walk_in_child(int fd, const struct stack_thread *thread, uint32_t count,
			  const struct stack_objects *objects)
{
	static const int usual[] = { SIGPIPE, SIGXCPU, SIGBUS, SIGSEGV };
	struct sender *s = xcalloc(1, sizeof(*s));
	const struct stack_walk walk = { call_frame_load(), thread, count, objects };

	s->fd = fd;
	xmalloc_on_failure(leave_child);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0);
	limits_set(RLIMIT_CORE, 0);
	limits_set(RLIMIT_CPU, SECONDS);
	limits_memory(MEMORY);
	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
		signal(usual[i], SIG_DFL);
	if (!LIMITS_HAS_SHADOW)
		seal_process(fd);
	if (walk.library)
		stack_walk(&walk, queue_frame, s);
	send_frames(s);
	leave_child();
}

/* ---- the parent ------------------------------------------------------------------------- */

static int milliseconds_left(const struct timespec *end)
{
	struct timespec now;
	int64_t ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (int64_t)(end->tv_sec - now.tv_sec) * 1000 + (end->tv_nsec - now.tv_nsec) / 1000000;
	return ms > 0 ? (int)ms : 0;
}

/* Returns whether there may be more. */
static bool receive_some(int fd, struct stack_frames *f, uint32_t *room, size_t *bytes,
			 const struct timespec *end)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	const int ready = poll(&wait, 1, milliseconds_left(end));
	ssize_t n;

	if (ready < 0 && errno == EINTR)
		return true;
	if (ready <= 0 || *bytes / sizeof(*f->frame) >= FRAMES_ALL)
		return false;
	array_reserve(&f->frame, room, *bytes / sizeof(*f->frame) + SENT_TOGETHER,
		      sizeof(*f->frame));
	n = read(fd, (char *)f->frame + *bytes, *room * sizeof(*f->frame) - *bytes);
	*bytes += n > 0 ? (size_t)n : 0;
	return n > 0 || (n < 0 && errno == EINTR);
}

static void receive_all(int fd, struct stack_frames *f)
{
	struct timespec end;
	uint32_t room = 0;
	size_t bytes = 0;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += PATIENCE_S;
	while (receive_some(fd, f, &room, &bytes, &end))
		;
	f->count = (uint32_t)(bytes / sizeof(*f->frame));
}

static int compare_frames(const void *a, const void *b)
{
	const struct stack_frame *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return x->high < y->high ? -1 : x->high > y->high;
}

static void find_innermost(struct stack_frames *f, uint32_t threads)
{
	f->innermost = xmalloc((threads + (size_t)1) * sizeof(*f->innermost));
	memset(f->innermost, 0xff, (threads + (size_t)1) * sizeof(*f->innermost));
	for (uint32_t i = 0; i < f->count; i++) {
		if (f->frame[i].depth == 0)
			f->innermost[f->frame[i].thread] = i;
	}
	f->threads = threads;
}

/* A child that has read hostile files may say anything. */
static void sort_frames(struct stack_frames *f, uint32_t threads)
{
	uint64_t end = 0;
	uint32_t kept = 0;

	if (f->count > 0)
		qsort(f->frame, f->count, sizeof(*f->frame), compare_frames);
	for (uint32_t i = 0; i < f->count; i++) {
		const struct stack_frame *frame = &f->frame[i];

		if (frame->low < end || frame->low >= frame->high || frame->thread >= threads)
			continue;
		end = frame->high;
		f->frame[kept++] = *frame;
	}
	f->count = kept;
}

void stack_frames_find(struct stack_frames *f, const struct stack_thread *thread, uint32_t count,
		       const struct stack_objects *objects)
{
	int ends[2];
	pid_t child;

	*f = (struct stack_frames){ .count = 0 };
	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	child = fork();
	if (child == 0)
		walk_in_child(ends[1], thread, count, objects);
	close(ends[1]);
	if (child > 0) {
		receive_all(ends[0], f);
		/* It has said what it had to say, or takes too long. */
		kill(child, SIGKILL);
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
	sort_frames(f, count);
	find_innermost(f, count);
}

/* ---- words and registers ---------------------------------------------------------------- */

/* Returns the caller of a frame, or STACK_FRAMES_NONE. */
static uint32_t caller_of(const struct stack_frames *f, uint32_t number)
{
	const struct stack_frame *frame = &f->frame[number];

	return number + 1 < f->count && frame[1].low == frame->high &&
	       frame[1].thread == frame->thread ? number + 1 : STACK_FRAMES_NONE;
}

/* Returns the nearest frame from NUMBER on outward that uses register KEPT itself: it has saved
 * what the register had before. Without any, NUMBER. */
static uint32_t user_of_register(const struct stack_frames *f, uint32_t number, unsigned int kept)
{
	for (uint32_t i = number; i != STACK_FRAMES_NONE; i = caller_of(f, i)) {
		if (f->frame[i].saved[kept])
			return i;
	}
	return number;
}

uint32_t stack_frames_at(const struct stack_frames *f, uint64_t address)
{
	const size_t behind = array_first_from(f->frame, f->count, sizeof(*f->frame),
					       offsetof(struct stack_frame, low), address + 1);
	const uint32_t number = (uint32_t)behind - 1;
	uint32_t caller;

	if (behind == 0 || address >= f->frame[number].high)
		return STACK_FRAMES_NONE;
	caller = caller_of(f, number);
	for (unsigned int i = 0; i < CALL_KEPT && caller != STACK_FRAMES_NONE; i++) {
		if (f->frame[number].saved[i] == address)
			return user_of_register(f, caller, i);
	}
	return number;
}

uint32_t stack_frames_of_register(const struct stack_frames *f, uint32_t thread, unsigned int reg)
{
	const int kept = reg < CALL_REGISTERS ? call_frame_kept(reg) : -1;
	const uint32_t first = thread < f->threads ? f->innermost[thread] : STACK_FRAMES_NONE;

	return kept < 0 || first == STACK_FRAMES_NONE ? first :
		       user_of_register(f, first, (unsigned int)kept);
}

void stack_frames_free(struct stack_frames *f)
{
	free(f->frame);
	free(f->innermost);
	*f = (struct stack_frames){ .count = 0 };
}
