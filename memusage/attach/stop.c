/* stop.c -- One stop of a process that memusage attaches to or leaves.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/attach/stop.h"

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
#define ARENA_FILE "/memfd:" STOP_ARENA /* in /proc/PID/maps */

enum {
	TRIES = 400,
	PAUSE_STEP_NS = 1000000, /* between two tries: this, twice this, ... */
	PAUSE_STEPS = 8
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

static bool is_error(long result)
{
	return result < 0 && result > -(long)PAGE;
}

void stop_unmap(struct stop *s, uint64_t *start, uint64_t size)
{
	if (*start)
		CALL(&s->b, SYS_munmap, *start, size);
	*start = 0;
}

uint64_t stop_map(struct stop *s, uint64_t size)
{
	long place = CALL(&s->b, SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, ~UINT64_C(0), 0);

	if (!is_error(place))
		return (uint64_t)place;
	stop_refuse(s, "it has no room left in its memory", -place);
	return 0;
}

/* Of the range only what is a mapping of the arena: the recorder may have given up a part, where
 * the program has something else by now. */
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

/* The mappings that the recorder has made; its list is in its own memory. */
static void unmap_own(struct stop *s)
{
	uint64_t list[2];
	struct mu_own_mapping *own;

	if (!s->a->own || !target_read(&s->t, s->a->own, list, sizeof(list)) || list[1] > 1 << 20)
		return;
	own = xcalloc(list[1] + 1, sizeof(*own));
	if (target_read(&s->t, list[0], own, list[1] * sizeof(*own))) {
		for (uint64_t i = 0; i < list[1]; i++) {
			if (is_arena(s, own[i].start))
				unmap_arena(s, own[i].start, own[i].start + own[i].size);
			else
				CALL(&s->b, SYS_munmap, own[i].start, own[i].size);
		}
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
	unmap_own(s);
	stop_unmap(s, &s->stack, STOP_STACK);
	stop_unmap(s, &s->a->blob, s->a->blob_size);
	stop_unmap(s, &s->a->parameters, s->a->parameters_size);
	clear_threads(s);
}

/* ---- the process that stops it ----------------------------------------------------------- */

enum target_result stop_try_often(struct attachment *a, stop_fn *work, void *data)
{
	int status = 0;

	for (a->tries = 1; a->tries <= TRIES; a->tries++) {
		const long step = 1 + a->tries % PAUSE_STEPS;
		const struct timespec pause = { .tv_nsec = step * PAUSE_STEP_NS };
		pid_t child = fork();

		if (child == 0) {
			child_reset_signals();
			_exit((int)work(a, data));
		}
		if (child < 0) {
			mu_error_set(&a->err, MU_ERROR_SYSTEM, 0, "cannot create a process: %m");
			return TARGET_REFUSED;
		}
		status = child_wait(child);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != TARGET_BUSY)
			break;
		nanosleep(&pause, NULL);
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) <= TARGET_REFUSED)
		return (enum target_result)WEXITSTATUS(status);
	mu_error_set(&a->err, MU_ERROR_SYSTEM, 0, "the process that was to stop it has died");
	return TARGET_REFUSED;
}

void stop_end(struct stop *s)
{
	s->a->threads = s->t.tracee.count;
	tracee_resume(&s->t.tracee);
	s->a->pause_ns = clock_now(CLOCK_MONOTONIC) - s->began_ns;
}
