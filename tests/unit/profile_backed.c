/* profile_backed.c -- nobody reads a hole of shared memory, and so makes it one no more, whatever
 * an image claims; what is backed is read, also what comes later.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/backed.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/read/result.h"
#include "profile/read/segment.h"
#include "profile/save/save.h"
#include "tests/lib/tap.h"

enum { PAGES = 1024, SLOT = PAGES * (int)MU_PAGE, SIZE = 3 * SLOT };

static int memory;
static uint8_t *base;

static void begin(void)
{
	memory = memfd_create("memory", MFD_CLOEXEC);
	EQ_I(ftruncate(memory, SIZE), 0);
	base = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	OK(base != MAP_FAILED, "there is shared memory");
}

static void end(void)
{
	munmap(base, SIZE);
	close(memory);
}

static void touch(unsigned int page, unsigned int count)
{
	memset(base + SLOT + (size_t)page * MU_PAGE, 1, (size_t)count * MU_PAGE);
}

static uint64_t pages(void)
{
	struct stat st = { .st_blocks = 0 };

	fstat(memory, &st);
	return (uint64_t)st.st_blocks * 512 / MU_PAGE;
}

static void test_runs(void)
{
	struct backed b;

	begin();
	touch(2, 3);
	touch(10, 1);
	backed_init(&b, memory, SLOT, SLOT);
	EQ_U(backed_run(&b, 0, 1), 0);
	EQ_U(backed_run(&b, 2 * MU_PAGE, 1), 3 * MU_PAGE);
	EQ_U(backed_run(&b, 3 * MU_PAGE + 5, 100000), 2 * MU_PAGE - 5);
	EQ_U(backed_run(&b, 5 * MU_PAGE, 1), 0);
	EQ_U(backed_run(&b, 10 * MU_PAGE, 1), MU_PAGE);
	EQ_U(backed_run(&b, SLOT, 1), 0);
	EQ_U(backed_run(&b, UINT64_MAX - 5, 1), 0);
	EQ_U(backed_bytes(&b), 4 * MU_PAGE);
	/* It grows. */
	touch(5, 2);
	EQ_U(backed_run(&b, 4 * MU_PAGE, 3 * MU_PAGE), 3 * MU_PAGE);
	EQ_U(backed_run(&b, 6 * MU_PAGE, 1), MU_PAGE);
	EQ_U(backed_bytes(&b), 6 * MU_PAGE);
	/* Beyond its end the neighbour's memory does not count. */
	touch(PAGES - 1, 2);
	EQ_U(backed_run(&b, SLOT - 10, 20), 10);
	EQ_U(pages(), 8);
	end();
}

/* Every second page: more runs than are remembered, in any order. */
static void test_many_runs(void)
{
	struct backed b;
	unsigned int wrong = 0;

	begin();
	for (unsigned int i = 0; i < PAGES; i += 2)
		touch(i, 1);
	backed_init(&b, memory, SLOT, SLOT);
	for (unsigned int i = 0; i < 10 * PAGES; i++) {
		unsigned int page = i * 7919 % PAGES;

		wrong += backed_run(&b, (uint64_t)page * MU_PAGE + 9, 8) !=
			 (page % 2 ? 0 : MU_PAGE - 9);
	}
	EQ_U(wrong, 0);
	EQ_U(backed_bytes(&b), SLOT / 2);
	EQ_U(pages(), PAGES / 2);
	end();
}

/* What cannot be asked is all there. */
static void test_unknown(void)
{
	int pipes[2];
	struct backed b;

	EQ_I(pipe(pipes), 0);
	backed_init(&b, pipes[0], 0, SLOT);
	EQ_U(backed_run(&b, 100, 10), SLOT - 100);
	EQ_U(backed_bytes(&b), SLOT);
	close(pipes[0]);
	close(pipes[1]);
}

