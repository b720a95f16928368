/* merge_readers.c -- Threads that read recordings, whose results are added up in their order.
 *
 * Numbers are taken in ascending order, and each thread holds one: so the lowest number that is not
 * added yet is always being read, and its thread waits for none.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/merge/merge_readers.h"

#include <pthread.h>
#include <sched.h>

struct merge_readers {
	pthread_mutex_t lock;
	pthread_cond_t has_moved;
	uint32_t count;
	uint32_t next;		/* number that no thread has taken */
	uint32_t turn;		/* number whose results may be added */
	merge_read *read;
	void *data;
};

uint32_t merge_readers_usual(void)
{
	cpu_set_t cpus;
	int count;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) < 0)
		return 1;
	count = CPU_COUNT(&cpus);
	return count < MERGE_READERS_MAX ? (uint32_t)count : MERGE_READERS_MAX;
}

static bool take_number(struct merge_readers *r, uint32_t *number)
{
	bool is_left;

	pthread_mutex_lock(&r->lock);
	is_left = r->next < r->count;
	if (is_left)
		*number = r->next++;
	pthread_mutex_unlock(&r->lock);
	return is_left;
}

void merge_turn_wait(struct merge_turn *turn)
{
	struct merge_readers *r = turn->of;

	if (turn->has_come)
		return;
	pthread_mutex_lock(&r->lock);
	while (r->turn != turn->number)
		pthread_cond_wait(&r->has_moved, &r->lock);
	pthread_mutex_unlock(&r->lock);
	turn->has_come = true;
}

static void pass_turn(struct merge_turn *turn)
{
	struct merge_readers *r = turn->of;

	merge_turn_wait(turn);
	pthread_mutex_lock(&r->lock);
	r->turn++;
	pthread_cond_broadcast(&r->has_moved);
	pthread_mutex_unlock(&r->lock);
}

static void *read_recordings(void *readers)
{
	struct merge_readers *r = readers;
	struct merge_turn turn = { .of = r };

	while (take_number(r, &turn.number)) {
		turn.has_come = false;
		r->read(r->data, turn.number, &turn);
		pass_turn(&turn);
	}
	return NULL;
}

void merge_readers_run(uint32_t count, uint32_t readers, merge_read *read, void *data)
{
	struct merge_readers r = { .lock = PTHREAD_MUTEX_INITIALIZER,
				   .has_moved = PTHREAD_COND_INITIALIZER,
				   .count = count, .read = read, .data = data };
	pthread_t thread[MERGE_READERS_MAX];
	uint32_t started = 0;

	/* Without room for a thread, in a limited address space for example, the others do it. */
	while (started + 1 < readers && started + 1 < count && started + 1 < MERGE_READERS_MAX &&
	       pthread_create(&thread[started], NULL, read_recordings, &r) == 0)
		started++;
	read_recordings(&r);
	for (uint32_t i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
}
