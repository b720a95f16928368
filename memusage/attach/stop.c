/* stop.c -- One stop of a process that memusage attaches to or leaves.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/attach/stop.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "memusage/common/child.h"
#include "memusage/common/clock.h"

#define PAGE UINT64_C(4096)
/* In /proc/PID/maps. */
#define ARENA_FILE "/memfd:" STOP_ARENA " "
#define OWN_MOST (UINT64_C(1) << 20)

enum {
	TRIES = 400,
	PAUSE_STEP_NS = 1000000, /* between two tries: this, twice this, ... */
	PAUSE_STEPS = 8,
	STOP_MOST_S = 10,
	OWN_STACK_TRIES = 20,	       /* 1 s with these pauses: 5 ms, 10 ms, ... */
	OWN_STACK_PAUSE_NS = 5000000
};

enum target_result stop_refuse(struct stop *s, const char *why, long error)
{
	if (error)
		mu_error_set(&s->a->err, MU_ERROR_SYSTEM, 0, "%s: %s", why, strerror((int)error));
	else
		mu_error_set(&s->a->err, MU_ERROR_SYSTEM, 0, "%s", why);
	return TARGET_REFUSED;
}

/* ---- in the process ---------------------------------------------------------------------- */

/* Unmaps only those parts of the range that are mappings of the arena: the recorder may have given
 * up a part, where the program has something else by now. */
static void unmap_arena(struct stop *s, uint64_t start, uint64_t end)
{
	for (uint32_t i = 0; i < s->t.maps.count; i++) {
		const struct area *area = &s->t.maps.area[i];
		uint64_t low = area->start > start ? area->start : start;
		uint64_t high = area->end < end ? area->end : end;

		if (low < high && strncmp(area->name, ARENA_FILE, strlen(ARENA_FILE)) == 0)
			CALL(&s->b, SYS_munmap, low, high - low);
	}
}

static bool is_arena(const struct stop *s, uint64_t start)
{
	const struct area *area = address_space_find(&s->t.maps, start);

	return area && area->flags & AREA_SHARED;
}

/* The mappings that the recorder has made; its list is in its own memory. Returns how many. */
static uint64_t read_own(const struct stop *s, struct mu_own_mapping **own, uint64_t *list_at)
{
	uint64_t list[2];

	*own = NULL;
	if (!s->a->own || !target_read(&s->t, s->a->own, list, sizeof(list)) || list[1] > OWN_MOST)
		return 0;
	*own = xcalloc(list[1] + 1, sizeof(**own));
	*list_at = list[0];
	return target_read(&s->t, list[0], *own, list[1] * sizeof(**own)) ? list[1] : 0;
}

/* The last bytes of a mapping that is about to be unmapped. */
struct seal {
	uint64_t generation, start;
};

static uint64_t seal_place(const struct mu_own_mapping *m)
{
	return m->start + ((m->size + PAGE - 1) & -PAGE) - sizeof(struct seal);
}

static bool is_sealed(const struct stop *s, const struct mu_own_mapping *m)
{
	struct seal seal;

	return m->size && target_read(&s->t, seal_place(m), &seal, sizeof(seal)) &&
	       seal.generation == s->a->code.generation && seal.start == m->start;
}

/* If we are killed while we unmap, nothing tells the next attacher how far we have come, and the
 * program may have something else at these addresses by then: it would unmap that. So each
 * mapping gets a mark first, and then all of them are known to have one. */
static void seal_own(const struct stop *s, const struct mu_own_mapping *own, uint64_t count)
{
	const uint32_t is_leaving = 1;

	for (uint64_t i = 0; i < count; i++) {
		const struct seal seal = { s->a->code.generation, own[i].start };

		if (own[i].size && !is_arena(s, own[i].start))
			target_write(&s->t, seal_place(&own[i]), &seal, sizeof(seal));
	}
	target_write(&s->t, s->a->parameters + offsetof(struct mu_attach, is_leaving), &is_leaving,
		     sizeof(is_leaving));
}

static void unmap_one(struct stop *s, const struct mu_own_mapping *m)
{
	if (is_arena(s, m->start))
		unmap_arena(s, m->start, m->start + m->size);
	else if (is_sealed(s, m))
		CALL(&s->b, SYS_munmap, m->start, m->size);
}

/* The mapping with the list comes last. */
static void unmap_own(struct stop *s)
{
	struct mu_own_mapping *own;
	uint32_t is_leaving = 0;
	uint64_t list_at = 0, count = read_own(s, &own, &list_at);

	target_read(&s->t, s->a->parameters + offsetof(struct mu_attach, is_leaving), &is_leaving,
		    sizeof(is_leaving));
	if (!is_leaving)
		seal_own(s, own, count);
	for (uint64_t i = 0; i < count; i++) {
		if (list_at - own[i].start >= own[i].size)
			unmap_one(s, &own[i]);
	}
	for (uint64_t i = 0; i < count; i++) {
		if (list_at - own[i].start < own[i].size)
			unmap_one(s, &own[i]);
	}
	free(own);
}

