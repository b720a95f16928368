/* merge_readers.c -- Recordings are read several at a time, and added in their order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/merge/merge_readers.h"

#include <pthread.h>
#include <time.h>

#include "tests/lib/tap.h"

enum { COUNT = 2000, PATIENCE_S = 60 };

/* What all threads share: all but ADDED under the lock. */
struct shared {
	pthread_mutex_t lock;
	pthread_cond_t has_begun;
	uint32_t begun, together, most_together;
	uint32_t wanted;	/* that must have begun before any is added */
	uint32_t times[COUNT];	/* each number was read */
	uint32_t added[COUNT], count;
	bool is_late;
};

/* Waits until so many are read together as there are readers: none waits for another one. */
static void note_begin(struct shared *s, uint32_t number)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += PATIENCE_S;
	pthread_mutex_lock(&s->lock);
	s->begun++;
	s->times[number]++;
	s->together++;
	if (s->together > s->most_together)
		s->most_together = s->together;
	pthread_cond_broadcast(&s->has_begun);
	while (s->begun < s->wanted && !s->is_late)
		s->is_late = pthread_cond_timedwait(&s->has_begun, &s->lock, &end) != 0;
	pthread_mutex_unlock(&s->lock);
}

/* Unequal work lets numbers be read in another order than that of the turns. */
static void work_a_while(uint32_t number)
{
	volatile uint32_t done = 0;

	while (done < number * 7919 % 5000)
		done++;
}

static void read_one(void *data, uint32_t number, struct merge_turn *turn)
{
	struct shared *s = data;

	note_begin(s, number);
	work_a_while(number);
	if (number % 3 == 0) {
		merge_turn_wait(turn);
		merge_turn_wait(turn);
		s->added[s->count++] = number;
	}
	pthread_mutex_lock(&s->lock);
	s->together--;
	pthread_mutex_unlock(&s->lock);
}

static bool all_were_read(const struct shared *s, uint32_t count)
{
	for (uint32_t i = 0; i < COUNT; i++) {
		if (s->times[i] != (i < count))
			return false;
	}
	return true;
}

static bool are_in_order(const struct shared *s, uint32_t count)
{
	for (uint32_t i = 0; i < s->count; i++) {
		if (s->added[i] != 3 * i)
			return false;
	}
	return s->count == (count + 2) / 3;
}

static void check_readers(uint32_t readers, uint32_t count)
{
	static struct shared s;

	s = (struct shared){ .lock = PTHREAD_MUTEX_INITIALIZER,
			     .has_begun = PTHREAD_COND_INITIALIZER,
			     .wanted = readers < count ? readers : count };
	merge_readers_run(count, readers, read_one, &s);
	OK(!s.is_late, "%u readers of %u recordings read together", readers, count);
	OK(s.most_together <= (readers ? readers : 1), "... no more of them than that");
	OK(all_were_read(&s, count), "... each once");
	OK(are_in_order(&s, count), "... and add in the order of the recordings");
}

int main(void)
{
	static const uint32_t counts[] = { 0, 1, 2, 3, COUNT };

	for (uint32_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		for (uint32_t readers = 0; readers <= MERGE_READERS_MAX; readers++)
			check_readers(readers, counts[i]);
	}
	OK(merge_readers_usual() >= 1 && merge_readers_usual() <= MERGE_READERS_MAX,
	   "a machine has from one to %d of them", MERGE_READERS_MAX);
	return done_testing();
}
