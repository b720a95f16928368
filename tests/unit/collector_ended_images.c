/* collector_ended_images.c -- a collector reports the results that another one wrote, also if the
 * last entry was cut short, and whatever the file holds.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/report/ended_images.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/tap.h"

enum { COUNT = 5 };

static struct settings settings = { .children = CHILDREN_NONE };

static struct result *make(uint64_t seed)
{
	struct result *r = calloc(1, sizeof(*r));

	r->counters.calls[MU_FN_MALLOC] = seed;
	r->counters.bytes[MU_FN_MALLOC] = 100 * seed;
	r->counters.hist[seed] = seed;
	r->heap_peak = 7 * seed;
	r->own_bytes = 100 * seed;
	strcpy(r->name, "program");
	r->foreign[sizeof(r->foreign) - 2] = (char)seed;
	return r;
}

static struct mu_slot slot;

/* Replays FD. Returns how many there were; the main one is in *last. */
static uint64_t replay(int fd, struct result *last)
{
	struct report r;
	uint64_t images;

	report_open(&r, &settings, -1, false);
	ended_images_replay(fd, &r, &slot);
	images = r.images;
	if (r.main)
		memcpy(last, r.main, sizeof(*last));
	report_close(&r);
	return images;
}

/* A collector dies at any byte of the last entry; another one reports two more, and dies, too. */
static void check_cuts(int fd, off_t before, off_t size)
{
	struct result *last = make(1), *more = make(9);
	bool is_dropped = true, is_followed = true;
	char entry[8192];

	IS_TRUE(pread(fd, entry, (size_t)(size - before), before) == size - before);
	for (off_t end = size - 1; end > before; end -= 97) {
		is_dropped &= ftruncate(fd, before) == 0 && lseek(fd, before, SEEK_SET) == before &&
			      write(fd, entry, (size_t)(end - before)) == end - before &&
			      replay(fd, last) == COUNT - 1;
		ended_images_add(fd, REPORT_OTHER, &(struct mu_slot){ .pid = 8 }, more);
		ended_images_add(fd, REPORT_MAIN, &(struct mu_slot){ .pid = 9 }, more);
		is_followed &= replay(fd, last) == COUNT + 1 && slot.pid == 9 &&
			       memcmp(last, more, sizeof(*last)) == 0;
	}
	OK(is_dropped, "an entry that was cut short is dropped");
	OK(is_followed, "the ones of the next collector are found by a third");
	free(last);
	free(more);
}

static void test_round_trip(void)
{
	struct result *last = make(1), *wanted = make(COUNT);
	int fd = ended_images_open();
	off_t size, before = 0;

	OK(fd >= 0, "a spill");
	EQ_U(replay(fd, last), 0);
	for (uint64_t i = 1; i <= COUNT; i++) {
		struct result *r = make(i);

		before = lseek(fd, 0, SEEK_CUR);
		ended_images_add(fd, i == COUNT ? REPORT_MAIN : REPORT_OTHER,
				 &(struct mu_slot){ .pid = (uint32_t)i, .claimed_ns = 7 * i }, r);
		free(r);
	}
	size = lseek(fd, 0, SEEK_CUR);
	EQ_U(replay(fd, last), COUNT);
	EQ_U(slot.pid, COUNT);
	EQ_U(slot.claimed_ns, 7 * COUNT);
	OK(memcmp(last, wanted, sizeof(*last)) == 0, "the same result");
	OK((size - before) < 8192, "a result is small");
	check_cuts(fd, before, size);
	close(fd);
	free(last);
	free(wanted);
}

static void test_garbage(void)
{
	struct result last;
	uint64_t word[4096], images = 0;
	unsigned int seed = 1;

	for (int round = 0; round < 200; round++) {
		int fd = ended_images_open();

		for (size_t i = 0; i < 4096; i++) {
			seed = seed * 1103515245 + 12345;
			word[i] = i % 7 == 0 ? seed % 3000 : seed;
		}
		if (write(fd, word, sizeof(word)) == (ssize_t)sizeof(word))
			images += replay(fd, &last);
		close(fd);
	}
	EQ_U(images, 0);
	ended_images_add(-1, REPORT_OTHER, &(struct mu_slot){ .pid = 1 }, &last);
	EQ_U(replay(-1, &last), 0);
}

static void test_bound(void)
{
	struct result *r = make(1);
	const int fd = ended_images_open();
	off_t end;

	IS_TRUE(lseek(fd, ENDED_IMAGES_BYTES - 1, SEEK_SET) > 0);
	ended_images_add(fd, REPORT_OTHER, &slot, r);
	end = lseek(fd, 0, SEEK_CUR);
	OK(end > ENDED_IMAGES_BYTES, "the last one that has room");
	ended_images_add(fd, REPORT_OTHER, &slot, r);
	EQ_U((uint64_t)lseek(fd, 0, SEEK_CUR), (uint64_t)end);
	ended_images_add(fd, REPORT_MAIN, &slot, r);
	OK(lseek(fd, 0, SEEK_CUR) > end, "the program's own is kept");
	close(fd);
	free(r);
}

int main(void)
{
	test_round_trip();
	test_bound();
	test_garbage();
	return done_testing();
}
