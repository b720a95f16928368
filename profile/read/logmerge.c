/* logmerge.c -- the events of all threads of one image, in the order of their times.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/logmerge.h"

#include <stdlib.h>
#include <string.h>

/* A store is visible to others after this time at the latest. */
#define VISIBLE_NS UINT64_C(1000000)
/* A thread that stays inside the hook longer (stopped, or dead there) does not hold up the
 * others. */
#define STUCK_NS UINT64_C(1000000000)

/* Where reading one thread's chain has come to. */
struct log_chain {
	uint64_t chunk;		/* offset, 0: none yet */
	uint64_t floor;		/* raw time: the next event is not older */
	uint64_t head;		/* raw time of the event at index */
	uint64_t stamp;		/* raw time of the last event before index */
	uint32_t index;		/* next word of the chunk: an event's, once looked at */
	uint32_t ready;		/* words of the chunk that are complete */
	uint32_t capacity;
};

void log_clock_begin(struct log_clock *clock, uint64_t raw, uint64_t ns)
{
	*clock = (struct log_clock){ .raw = raw, .ns = ns, .scale = UINT64_C(1) << 32 };
}

void log_clock_advance(struct log_clock *clock, uint64_t raw, uint64_t ns)
{
	uint64_t raw_passed = raw - clock->raw, ns_passed = ns - clock->ns;

	if ((int64_t)raw_passed <= 0 || (int64_t)ns_passed < 0)
		return;
	clock->raw = raw;
	clock->ns = ns;
	clock->scale = (uint64_t)(((__uint128_t)ns_passed << 32) / raw_passed);
}

/* NS as a distance in raw time, near enough. */
static uint64_t raw_time_distance(const struct log_clock *clock, uint64_t ns)
{
	__uint128_t raw = ((__uint128_t)ns << 32) / (clock->scale ? clock->scale : 1);

	return raw > UINT64_MAX / 4 ? UINT64_MAX / 4 : (uint64_t)raw;
}

static uint64_t saturating_difference(uint64_t a, uint64_t b)
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

static const struct mu_log_chunk *chunk_at_offset(const struct image *im, uint64_t offset)
{
	return offset % 8 ? NULL : image_at(im, offset, sizeof(struct mu_log_chunk));
}

/* Take up the chunk at OFFSET; one that is not whole counts as empty. */
static void enter_log_chunk(const struct image *im, struct log_chain *c, uint64_t offset)
{
	const struct mu_log_chunk *chunk = chunk_at_offset(im, offset);
	uint64_t capacity = chunk ? __atomic_load_n(&chunk->capacity, __ATOMIC_RELAXED) : 0;

	c->chunk = chunk ? offset : 0;
	c->index = 0;
	c->ready = 0;
	c->capacity = (uint32_t)capacity;
	if (chunk && !image_at(im, offset, sizeof(*chunk) + capacity * sizeof(uint64_t)))
		c->capacity = 0;
}

/* The chunk after a sealed one; the sealed one goes back to the recorder. */
static bool leave_log_chunk(const struct image *im, struct log_chain *c)
{
	struct mu_log_chunk *chunk =
		(struct mu_log_chunk *)(uintptr_t)chunk_at_offset(im, c->chunk);
	uint64_t next;

	if (!chunk || !__atomic_load_n(&chunk->sealed, __ATOMIC_ACQUIRE))
		return false;
	/* Records may have come between the look at count and the seal. */
	if (__atomic_load_n(&chunk->count, __ATOMIC_ACQUIRE) > c->index && c->index < c->capacity)
		return false;
	next = __atomic_load_n(&chunk->next, __ATOMIC_RELAXED);
	if (next == c->chunk || !chunk_at_offset(im, next) || next == 0)
		return false;
	enter_log_chunk(im, c, next);
	__atomic_store_n(&chunk->consumed, 1, __ATOMIC_RELEASE);
	return true;
}

/* Passes over time words. Returns whether there is an event at index; head is then its time.
 * A word of no known kind, which only a hostile or torn chunk has, is passed over. */
static bool find_next_event(struct log_chain *c, const uint64_t *words)
{
	for (; c->index < c->ready; c->index++) {
		uint64_t word = words[c->index];

		if (MU_LOG_KIND(word) == MU_LOG_TIME) {
			c->stamp = word >> 2;
		} else if (MU_LOG_KIND(word) == MU_LOG_EVENT ||
			   (MU_LOG_KIND(word) == MU_LOG_WIDE && c->ready - c->index >= 3)) {
			c->head = c->stamp + MU_LOG_TICKS(word);
			return true;
		}
	}
	return false;
}

