/* threads.c -- attaching records to threads, and retiring them.
 *
 * libc continues to free after our key's destructor ran, so a record stays attached to its thread
 * until the kernel says that the thread is gone, or has executed its last instruction; only then is
 * the record added to the retired counters and given to another thread.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/threads.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>

#include "libmemusage/base/clock.h"
#include "libmemusage/base/emulated_pause.h"
#include "libmemusage/base/locks.h"
#include "libmemusage/base/real.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/signal_mask.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/event/deferred_frees.h"
#include "libmemusage/event/event.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/coarse_clock.h"
#include "libmemusage/image/stop.h"
#include "libmemusage/lifecycle/sampler.h"
#include "libmemusage/tables/accesses.h"
#include "libmemusage/tables/heap.h"
#include "libmemusage/tables/instructions.h"
#include "libmemusage/tables/site_totals.h"
#include "libmemusage/tables/stack.h"
#include "libmemusage/tables/stack_sum.h"
#include "libmemusage/unwind/walk.h"

#define GONE_CHECKS 4 /* exiting records looked at per new thread */

static struct {
	/* The key whose destructor notices the end of a thread. */
	struct {
		pthread_key_t key;
		int (*set)(pthread_key_t, const void *); /* not NULL if is_made */
		bool is_made;
	} exit_key;
	uint64_t check_next; /* index of the record that find_free_record() begins with */
} records;

static void add_thread_counters(struct mu_counters *to, const struct mu_counters *from)
{
	const size_t words = offsetof(struct mu_counters, hist_high) / sizeof(uint64_t);
	uint64_t *sum = (uint64_t *)to;
	const uint64_t *add = (const uint64_t *)from;

	for (size_t i = 0; i < words; i++)
		sum[i] += add[i];
	to->requests += from->requests;
	to->request_errors += from->request_errors;
	to->request_nested += from->request_nested;
	to->paused_calls += from->paused_calls;
	to->paused_bytes += from->paused_bytes;
	for (size_t i = 0; i < MU_HIST_LOW; i++)
		to->hist_low[i] += from->hist_low[i];
	if (!from->hist_high)
		return;
	const uint64_t *high = arena_at(from->hist_high);
	uint64_t *high_sum = arena_at(to->hist_high);
	for (size_t i = 0; i < MU_HIST_HIGH; i++)
		high_sum[i] += high[i];
}

static void settle_pending(struct thread *thread)
{
	deferred_frees_settle(thread);
	heap_settle(thread);
}

/* Under the lock. The upper histogram stays with the record, zeroed, for its next owner, except the
 * first one, which becomes that of all retired threads: it may be the last that there was room
 * for. */
static void retire_record(struct thread *thread)
{
	struct mu_counters *counters = &thread->pub.counters;
	uint64_t high = counters->hist_high;

	settle_pending(thread);
	stack_sum_end_thread(thread);
	if (high && !rec.image->retired.hist_high) {
		rec.image->retired.hist_high = high;
		counters->hist_high = high = 0;
	}
	add_thread_counters(&rec.image->retired, counters);
	if (thread->pub.stack_peak > rec.image->retired_stack_peak)
		rec.image->retired_stack_peak = thread->pub.stack_peak;
	if (thread->pub.stack_mark > rec.image->retired_stack_mark)
		rec.image->retired_stack_mark = thread->pub.stack_mark;
	rec.image->drops.log_records += thread->pub.log_lost;
	thread->pub.log_lost = 0;
	if (high)
		memset(arena_at(high), 0, MU_HIST_HIGH * sizeof(uint64_t));
	memset(counters, 0, sizeof(*counters));
	counters->hist_high = high;
	__atomic_store_n(&thread->pub.state, MU_THREAD_FREE, __ATOMIC_RELEASE);
}

/* Returns whether a thread that libc has begun to end has executed its last instruction. A thread
 * that joins it may continue while the kernel still closes its files, which can take seconds; so
 * its existence proves nothing. But the kernel has cleared its robust list by then, which libc gave
 * to every thread.
 * Source: mm_release() in the kernel's exit path: the list first, then the word that
 * pthread_join() waits for. */
static bool has_executed_all(uint32_t tid)
{
	uint64_t list = 1, length;
	long result = SYS3(SYS_get_robust_list, tid, &list, &length);

	/* It may vanish since tgkill() has found it. */
	return result == -ESRCH || (!sys_failed(result) && !list);
}

