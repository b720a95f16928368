/* LDLIBS: -pthread */
/* heaps.cc -- does what it is told on its standard input, in threads, and answers with what malloc then
 * says of itself.
 *
 *	make THREAD COUNT SIZE	blocks, kept, in the order of all threads
 *	align COUNT SIZE	the same, aligned to 64 KiB
 *	free THREAD COUNT	the oldest ones
 *	realloc THREAD COUNT SIZE	the oldest ones
 *	enlarge THREAD SIZE	the newest one
 *	items COUNT		objects of the class Item, and as many of its child shop::Special
 *	churn ROUNDS		threads that come, allocate, free blocks of before, and go
 *	tell			nothing
 *
 * Thread 0 is the first; the others wait for what they are told. Each answer is one line:
 *
 *	kept=BLOCKS usable=BYTES uordblks=BYTES hblks=BLOCKS hblkhd=BYTES
 *
 * the blocks that are kept, with their usable bytes, and sums of mallinfo2(). Nothing but what is told
 * allocates.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <malloc.h>
#include <pthread.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unistd.h>

extern "C" {
#include "tests/lib/workload.h"
}

enum { THREADS = 4, BLOCKS = 1 << 22, CHURNERS = 3 };

class Item {
public:
	virtual ~Item() {}
	long value[4];
};

namespace shop {
class Special : public Item {
public:
	long more[10];
};
}

struct order {
	char word[16];
	unsigned int thread;
	unsigned long count, size;
};

static void *kept[BLOCKS];
static unsigned long first, last;

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct order order;
	bool is_waiting;
} board = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {}, false };

__attribute__((noinline)) static void keep(void *block, unsigned long size)
{
	kept[last++] = memset(block, 1, size);
}

static void *churn(void *count)
{
	void *own[100];

	for (int i = 0; i < 100; i++)
		own[i] = malloc(24 + 16 * (i % 20));
	for (int i = 0; i < 100; i++)
		free(own[i]);
	return count;
}

static void run_churners(unsigned long rounds)
{
	pthread_t thread[CHURNERS];

	for (unsigned long i = 0; i < rounds; i++) {
		for (int k = 0; k < CHURNERS; k++)
			pthread_create(&thread[k], NULL, churn, NULL);
		for (int k = 0; k < CHURNERS; k++)
			pthread_join(thread[k], NULL);
	}
}

static void obey(const struct order *o)
{
	if (strcmp(o->word, "items") == 0) {
		for (unsigned long i = 0; i < o->count; i++) {
			kept[last++] = new Item;
			kept[last++] = new shop::Special;
		}
	} else if (strcmp(o->word, "churn") == 0) {
		run_churners(o->count);
	} else if (strcmp(o->word, "enlarge") == 0) {
		void *block = realloc(kept[last - 1], o->count);

		kept[last - 1] = block ? block : kept[last - 1];
	}
	for (unsigned long i = 0; i < o->count; i++) {
		if (strcmp(o->word, "make") == 0) {
			keep(malloc(o->size), o->size);
		} else if (strcmp(o->word, "align") == 0) {
			keep(aligned_alloc(65536, o->size), o->size);
		} else if (strcmp(o->word, "free") == 0) {
			free(kept[first++]);
		} else if (strcmp(o->word, "realloc") == 0) {
			void *old = kept[first++], *block = realloc(old, o->size);

			if (block)
				keep(block, o->size);
			else
				kept[last++] = old;
		}
	}
}

static void *work(void *number)
{
	const unsigned int own = (unsigned int)(unsigned long)number;

	pthread_mutex_lock(&board.lock);
	for (;;) {
		if (board.is_waiting && board.order.thread == own) {
			obey(&board.order);
			board.is_waiting = false;
			pthread_cond_broadcast(&board.changed);
		}
		pthread_cond_wait(&board.changed, &board.lock);
	}
}

static void give_order(const struct order *o)
{
	if (o->thread == 0) {
		obey(o);
		return;
	}
	pthread_mutex_lock(&board.lock);
	board.order = *o;
	board.is_waiting = true;
	pthread_cond_broadcast(&board.changed);
	while (board.is_waiting)
		pthread_cond_wait(&board.changed, &board.lock);
	pthread_mutex_unlock(&board.lock);
}

static void answer(void)
{
#if __GLIBC_PREREQ(2, 33)
	const struct mallinfo2 m = mallinfo2();
#else
	const struct mallinfo m = mallinfo();
#endif
	unsigned long usable = 0;

	for (unsigned long i = first; i < last; i++)
		usable += malloc_usable_size(kept[i]);
	say("kept=%lu usable=%lu uordblks=%zu hblks=%zu hblkhd=%zu", last - first, usable,
	    static_cast<size_t>(m.uordblks), static_cast<size_t>(m.hblks),
	    static_cast<size_t>(m.hblkhd));
}

/* One byte at a time: stdio would allocate. */
static bool read_line(char *line, size_t size)
{
	size_t length = 0;
	char c = 0;

	while (length + 1 < size && read(0, &c, 1) == 1 && c != '\n')
		line[length++] = c;
	line[length] = '\0';
	return c == '\n';
}

int main()
{
	pthread_t thread;
	char line[128];

	for (unsigned long i = 1; i < THREADS; i++)
		pthread_create(&thread, NULL, work, (void *)i);
	while (read_line(line, sizeof(line))) {
		struct order o = {};

		if (sscanf(line, "%15s", o.word) == 1 && (strcmp(o.word, "items") == 0 ||
		    strcmp(o.word, "churn") == 0))
			sscanf(line, "%*s %lu", &o.count);
		else if (strcmp(o.word, "align") == 0)
			sscanf(line, "%*s %lu %lu", &o.count, &o.size);
		else
			sscanf(line, "%*s %u %lu %lu", &o.thread, &o.count, &o.size);
		give_order(&o);
		answer();
	}
	return 0;
}