/* Look for more events. Returns whether there is one at index; head is then its time. */
static bool look_for_words(struct logmerge *m, const struct image *im, struct log_chain *c)
{
	while (c->chunk && m->budget >= MU_PAGE) {
		const struct mu_log_chunk *chunk = chunk_at_offset(im, c->chunk);
		uint32_t count = chunk ? __atomic_load_n(&chunk->count, __ATOMIC_ACQUIRE) : 0;

		c->ready = count < c->capacity ? count : c->capacity;
		if (chunk && find_next_event(c, chunk->word))
			return true;
		if (!leave_log_chunk(im, c))
			return false;
		/* A hostile chain may run in a circle of empty chunks. */
		m->budget = saturating_difference(m->budget, MU_PAGE);
	}
	return false;
}

/* ---- the queue: chains with events, the oldest first ------------------------------------- */

static bool is_chain_older(const struct logmerge *m, uint32_t a, uint32_t b)
{
	return m->chain[m->queue[a]].head < m->chain[m->queue[b]].head;
}

static void sift_down_chain(struct logmerge *m, uint32_t at)
{
	for (;;) {
		uint32_t child = 2 * at + 1, moved;

		if (child >= m->queue_count)
			return;
		if (child + 1 < m->queue_count && is_chain_older(m, child + 1, child))
			child++;
		if (!is_chain_older(m, child, at))
			return;
		moved = m->queue[at];
		m->queue[at] = m->queue[child];
		m->queue[child] = moved;
		at = child;
	}
}

static uint64_t second_oldest_time(const struct logmerge *m)
{
	uint64_t time = UINT64_MAX;

	for (uint32_t i = 1; i < 3 && i < m->queue_count; i++) {
		uint64_t head = m->chain[m->queue[i]].head;

		time = head < time ? head : time;
	}
	return time;
}

/* ---- a pass ------------------------------------------------------------------------------ */