static bool is_thread_gone(const struct thread *thread)
{
	uint32_t tid = thread->pub.tid;

	/* In a sandbox see retire_predecessor(). */
	if (!tid || sandbox.is_on || tid == sys_gettid())
		return false;
	return SYS3(SYS_tgkill, rec.pid, tid, 0) == -ESRCH ||
	       (thread->pub.state == MU_THREAD_EXITING && has_executed_all(tid));
}

/* Under the lock. Returns whether the record is free then. */
static bool retire_if_gone(struct thread *thread)
{
	if (!is_thread_gone(thread))
		return false;
	heap_set_threads(-1);
	retire_record(thread);
	return true;
}

/* Not while another thread has stopped the others: that thread takes this lock, too. */
static bool lock_thread_table(void)
{
	for (;;) {
		stop_await();
		if (!spin_lock(&locks.threads))
			return false;
		if (!stop_is_on())
			return true;
		spin_unlock(&locks.threads);
	}
}

/* A filter may forbid to ask the kernel for a thread. But libc gives a stack, with the thread's
 * structure, to a new thread only when the kernel has finished with the former one. So at most as
 * many records are lost as there are stacks. */
static void retire_predecessor(const struct thread *thread)
{
	if (!sandbox.is_on || !lock_thread_table())
		return;
	for (uint64_t i = 0; i < thread_table()->count; i++) {
		struct thread *other = arena_table_at(thread_table(), i);
		if (other == thread || other->pub.state == MU_THREAD_FREE ||
		    other->thread_pointer != cpu_thread_pointer())
			continue;
		heap_set_threads(-1);
		retire_record(other);
	}
	spin_unlock(&locks.threads);
}

/* Under the lock. Returns a free record, or one whose thread is gone, or NULL. Checks only a few
 * exiting records; all of them when the table would have to grow, so that threads that never ran
 * our destructor are found too. Neighbours of the record are checked as well, since a thread that
 * is gone counts until its record is free. */
static struct thread *find_free_record(bool all)
{
	const uint64_t count = thread_table()->count, first = records.check_next;
	struct thread *found = NULL;
	uint64_t end = count;

	for (uint64_t i = 0, checked = 0; i < end; i++) {
		uint64_t index = (first + i) % count;
		struct thread *thread = arena_table_at(thread_table(), index);
		uint32_t state = thread->pub.state;
		bool ask = all || (state == MU_THREAD_EXITING && checked++ < GONE_CHECKS);
		bool is_free = state == MU_THREAD_FREE || (ask && retire_if_gone(thread));
		if (is_free && !found) {
			found = thread;
			records.check_next = (index + 1) % count;
			end = i + GONE_CHECKS < count ? i + GONE_CHECKS : count;
		}
	}
	return found;
}

/* They stay with the record. */
static void allocate_lifetimes(struct thread *thread)
{
	uint64_t offset = arena_alloc(sizeof(struct mu_lifetimes), 64);

	if (!offset) {
		count_drop(lifetimes);
		return;
	}
	((struct mu_lifetimes *)arena_at(offset))->next = rec.image->lifetimes;
	__atomic_store_n(&rec.image->lifetimes, offset, __ATOMIC_RELEASE);
	thread->lifetimes = offset;
}

/* Under the lock. */
static struct thread *append_record(void)
{
	struct mu_table *threads = thread_table();
	uint64_t index = threads->count;
	struct thread *thread = arena_table_at(threads, index);

	if (thread && rec.flags & MU_CFG_LIFETIMES)
		allocate_lifetimes(thread);
	if (thread)
		__atomic_store_n(&threads->count, index + 1, __ATOMIC_RELEASE);
	return thread;
}

/* Everything that must not survive from the record's former thread; its log chain and its
 * free buckets do survive. */
static void reset_record(struct thread *thread)
{
	for (size_t i = 0; i < LEAF_CACHE; i++)
		thread->leaf[i].key = ~UINT64_C(0);
	thread->pub.stack_peak = 0;
	thread->pub.stack_mark = 0;
	thread->pub.stack_base = 0;
	thread->pub.stack_now = 0;
	thread->pub.stack_size = 0;
	thread->stack_low = 0;
	thread->pub.tid = 0;
	thread->thread_pointer = 0;
	thread->pub.flags = 0;
	thread->pub.busy = 0;
	thread->depth = 0;
	thread->deleting = 0;
	thread->sample_left = 0;
	thread->sample_log2 = 0;
	thread->label = 0;
	thread->timer = -1;
	walk_begin_thread(thread->walk);
}