/* glibc's thread structures get their spare part back as it was: zero. */
static void clear_threads(struct stop *s)
{
	static const unsigned char zero[MU_ATTACH_TLS_BYTES];

	for (uint32_t i = 0; i < s->t.tracee.count; i++) {
		const uint64_t base = tracee_base(&s->t.tracee.thread[i]);

		if (base)
			target_write(&s->t, base + MU_ATTACH_TLS, zero, sizeof(zero));
	}
}

void stop_remove_recorder(struct stop *s)
{
	clear_threads(s);
	unmap_own(s);
	if (s->a->parameters)
		CALL(&s->b, SYS_munmap, s->a->parameters, s->a->size);
	s->a->parameters = 0;
}

/* ---- the process that stops it ----------------------------------------------------------- */

/* Waits before one more try, unless RESULT tells that none is worth it. A program that is a
 * coroutine all the time would be stopped 400 times in 7 to 14 s for nothing; one that is it now
 * and then is met elsewhere when the pauses grow. */
static bool wait_for_next_try(unsigned int tries, int result, unsigned int *own_stack)
{
	const long step = 1 + tries % PAUSE_STEPS;
	struct timespec pause = { .tv_nsec = step * PAUSE_STEP_NS };

	if (result == TARGET_OWN_STACK && ++*own_stack == OWN_STACK_TRIES)
		return false;
	if (result == TARGET_OWN_STACK)
		pause.tv_nsec = (long)*own_stack * OWN_STACK_PAUSE_NS;
	else if (result != TARGET_BUSY)
		return false;
	nanosleep(&pause, NULL);
	return true;
}

/* A second Ctrl-C is not to kill us, nor Ctrl-Z to stop us, while the process stands. */
static void ignore_keys(void)
{
	static const int keys[] = { SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU };
	const struct sigaction ignored = { .sa_handler = SIG_IGN };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		sigaction(keys[i], &ignored, NULL);
}

/* The process is not to stand for as long as we do: SIGSTOP may stop us, a page that we read may be
 * one that a thread of the process supplies, or a call that it makes for us may wait for memory.
 * Wherever we are killed, its threads go on, so a timer of the kernel does that: libc has the calls
 * in a library of its own before glibc 2.34. A thread that waits for a processor on a machine with
 * a load of 40 took a second. */
static bool limit_time(void)
{
	struct sigevent kill_us = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };
	const struct itimerspec once = { .it_value.tv_sec = STOP_MOST_S };
	int timer; /* as the kernel numbers them */

	return syscall(SYS_timer_create, CLOCK_MONOTONIC, &kill_us, &timer) == 0 &&
	       syscall(SYS_timer_settime, timer, 0, &once, NULL) == 0;
}

enum target_result stop_begin(struct stop *s)
{
	if (!limit_time())
		return stop_refuse(s, "cannot set a timer", errno);
	s->began_ns = clock_now(CLOCK_MONOTONIC);
	return target_stop(&s->t, &s->a->err);
}

static enum target_result say_died(struct attachment *a, uint64_t began_ns)
{
	const bool is_late = clock_now(CLOCK_MONOTONIC) - began_ns >=
			     STOP_MOST_S * UINT64_C(1000000000);

	mu_error_set(&a->err, MU_ERROR_SYSTEM, 0, is_late ?
		     "it would have stood for more than 10 s, so it was let go" :
		     "the process that was to stop it has died");
	return TARGET_REFUSED;
}

enum target_result stop_try_often(struct attachment *a, stop_fn *work, void *data)
{
	unsigned int own_stack = 0;
	uint64_t began_ns = 0;
	int status = 0;

	for (a->tries = 1; a->tries <= TRIES; a->tries++) {
		pid_t child;

		began_ns = clock_now(CLOCK_MONOTONIC);
		child = fork();
		if (child == 0) {
			child_reset_signals();
			ignore_keys();
			_exit((int)work(a, data));
		}
		if (child < 0) {
			mu_error_set(&a->err, MU_ERROR_SYSTEM, 0, "cannot create a process: %m");
			return TARGET_REFUSED;
		}
		status = child_wait(child);
		if (!WIFEXITED(status) ||
		    !wait_for_next_try(a->tries, WEXITSTATUS(status), &own_stack))
			break;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) <= TARGET_REFUSED)
		return (enum target_result)WEXITSTATUS(status);
	return say_died(a, began_ns);
}

void stop_end(struct stop *s)
{
	s->a->threads = s->t.tracee.count;
	tracee_resume(&s->t.tracee);
	s->a->pause_ns = clock_now(CLOCK_MONOTONIC) - s->began_ns;
}
