/* logmerge.c -- the events of all threads of one image, in the order of their times.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/logmerge.h"

#include <stdlib.h>
#include <string.h>

/* A store is visible to others after this time at the latest. */
#define VISIBLE_NS UINT64_C(1000000)
/* A thread that stays inside the hook longer (stopped, or dead there) holds up nobody. */
#define STUCK_NS UINT64_C(1000000000)

/* Where reading one thread's chain has come to. */
struct log_chain {
	uint64_t chunk;		/* offset, 0: none yet */
	uint64_t floor;		/* raw time: the next event is not older */
	uint64_t head;		/* raw time of the event at index */
	uint32_t index;		/* next record of the chunk */
	uint32_t ready;		/* records of the chunk that are complete */
	uint32_t capacity;
};

void log_clock_begin(struct log_clock *clock, uint64_t raw, uint64_t ns)
{
	*clock = (struct log_clock){ raw, ns, raw, ns, UINT64_C(1) << 32 };
}

void log_clock_advance(struct log_clock *clock, uint64_t raw, uint64_t ns)
{
	uint64_t raw_passed = raw - clock->raw, ns_passed = ns - clock->ns;

	if ((int64_t)raw_passed <= 0 || (int64_t)ns_passed < 0)
		return;
	clock->raw_before = clock->raw;
	clock->ns_before = clock->ns;
	clock->raw = raw;
	clock->ns = ns;
	clock->scale = (uint64_t)(((__uint128_t)ns_passed << 32) / raw_passed);
}