static int reserve_chains(struct logmerge *m, uint32_t count)
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
static void raise_chain_floor(struct logmerge *m, const struct image *im, struct log_chain *c,
			      const struct mu_thread *thread)
{
	uint64_t now = m->clock.raw;
	uint32_t busy = __atomic_load_n(&thread->busy, __ATOMIC_ACQUIRE);
	bool is_busy = busy != 0 && busy != MU_BUSY_REQUEST;
	uint64_t at_least;

	if (c->chunk == 0) {
		uint64_t first = __atomic_load_n(&thread->log_first, __ATOMIC_ACQUIRE);

		if (first)
			enter_log_chunk(im, c, first);
	}
	if (is_busy) {
		uint64_t last = __atomic_load_n(&thread->log_time, __ATOMIC_ACQUIRE);

		c->floor = last > c->floor ? last : c->floor;
		at_least = saturating_difference(now, raw_time_distance(&m->clock, STUCK_NS));
	} else {
		at_least = saturating_difference(now, raw_time_distance(&m->clock, VISIBLE_NS));
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
	m->queue_count = 0;
	if (reserve_chains(m, (uint32_t)threads) < 0)
		return -1;
	/* The events of a single thread are in order; a thread that began a moment ago has none
	 * before that moment. */
	m->limit_raw = is_dead ? UINT64_MAX : clock->raw;
	for (uint32_t i = 0; i < m->chain_count; i++) {
		const struct mu_thread *thread =
			image_entry(im, MU_SEC_THREADS, i, sizeof(*thread));
		struct log_chain *c = &m->chain[i];

		if (!thread)
			continue;
		raise_chain_floor(m, im, c, thread);
		if (!is_dead && m->chain_count > 1 && c->floor < m->limit_raw)
			m->limit_raw = c->floor;
		if (look_for_words(m, im, c))
			m->queue[m->queue_count++] = i;
	}
	for (uint32_t i = m->queue_count / 2; i-- > 0;)
		sift_down_chain(m, i);
	m->previous_raw = saturating_difference(clock->raw, raw_time_distance(clock, VISIBLE_NS));
	return 0;
}

/* Variables of the inner loop, kept out of memory that it shares with other threads. */
struct log_sums {
	uint64_t heap, heap_peak, stack_peak, total_peak, last_ns;
};

static inline struct log_event apply_event(struct log_sums *s, int64_t change, uint64_t stack)
{
	uint64_t total;

	s->heap += (uint64_t)change;
	total = s->heap + stack;
	s->heap_peak = (int64_t)s->heap > (int64_t)s->heap_peak ? s->heap : s->heap_peak;
	s->stack_peak = stack > s->stack_peak ? stack : s->stack_peak;
	s->total_peak = (int64_t)total > (int64_t)s->total_peak ? total : s->total_peak;
	return (struct log_event){ s->heap, stack, s->last_ns };
}

/* Events that bear the time of the one before, as nearly all of a lone thread do: one comparison
 * is for kind and ticks of a word. */
static size_t decode_narrow_run(const uint64_t *word, size_t words, struct log_sums *s,
				struct log_event *batch)
{
	struct log_sums sums = *s;
	size_t n = 0;

	for (; n < words && (word[n] & 0xfff) == MU_LOG_EVENT; n++)
		batch[n] = apply_event(&sums, MU_LOG_HEAP(word[n]), MU_LOG_STACK(word[n]));
	*s = sums;
	return n;
}

/* The event at index, which find_next_event() found. Times only go forward, whatever clocks and
 * hostile programs do. */
static struct log_event decode_single_event(const struct logmerge *m, struct log_chain *c,
					    const uint64_t *words, struct log_sums *s)
{
	uint64_t word = words[c->index];
	uint64_t ns = log_clock_ns(&m->clock, c->head) - m->origin_ns;

	s->last_ns = (int64_t)(ns - s->last_ns) > 0 ? ns : s->last_ns;
	c->stamp = c->head;
	/* The word may have changed since. */
	if (MU_LOG_KIND(word) != MU_LOG_WIDE || c->ready - c->index < 3) {
		c->index++;
		return apply_event(s, MU_LOG_HEAP(word), MU_LOG_STACK(word));
	}
	c->index += 3;
	return apply_event(s, (int64_t)words[c->index - 2], words[c->index - 1]);
}

/* Events of chain C up to raw time LIMIT, with all the figures in S. */
static size_t decode_events(const struct logmerge *m, struct log_chain *c, const uint64_t *words,
			    uint64_t limit, struct log_sums *s, struct log_event *batch, size_t max)
{
	size_t n = 0;

	while (n < max && find_next_event(c, words) && c->head <= limit) {
		size_t left, run;

		batch[n++] = decode_single_event(m, c, words, s);
		left = c->ready - c->index;
		run = decode_narrow_run(words + c->index, left < max - n ? left : max - n, s,
					batch + n);
		c->index += (uint32_t)run;
		n += run;
	}
	return n;
}

static size_t read_chain_run(struct logmerge *m, const struct image *im, struct log_chain *c,
			     uint64_t limit, struct log_event *batch, size_t max)
{
	const struct mu_log_chunk *chunk = chunk_at_offset(im, c->chunk);
	struct log_chain chain = *c;
	struct log_sums s = { m->heap, m->heap_peak, m->stack_peak, m->total_peak, m->last_ns };
	size_t n = chunk ? decode_events(m, &chain, chunk->word, limit, &s, batch, max) : 0;

	m->heap = s.heap;
	m->heap_peak = s.heap_peak;
	m->stack_peak = s.stack_peak;
	m->total_peak = s.total_peak;
	m->last_ns = s.last_ns;
	m->budget = saturating_difference(m->budget, (chain.index - c->index) * sizeof(uint64_t));
	*c = chain;
	return n;
}

size_t logmerge_read(struct logmerge *m, const struct image *im, struct log_event *batch,
		     size_t max)
{
	size_t stored = 0;

	while (stored < max && m->queue_count > 0) {
		struct log_chain *c = &m->chain[m->queue[0]];
		uint64_t limit = second_oldest_time(m);
		size_t n;

		if (limit > m->limit_raw)
			limit = m->limit_raw;
		n = read_chain_run(m, im, c, limit, batch + stored, max - stored);
		stored += n;
		if (c->index < c->ready &&
		    find_next_event(c, chunk_at_offset(im, c->chunk)->word)) {
			/* The oldest event of all is not certain yet. */
			if (n == 0 && c->head > m->limit_raw)
				break;
		} else if (!look_for_words(m, im, c)) {
			m->queue[0] = m->queue[--m->queue_count];
		}
		sift_down_chain(m, 0);
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
	if (reserve_chains(m, (uint32_t)threads) < 0)
		return;
	for (uint32_t i = 0; i < m->chain_count; i++) {
		const struct mu_thread *thread =
			image_entry(im, MU_SEC_THREADS, i, sizeof(*thread));
		struct log_chain *c = &m->chain[i];

		if (thread && c->chunk == 0)
			enter_log_chunk(im, c,
					__atomic_load_n(&thread->log_first, __ATOMIC_ACQUIRE));
		while (look_for_words(m, im, c)) {
			m->budget = saturating_difference(m->budget,
							  (c->ready - c->index) * sizeof(uint64_t));
			c->index = c->ready;
		}
	}
}