static void make_segment(struct segment *s)
{
	struct mu_segment *h = (void *)base;
	struct mu_slot *slot = (void *)(base + MU_PAGE);

	*h = (struct mu_segment){ .version = MU_VERSION, .header_size = sizeof(*h),
				  .kind = MU_KIND_TREE, .magic = MU_SEGMENT_MAGIC, .size = SIZE,
				  .slot_count = 2, .slot_table = MU_PAGE, .slots = SLOT,
				  .slot_size = SLOT };
	slot[0].state = MU_SLOT_LIVE;
	EQ_I(segment_view(s, base, SIZE, NULL), 0);
	EQ_I(segment_watch(s, memory, NULL), 0);
}

/* An image of eight pages whose tables, strings and sums are all that can be claimed. */
static struct mu_image *make_image(void)
{
	struct mu_image *im = (void *)(base + SLOT);
	const struct mu_string all = { .offset = 8 * MU_PAGE, .length = SLOT - 8 * (int)MU_PAGE };

	touch(0, 8);
	memset(im, 0, 8 * MU_PAGE);
	*im = (struct mu_image){ .magic = MU_IMAGE_MAGIC, .version = MU_VERSION,
				 .header_size = sizeof(*im), .used = UINT64_MAX,
				 .populated = UINT64_MAX, .log_bytes = UINT64_MAX,
				 .features = UINT64_MAX, .lifetimes = 9 * MU_PAGE,
				 .points = 9 * MU_PAGE, .batch = 11 * MU_PAGE };
	im->process.exe = im->process.cmdline = im->process.cwd = im->unseen_malloc = all;
	im->retired.hist_high = 20 * MU_PAGE;
	for (unsigned int section = 0; section < MU_SEC_COUNT; section++) {
		im->table[section] = (struct mu_table){ .entry_size = 64 << section % 6,
							.first_log2 = 2, .count = UINT64_MAX };
		for (unsigned int k = 0; k < MU_TABLE_EXTENTS; k++)
			im->table[section].extent[k] = (4 + k * section % 9) * MU_PAGE;
	}
	return im;
}

static uint64_t size_of(int fd)
{
	struct stat st = { .st_size = 0 };

	fstat(fd, &st);
	return (uint64_t)st.st_size;
}

static void test_claims(void)
{
	struct result *result = calloc(1, sizeof(*result));
	int file = memfd_create("kept", MFD_CLOEXEC);
	struct mu_slot slot = { .pid = 1 };
	struct segment s;
	struct image im;
	struct save keep;
	uint64_t before;

	begin();
	make_segment(&s);
	make_image();
	before = pages();
	EQ_I(segment_image(&s, 0, &im, NULL), 0);
	IN_U(image_count(&im, MU_SEC_FRAMES), 0, 8 * MU_PAGE / 64);
	result_take(result, &im);
	EQ_I(save_begin(&keep, file, &s.head, NULL), 0);
	EQ_I(save_add(&keep, &im, &slot, NULL), 0);
	EQ_U(pages(), before);
	/* All that is there twice, besides headers and the gaps between strings. */
	IN_U(size_of(file), 1, 2 * 8 * MU_PAGE + 12 * MU_PAGE);
	save_end(&keep);
	segment_unwatch(&s);
	close(file);
	free(result);
	end();
}

/* A slot that was given up holds nothing of what it held. */
static void test_forget(void)
{
	struct segment s;
	struct image im;

	begin();
	make_segment(&s);
	make_image();
	EQ_I(segment_image(&s, 0, &im, NULL), 0);
	OK(image_at(&im, 7 * MU_PAGE, 8), "the image has eight pages");
	IS_NULL(image_at(&im, 8 * MU_PAGE, 8));
	touch(8, 1);
	OK(image_at(&im, 8 * MU_PAGE, 8), "and then nine");
	EQ_I(fallocate(memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, SLOT, SLOT), 0);
	segment_forget(&s, 0);
	IS_NULL(image_at(&im, 7 * MU_PAGE, 8));
	segment_unwatch(&s);
	end();
}

int main(void)
{
	test_runs();
	test_many_runs();
	test_unknown();
	test_claims();
	test_forget();
	return done_testing();
}
