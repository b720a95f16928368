/* snapshot.c -- The memory, the blocks and the registers of a process at one moment.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/snapshot.h"

#include <time.h>

#include "memusage/common/clock.h"
#include "memusage/common/process.h"
#include "memusage/examine/page_words.h"
#include "memusage/examine/supplied_areas.h"

enum { TURNS = 2000 }; /* of letting threads on: 40 ms at least */

/* ---- a moment between two events -------------------------------------------------------- */

/* Returns whether the thread of record I is inside the recorder, or has a block on the move. */
static bool is_in_event(const struct image *im, uint64_t i, pid_t *tid)
{
	struct mu_thread t;

	if (!image_copy_entry(im, MU_SEC_THREADS, i, &t, offsetof(struct mu_thread, pending_heap)))
		return false;
	*tid = (pid_t)t.tid;
	return t.state != MU_THREAD_FREE &&
	       ((t.busy != 0 && t.busy != MU_BUSY_REQUEST) || t.flags & MU_THREAD_MOVES);
}

static bool has_thread(const struct tracee *t, pid_t tid)
{
	for (uint32_t i = 0; i < t->count; i++) {
		if (t->thread[i].tid == tid)
			return true;
	}
	return false;
}

/* One that waits for another must not be the only one that runs. */
static void let_all_on(struct tracee *t)
{
	for (uint32_t i = t->count; i-- > 0;)
		tracee_let_on(t, t->thread[i].tid);
}

/* A block whose thread is in the middle of an event may be in no table, or in one too many. So
 * those threads are let on, one after the other, until all are between two events. A thread that
 * ends the process waits inside of the recorder. */
static void reach_quiet_moment(struct tracee *t, const struct live *l, const struct image *im)
{
	const uint32_t count = (uint32_t)image_count(im, MU_SEC_THREADS);
	const pid_t ending = (pid_t)__atomic_load_n(&l->shared->examined.exit_thread,
						    __ATOMIC_RELAXED);
	bool is_quiet = false;

	for (int turn = 0; turn < TURNS && !is_quiet; turn++) {
		is_quiet = true;
		for (uint32_t i = 0; i < count; i++) {
			pid_t tid = 0;

			if (!is_in_event(im, i, &tid) || tid == ending || !has_thread(t, tid))
				continue;
			is_quiet = false;
			tracee_let_on(t, tid);
		}
		if (!is_quiet && turn % 64 == 63)
			let_all_on(t);
	}
}

/* ---- all together ----------------------------------------------------------------------- */

static bool has_shared_buckets(const struct live *l)
{
	return l->view.head.config.flags & MU_CFG_ACCESSES;
}

/* The process is stopped. */
static int look_at_process(struct snapshot *s, const struct live *l, struct page_words *words,
			   struct mu_error *err)
{
	if (live_image(l, &s->image, err) < 0)
		return -1;
	reach_quiet_moment(&s->tracee, l, &s->image);
	if (!tracee_is_permitted(&s->tracee, err) || live_image(l, &s->image, err) < 0)
		return -1;
	s->examined = s->image.head.examined;
	tracee_read_registers(&s->tracee);
	page_words_copy(words, &s->image, has_shared_buckets(l));
	return 0;
}

static int read_blocks(struct snapshot *s, const struct page_words *words, struct mu_error *err)
{
	s->view = process_view(s->tracee.pid);
	if (address_space_open(&s->space, s->tracee.copy > 0 ? s->tracee.copy : s->view, s->view,
			       err) < 0)
		return -1;
	s->is_incomplete = !page_words_blocks(words, &s->image, &s->space, &s->blocks);
	return 0;
}

int snapshot_take(struct snapshot *s, const struct live *l, pid_t pid, enum snapshot_kind kind,
		  const struct tracee_right *right, struct mu_error *err)
{
	struct page_words words = { .count = 0 };
	struct mu_error why;
	uint64_t began;
	int result;

	*s = (struct snapshot){ .space = { .pagemap = -1, .touched_pagemap = -1 } };
	began = clock_now(CLOCK_MONOTONIC);
	result = tracee_stop(&s->tracee, pid, right, err);
	if (result == 0)
		result = look_at_process(s, l, &words, err);
	s->mono_ns = clock_now(CLOCK_MONOTONIC);
	s->is_stopped = true;
	/* A fork may be told to one of the threads that stand, and wait for its answer. */
	if (result == 0 && kind == SNAPSHOT_FORK &&
	    !supplied_areas_may_be(process_view(s->tracee.pid)) &&
	    tracee_copy(&s->tracee, &s->examined, &why) == 0) {
		/* A file that the program closes must be closed: a lock on it would stay. */
		tracee_close_files(&s->tracee, &s->examined);
		snapshot_resume(s);
	}
	s->pause_ns = clock_now(CLOCK_MONOTONIC) - began;
	if (result == 0)
		result = read_blocks(s, &words, err);
	page_words_free(&words);
	return result;
}

bool snapshot_is_permitted(const struct snapshot *s)
{
	struct mu_error ignored;

	return s->tracee.copy > 0 ? tracee_is_copy_permitted(&s->tracee) :
				    tracee_is_permitted(&s->tracee, &ignored);
}

void snapshot_resume(struct snapshot *s)
{
	if (s->is_stopped)
		tracee_resume(&s->tracee);
	s->is_stopped = false;
}

void snapshot_close(struct snapshot *s)
{
	snapshot_resume(s);
	tracee_drop_copy(&s->tracee, &s->examined);
	tracee_free(&s->tracee);
	address_space_close(&s->space);
	block_set_free(&s->blocks);
}