/* No handler runs meanwhile: what it deferred after the flush would be lost. */
static void note_thread_end(void *record)
{
	struct thread *thread = record;
	struct signal_mask mask;

	if (thread != self || rec.pid != sys_getpid())
		return;
	sampler_remove(thread);
	signal_mask_all(&mask);
	hook_begin(thread);
	stack_mark(thread);
	stack_sum_end_thread(thread);
	instructions_detach();
	settle_pending(thread);
	accesses_flush(&thread->access);
	__atomic_store_n(&thread->pub.state, MU_THREAD_EXITING, __ATOMIC_RELEASE);
	hook_leave(thread);
	signal_mask_restore(&mask);
}

struct thread *thread_prepare(void)
{
	struct thread *thread;

	if (!lock_thread_table())
		return NULL;
	thread = find_free_record(false);
	if (!thread && (thread_table()->count & (thread_table()->count - 1)) == 0)
		thread = find_free_record(true);
	if (!thread)
		thread = append_record();
	if (thread) {
		reset_record(thread);
		thread->pub.state = MU_THREAD_LIVE;
	}
	spin_unlock(&locks.threads);
	return thread;
}

void thread_discard(struct thread *thread)
{
	__atomic_store_n(&thread->pub.state, MU_THREAD_FREE, __ATOMIC_RELEASE);
}

/* A thread without a record tries to get one at each of its events. */
static void count_lost_thread(void)
{
	static __thread bool is_counted;

	if (!is_counted)
		count_drop(threads);
	is_counted = true;
}

static void attach_record(struct thread *thread)
{
	emulated_pause();
	hook_begin(thread);
	thread->pub.tid = sys_gettid();
	thread->thread_pointer = cpu_thread_pointer();
	SYS2(SYS_prctl, PR_GET_NAME, thread->pub.name);
	thread->pub.start_mono_ns = clock_ns(CLOCK_MONOTONIC);
	if (!thread->pub.stack_base)
		stack_find(thread, 0, 0);
	heap_set_threads(1);
	self = thread;
	if (rec.image->heap.threads > 1 && !(gate.mode & MODE_MANY))
		thread_switch_to_many();
	hook_leave(thread);
	coarse_clock_check();
	if (records.exit_key.is_made)
		records.exit_key.set(records.exit_key.key, thread);
	sampler_add(thread);
	instructions_attach();
	/* An earlier request has set the other records' flags only. */
	if (rec.image->request)
		thread->pub.busy = MU_BUSY_REQUEST;
	emulated_resume();
}

/* A handler that allocates meanwhile would get the thread another record. */
struct thread *thread_attach(struct thread *prepared)
{
	struct signal_mask mask;
	struct thread *thread;

	signal_mask_all(&mask);
	if (has_self()) {
		if (prepared)
			thread_discard(prepared);
		thread = self;
	} else {
		thread = prepared ? prepared : thread_prepare();
		if (thread) {
			retire_predecessor(thread);
			attach_record(thread);
		} else {
			count_lost_thread();
		}
	}
	signal_mask_restore(&mask);
	return thread;
}

void thread_key_init(void)
{
	int (*create)(pthread_key_t *, void (*)(void *)) = NULL;

	if (records.exit_key.is_made)
		return;
	real_find(&create, "pthread_key_create");
	real_find(&records.exit_key.set, "pthread_setspecific");
	records.exit_key.is_made = create && records.exit_key.set &&
				   !create(&records.exit_key.key, note_thread_end);
	if (records.exit_key.is_made && has_self())
		records.exit_key.set(records.exit_key.key, self);
}

void thread_switch_to_many(void)
{
	if (has_self())
		deferred_frees_close(self);
	site_totals_untrack();
	if (__atomic_fetch_or(&gate.mode, MODE_MANY, __ATOMIC_SEQ_CST) & MODE_MANY)
		return;
	thread_quiesce();
}

void thread_keep_only_self(void)
{
	struct mu_table *threads = thread_table();

	for (uint64_t i = 0; i < threads->count; i++) {
		struct thread *thread = arena_table_at(threads, i);
		thread->pub.busy = 0;
		if (thread == self)
			settle_pending(thread);
		else if (thread->pub.state != MU_THREAD_FREE)
			retire_record(thread);
	}
	rec.image->heap.threads = has_self() ? 1 : 0;
}