/* NS as a distance in raw time, near enough. */
static uint64_t raw_distance(const struct log_clock *clock, uint64_t ns)
{
	__uint128_t raw = ((__uint128_t)ns << 32) / (clock->scale ? clock->scale : 1);

	return raw > UINT64_MAX / 4 ? UINT64_MAX / 4 : (uint64_t)raw;
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

void logmerge_init(struct logmerge *m, int64_t heap, uint64_t origin_ns, uint64_t log_limit)
{
	*m = (struct logmerge){
		.heap = (uint64_t)heap,
		.heap_peak = heap > 0 ? (uint64_t)heap : 0,
		.origin_ns = origin_ns,
		/* Chunks of one image never hold more than the limit, but for the last ones. */
		.budget_full = log_limit > UINT64_MAX / 4 ? UINT64_MAX / 2 :
							     2 * log_limit + (UINT64_C(64) << 20),
	};
}

void logmerge_fini(struct logmerge *m)
{
	free(m->chain);
	free(m->queue);
	m->chain = NULL;
	m->queue = NULL;
	m->chain_count = m->queue_count = 0;
}

/* ---- one chain --------------------------------------------------------------------------- */

static const struct mu_log_chunk *chunk_at(const struct image *im, uint64_t offset)
{
	return offset % 8 ? NULL : image_at(im, offset, sizeof(struct mu_log_chunk));
}

/* Take up the chunk at OFFSET; one that is not whole counts as empty. */
static void enter_chunk(const struct image *im, struct log_chain *c, uint64_t offset)
{
	const struct mu_log_chunk *chunk = chunk_at(im, offset);
	uint64_t capacity = chunk ? chunk->capacity : 0;

	c->chunk = chunk ? offset : 0;
	c->index = 0;
	c->ready = 0;
	c->capacity = (uint32_t)capacity;
	if (chunk && !image_at(im, offset,
			       sizeof(*chunk) + capacity * sizeof(struct mu_log_record)))
		c->capacity = 0;
}

/* The chunk after a sealed one; the sealed one goes back to the recorder. */
static bool leave_chunk(const struct image *im, struct log_chain *c)
{
	struct mu_log_chunk *chunk = (struct mu_log_chunk *)(uintptr_t)chunk_at(im, c->chunk);
	uint64_t next;

	if (!chunk || !__atomic_load_n(&chunk->sealed, __ATOMIC_ACQUIRE))
		return false;
	/* Records may have come between the look at count and the seal. */
	if (__atomic_load_n(&chunk->count, __ATOMIC_ACQUIRE) > c->index && c->index < c->capacity)
		return false;
	next = chunk->next;
	if (next == c->chunk || !chunk_at(im, next) || next == 0)
		return false;
	enter_chunk(im, c, next);
	__atomic_store_n(&chunk->consumed, 1, __ATOMIC_RELEASE);
	return true;
}

/* Look for more records. Returns whether there is one at index; head is then its time. */
static bool look(struct logmerge *m, const struct image *im, struct log_chain *c)
{
	while (c->chunk && m->budget >= sizeof(struct mu_log_record)) {
		const struct mu_log_chunk *chunk = chunk_at(im, c->chunk);
		uint32_t count = chunk ? __atomic_load_n(&chunk->count, __ATOMIC_ACQUIRE) : 0;

		c->ready = count < c->capacity ? count : c->capacity;
		if (c->index < c->ready) {
			c->head = chunk->record[c->index].time;
			return true;
		}
		if (!leave_chunk(im, c))
			return false;
		/* A hostile chain may run in a circle of empty chunks. */
		m->budget = minus(m->budget, MU_PAGE);
	}
	return false;
}

/* Time of the last record that a chain has now, or its floor. */
static uint64_t last_time(struct logmerge *m, const struct image *im, const struct log_chain *c)
{
	uint64_t offset = c->chunk, time = c->floor;

	while (offset && m->budget > 0) {
		const struct mu_log_chunk *chunk = chunk_at(im, offset);
		uint32_t count;

		if (!chunk)
			break;
		m->budget = minus(m->budget, 256);
		count = __atomic_load_n(&chunk->count, __ATOMIC_ACQUIRE);
		if (count > 0 && image_at(im, offset, sizeof(*chunk) +
					  (uint64_t)count * sizeof(struct mu_log_record)))
			time = chunk->record[count - 1].time;
		if (!__atomic_load_n(&chunk->sealed, __ATOMIC_ACQUIRE))
			break;
		offset = chunk->next;
	}
	return time;
}

/* ---- the queue: chains with events, the oldest first ------------------------------------- */

static bool is_older(const struct logmerge *m, uint32_t a, uint32_t b)
{
	return m->chain[m->queue[a]].head < m->chain[m->queue[b]].head;
}

static void sift_down(struct logmerge *m, uint32_t at)
{
	for (;;) {
		uint32_t child = 2 * at + 1, moved;

		if (child >= m->queue_count)
			return;
		if (child + 1 < m->queue_count && is_older(m, child + 1, child))
			child++;
		if (!is_older(m, child, at))
			return;
		moved = m->queue[at];
		m->queue[at] = m->queue[child];
		m->queue[child] = moved;
		at = child;
	}
}

static uint64_t second_oldest(const struct logmerge *m)
{
	uint64_t time = UINT64_MAX;

	for (uint32_t i = 1; i < 3 && i < m->queue_count; i++) {
		uint64_t head = m->chain[m->queue[i]].head;

		time = head < time ? head : time;
	}
	return time;
}

/* ---- a pass ------------------------------------------------------------------------------ */

static int grow(struct logmerge *m, uint32_t count)
{
	struct log_chain *chain;
	uint32_t *queue;

	if (count <= m->chain_count)
		return 0;
	chain = reallocarray(m->chain, count, sizeof(*chain));
	if (!chain)
		return -1;
	m->chain = chain;
	queue = reallocarray(m->queue, count, sizeof(*queue));
	if (!queue)
		return -1;
	m->queue = queue;
	for (uint32_t i = m->chain_count; i < count; i++)
		m->chain[i] = (struct log_chain){ .floor = m->previous_raw };
	m->chain_count = count;
	return 0;
}

/* A thread outside the hook at this moment has no older event to come than this moment; one
 * inside none older than its last. `busy` is read before the chain. */
static void raise_floor(struct logmerge *m, const struct image *im, struct log_chain *c,
			const struct mu_thread *thread)
{
	uint64_t now = m->clock.raw;
	bool is_busy = __atomic_load_n(&thread->busy, __ATOMIC_ACQUIRE) != 0;
	uint64_t at_least;

	if (c->chunk == 0) {
		uint64_t first = __atomic_load_n(&thread->log_first, __ATOMIC_ACQUIRE);

		if (first)
			enter_chunk(im, c, first);
	}
	if (is_busy) {
		uint64_t last = last_time(m, im, c);

		c->floor = last > c->floor ? last : c->floor;
		at_least = minus(now, raw_distance(&m->clock, STUCK_NS));
	} else {
		at_least = minus(now, raw_distance(&m->clock, VISIBLE_NS));
	}
	if (at_least > c->floor)
		c->floor = at_least;
}

int logmerge_begin(struct logmerge *m, struct image *im, const struct log_clock *clock,
		   bool is_dead)
{
	uint64_t threads;

	image_refresh(im);
	threads = image_count(im, MU_SEC_THREADS);
	m->clock = *clock;
	m->budget = m->budget_full;
	m->is_dead = is_dead;
	m->queue_count = 0;
	if (grow(m, (uint32_t)threads) < 0)
		return -1;
	/* A single thread's events are in order by themselves; one that began a moment ago has
	 * none before that moment. */
	m->limit_raw = is_dead ? UINT64_MAX : clock->raw;
	for (uint32_t i = 0; i < m->chain_count; i++) {
		const struct mu_thread *thread =
			image_entry(im, MU_SEC_THREADS, i, sizeof(*thread));
		struct log_chain *c = &m->chain[i];

		if (!thread)
			continue;
		raise_floor(m, im, c, thread);
		if (!is_dead && m->chain_count > 1 && c->floor < m->limit_raw)
			m->limit_raw = c->floor;
		if (look(m, im, c))
			m->queue[m->queue_count++] = i;
	}
	for (uint32_t i = m->queue_count / 2; i-- > 0;)
		sift_down(m, i);
	m->previous_raw = minus(clock->raw, raw_distance(clock, VISIBLE_NS));
	return 0;
}

/* Events of chain C up to raw time LIMIT. This is the loop that costs: everything it changes
 * is in locals. Times only go forward, whatever clocks and hostile programs do. */
static size_t read_run(struct logmerge *m, const struct image *im, struct log_chain *c,
		       uint64_t limit, struct log_event *batch, size_t max)
{
	const struct mu_log_chunk *chunk = chunk_at(im, c->chunk);
	const struct log_clock clock = m->clock;
	uint64_t heap = m->heap, heap_peak = m->heap_peak;
	uint64_t stack_peak = m->stack_peak, total_peak = m->total_peak;
	uint64_t last = m->last_ns;
	uint32_t index = c->index;
	size_t count = c->ready - index, n;

	count = count < max ? count : max;
	for (n = 0; n < count; n++, index++) {
		struct mu_log_record record = chunk->record[index];
		uint64_t total, ns;

		if (record.time > limit)
			break;
		heap += (uint64_t)record.heap;
		total = heap + record.stack;
		ns = log_clock_ns(&clock, record.time) - m->origin_ns;
		last = (int64_t)(ns - last) > 0 ? ns : last;
		heap_peak = (int64_t)heap > (int64_t)heap_peak ? heap : heap_peak;
		stack_peak = record.stack > stack_peak ? record.stack : stack_peak;
		total_peak = (int64_t)total > (int64_t)total_peak ? total : total_peak;
		batch[n] = (struct log_event){ heap, record.stack, last };
	}
	m->heap = heap;
	m->heap_peak = heap_peak;
	m->stack_peak = stack_peak;
	m->total_peak = total_peak;
	m->last_ns = last;
	c->index = index;
	return n;
}

static uint64_t spend(uint64_t budget, size_t events)
{
	return minus(budget, events * sizeof(struct mu_log_record));
}

size_t logmerge_read(struct logmerge *m, const struct image *im, struct log_event *batch,
		     size_t max)
{
	size_t stored = 0;

	while (stored < max && m->queue_count > 0) {
		struct log_chain *c = &m->chain[m->queue[0]];
		uint64_t limit = second_oldest(m);
		size_t n;

		if (limit > m->limit_raw)
			limit = m->limit_raw;
		n = read_run(m, im, c, limit, batch + stored, max - stored);
		stored += n;
		m->budget = spend(m->budget, n);
		if (c->index < c->ready) {
			c->head = chunk_at(im, c->chunk)->record[c->index].time;
			/* The oldest event of all is not certain yet. */
			if (n == 0 && c->head > m->limit_raw)
				break;
		} else if (!look(m, im, c)) {
			m->queue[0] = m->queue[--m->queue_count];
		}
		sift_down(m, 0);
	}
	m->events += stored;
	return stored;
}

void logmerge_discard(struct logmerge *m, struct image *im)
{
	uint64_t threads;

	image_refresh(im);
	threads = image_count(im, MU_SEC_THREADS);
	m->budget = m->budget_full;
	if (grow(m, (uint32_t)threads) < 0)
		return;
	for (uint32_t i = 0; i < m->chain_count; i++) {
		const struct mu_thread *thread =
			image_entry(im, MU_SEC_THREADS, i, sizeof(*thread));
		struct log_chain *c = &m->chain[i];

		if (thread && c->chunk == 0 && thread->log_first)
			enter_chunk(im, c, thread->log_first);
		while (look(m, im, c)) {
			m->budget = spend(m->budget, c->ready - c->index);
			c->index = c->ready;
		}
	}
}
