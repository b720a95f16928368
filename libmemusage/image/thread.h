/* thread.h -- the record of each thread: its counters, stack, log and private caches.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/export.h"
#include "libmemusage/base/readable.h"
#include "libmemusage/image/recorder.h"
#include "recording/recording.h"

struct walk;

#define BUCKET_SIZES 24 /* different sizes of a bucket of the block table, see blocks.c */
#define LEAF_CACHE 64	/* leaves remembered: 128 MiB of heap without a conflict */

struct leaf_entry {
	uint64_t key; /* address >> MU_LEAF_SHIFT */
	uint64_t *leaf;
};

/* A thread's part of accesses.h. */
struct access_part {
	uint32_t *cell_of; /* place of the thread's struct mu_access by site, private memory */
	uint32_t sites;	   /* entries of cell_of */
	uint32_t cell_next, cell_end; /* cells reserved for this thread */
	uint32_t record_free;	      /* unused records of blocks, linked */
	uint32_t record_next, record_end;
	uint32_t deferred;	      /* something waits in the queue */
	struct access_queue *queue;   /* see accesses_defer() */
	uint32_t reserved;
};

/* An entry of the image's table of threads. Only the recorder reads the fields after `pub`, and
 * only its own thread writes to it, except in a fork. */
struct thread {
	struct mu_thread pub;
	struct leaf_entry leaf[LEAF_CACHE];
	uint64_t bucket[BUCKET_SIZES]; /* free buckets by size, linked by their first word */
	uint64_t bucket_bump;	       /* unused room for new buckets: [bump, bump_end) */
	uint64_t bucket_bump_end;
	uint64_t bucket_bytes; /* how much room to take next: half of what was taken so far */
	uint64_t deleting; /* block whose operator delete is under way */
	uint64_t depth;	   /* last stack depth on the thread's own stack (log) */
	struct mu_log_chunk *log;	 /* chunk being filled */
	struct mu_log_chunk *log_oldest; /* oldest chunk not yet recycled */
	uint64_t log_tick;		 /* mu_segment.tick at the last time stamp */
	uint64_t log_eighths;		 /* of the deepest stack that needs no look, in 8 bytes */
	uint32_t log_stop;		 /* count of the chunk at which a stamp or a look is due */
	uint32_t log_seen;		 /* ... and up to which events are accounted for */
	uint32_t log_since_wake;	 /* events since the collector was last told */
	int32_t timer;			 /* sampling timer, -1 none */
	void *(*start)(void *); /* of pthread_create, until the thread has begun */
	void *start_argument;
	struct walk *walk; /* remembered stack, private memory (walk.h) */
	uint64_t newest;   /* address of the block allocated last, until the next allocation */
	uint32_t *cell_of; /* cell + 1 by site, private memory (sites.h) */
	uint32_t cell_sites; /* entries of cell_of */
	uint32_t cell_next, cell_end; /* cells reserved for this thread */
	uint32_t log_is_unread; /* the collector did not read when it was waited for */
	uint64_t lifetimes; /* offset of its struct mu_lifetimes, 0 none */
	int64_t pending_extra;	/* as pub.pending_heap, for mu_heap.extra */
	uint64_t pending_clock; /* ... and mu_heap.clock */
	int64_t pending_ignored; /* ... and mu_heap.ignored */
	uint32_t frees;		 /* in a row, up to DEFERRED_FREES_AFTER */
	uint32_t deferred_limit; /* frees that it may defer, 0: none (deferred_frees.h) */
	struct mu_batch batch;
	struct access_part access; /* with MU_CFG_ACCESSES */
	int64_t sample_left;	/* bytes up to the next sampled block, or to where they were cut */
	uint64_t sample_random; /* state of the generator, 0: not seeded */
	uint32_t sample_log2;	/* of the mean of sample_left, 0: not drawn */
	uint32_t sample_is_cut; /* sample_left ends at no sampled block */
	uint64_t newest_calls;	/* allocations up to `newest`, that one included */
	uint64_t thread_pointer; /* of the thread, while it has one and the record */
	uint32_t is_stuck;	  /* it was waited for in vain, and has been in the hook since */
	uint32_t label;		  /* the set of its labels, 0: none (requests/labels.h) */
	uint64_t stack_low; /* from there to stack_base all is its stack for sure; 0: unknown */
};

/* The calling thread's record; before it has one, a record that is always busy. */
extern HIDDEN __thread struct thread *self;
extern HIDDEN struct thread no_thread;

/* has_self -- return whether the calling thread has a record. */
static inline bool has_self(void)
{
	return self != &no_thread;
}

/* thread_stack_above -- return what is known of the calling thread's stack above one of its frames.
 *
 * here  the address of that frame.
 */
static inline struct readable_stack thread_stack_above(uint64_t here)
{
	bool is_whole = self->stack_low && here >= self->stack_low && here < self->pub.stack_base;

	return (struct readable_stack){ .page = here, .is_whole = is_whole };
}

/* thread_table -- return the table of all records. */
static inline struct mu_table *thread_table(void)
{
	return &rec.image->table[MU_SEC_THREADS];
}

/* thread_is_inside -- return whether a thread is inside the hook; one with a request is not. */
static inline bool thread_is_inside(const struct thread *thread)
{
	uint32_t busy = __atomic_load_n(&thread->pub.busy, __ATOMIC_ACQUIRE);

	return busy && busy != MU_BUSY_REQUEST;
}

/* thread_quiesce -- wait until no other thread is inside the hook.
 *
 * gate.mode must have been changed before. Returns false if a thread did not leave within the bound
 * (a signal handler left the hook by longjmp). Async-signal-safe.
 */
bool thread_quiesce(void);

/* thread_for_each -- call visit(record, argument) for every record in use.
 *
 * Async-signal-safe if visit is.
 */
void thread_for_each(void (*visit)(struct thread *, void *), void *argument);

/* counters_hist_high -- return the upper part of a histogram; allocate it on first use.
 *
 * Returns uint64_t[MU_HIST_HIGH], NULL if the arena is full, which counts as a dropped request.
 * Async-signal-safe.
 */
uint64_t *counters_hist_high(struct mu_counters *counters);
