/* profile_keep.c -- a kept recording says the same as the live one it was made from.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/keep.h"

#include <fcntl.h>
#include <unistd.h>

#include "profile/blocks.h"
#include "profile/result.h"
#include "tests/lib/fake_image.h"
#include "tests/lib/tap.h"

#define SLOT UINT64_C(4194304)

enum { BLOCKS = 300 };

static struct result before, after;

/* The live block table: one region, one leaf, pages of lines. */
static void put_blocks(const struct fake *f, uint32_t k)
{
	struct mu_image *im = fake_at(f, k);
	uint64_t regions = fake_alloc(f, k, 4 * sizeof(struct mu_region));
	uint64_t leaves = fake_alloc(f, k, 512 * 8), leaf = fake_alloc(f, k, 512 * 8);
	uint64_t root = fake_alloc(f, k, sizeof(struct mu_blocks));
	struct mu_region *region = fake_pointer(f, k, regions);

	((struct mu_blocks *)fake_pointer(f, k, root))->regions = regions | 2;
	region[2].key = 0x15 + 1;
	region[2].leaves = leaves;
	((uint64_t *)fake_pointer(f, k, leaves))[3] = leaf;
	im->blocks_root = root;
	im->features |= MU_FEATURE(MU_SEC_BLOCKS);
	for (uint64_t page = 0; page < BLOCKS / 4; page++) {
		uint64_t bucket = fake_alloc(f, k, 2 * sizeof(struct mu_line));
		struct mu_line *line = fake_pointer(f, k, bucket);

		for (uint32_t i = 0; i < 4; i++) {
			/* Two in each line, out of order. */
			uint32_t granule = (3 - i) * 128;

			line[granule >> 8].tag[i] = granule << 1 | 1;
			line[granule >> 8].size[i] = 100 + page * 4 + i;
		}
		((uint64_t *)fake_pointer(f, k, leaf))[page] = (bucket >> 6) << 9 | 2 << 1;
	}
}

struct seen {
	uint64_t count, bytes, last;
	bool sorted;
};

static bool see(const struct mu_block *block, void *data)
{
	struct seen *seen = data;

	seen->sorted = seen->sorted && block->address > seen->last;
	seen->last = block->address;
	seen->count++;
	seen->bytes += block->size;
	return true;
}

static struct seen look(const struct image *im)
{
	struct seen seen = { .sorted = true };

	uint64_t count = blocks_walk(im, see, &seen);

	EQ_U(seen.count, count);
	return seen;
}

static void fill(struct fake *f, uint32_t k)
{
	struct mu_image *im = fake_image(f, k);
	struct mu_thread *t = fake_thread(f, k);
	struct mu_table *map = &im->table[MU_SEC_MAPPINGS], *modules = &im->table[MU_SEC_MODULES];
	uint64_t high = fake_alloc(f, k, MU_HIST_HIGH * 8);

	im->process.exe = fake_string(f, k, "/bin/prog", 9);
	im->process.cmdline = fake_string(f, k, "prog\0arg", 9);
	t->counters.calls[MU_FN_MALLOC] = 10 + k;
	t->counters.hist_high = high;
	t->stack_peak = 1234;
	((uint64_t *)fake_pointer(f, k, high))[5] = 77;
	im->retired.hist_high = high;
	im->heap.peak = 4321;
	*map = (struct mu_table){ .entry_size = sizeof(struct mu_mapping), .first_log2 = 4,
				  .count = 1 };
	map->extent[0] = fake_alloc(f, k, 256);
	((struct mu_mapping *)fake_pointer(f, k, map->extent[0]))->start = 0x7000;
	*modules = (struct mu_table){ .entry_size = sizeof(struct mu_module), .first_log2 = 0,
				      .count = 2 };
	for (int i = 0; i < 2; i++) {
		struct mu_module *module;

		modules->extent[i] = fake_alloc(f, k, sizeof(*module));
		module = fake_pointer(f, k, modules->extent[i]);
		module->start = (uint64_t)i + 1;
		module->path = fake_string(f, k, i ? "/lib/b.so" : "/lib/a", i ? 9 : 6);
	}
	im->features |= MU_FEATURE(MU_SEC_MAPPINGS) | MU_FEATURE(MU_SEC_MODULES) |
			MU_FEATURE(MU_SEC_LOG);
	put_blocks(f, k);
}

static void compare(const struct segment *kept, const struct fake *f, uint32_t k)
{
	struct mu_error err = { 0 };
	const struct mu_module *module;
	struct image live, copy;
	struct seen a, b;
	char path[32];

	EQ_I(image_load(&live, fake_at(f, k), SLOT, NULL), 0);
	if (!EQ_I(segment_image(kept, k, &copy, &err), 0)) {
		diag("%s", err.text);
		return;
	}
	EQ_I(keep_verify(kept, &copy, &err), 0);
	result_take(&before, &live);
	result_take(&after, &copy);
	EQ_MEM(&after.counters, &before.counters, sizeof(after.counters));
	EQ_U(after.counters.hist[MU_HIST_LOW + 5], 154);
	EQ_S(after.name, "prog");
	EQ_S(after.exe, "/bin/prog");
	EQ_U(after.heap_peak, 4321);
	EQ_U(after.stack_peak, 1234);
	a = look(&live);
	b = look(&copy);
	EQ_U(a.count, BLOCKS);
	IS_TRUE(a.sorted);
	EQ_MEM(&a, &b, sizeof(a));
	OK(!(copy.head.features & MU_FEATURE(MU_SEC_LOG)), "the event log is not kept");
	module = image_entry(&copy, MU_SEC_MODULES, 1, sizeof(*module));
	if (OK(module, "the second module is there")) {
		image_string(&copy, &module->path, path, sizeof(path));
		EQ_S(path, "/lib/b.so");
	}
	EQ_U(image_count(&copy, MU_SEC_MAPPINGS), 1);
}

static void round_trip(const struct fake *f, uint32_t images)
{
	int fd = open("kept.mur", O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct mu_error err = { 0 };
	struct segment kept;
	struct image im;
	struct keep k;

	EQ_I(keep_begin(&k, fd, f->head, &err), 0);
	for (uint32_t i = 0; i < images; i++) {
		image_load(&im, fake_at(f, i), SLOT, NULL);
		EQ_I(keep_add(&k, &im, &f->slot[i], &err), 0);
		/* After each image the file is whole. */
		EQ_I(segment_open(&kept, "kept.mur", &err), 0);
		EQ_U(kept.head.slot_count, i + 1);
		segment_close(&kept);
	}
	keep_end(&k);
	close(fd);
	EQ_I(segment_open(&kept, "kept.mur", &err), 0);
	EQ_U(kept.head.kind, MU_KIND_KEPT);
	for (uint32_t i = 0; i < images; i++)
		compare(&kept, f, i);
	segment_close(&kept);
}

/* Wherever the file is cut or a byte is changed: an error or an image, never a crash. */
static void damage(void)
{
	int fd = open("kept.mur", O_RDWR);
	off_t size = lseek(fd, 0, SEEK_END);
	unsigned char *bytes = malloc((size_t)size), *copy = malloc((size_t)size);
	uint64_t noticed = 0, tries = 0;
	struct mu_error err;
	struct segment s;
	struct image im;

	EQ_I(pread(fd, bytes, (size_t)size, 0), size);
	close(fd);
	for (off_t at = 0; at < size; at += 97, tries++) {
		memcpy(copy, bytes, (size_t)size);
		copy[at] ^= 0x40;
		if (segment_view(&s, copy, (uint64_t)size, &err) < 0 ||
		    segment_image(&s, 0, &im, &err) < 0 || keep_verify(&s, &im, &err) < 0) {
			noticed++;
			continue;
		}
		result_take(&after, &im);
	}
	OK(noticed > tries / 10, "%lu of %lu changes noticed", (unsigned long)noticed,
	   (unsigned long)tries);
	for (off_t cut = 0; cut < size; cut += 61) {
		if (segment_view(&s, bytes, (uint64_t)cut, &err) < 0 ||
		    segment_image(&s, 0, &im, &err) < 0)
			continue;
		result_take(&after, &im);
	}
	PASS("every truncation survived");
	free(bytes);
	free(copy);
}

/* More images than the first table of the file has room for. */
static void many_images(const struct fake *f)
{
	int fd = open("many.mur", O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct mu_error err = { 0 };
	struct segment kept;
	struct image im;
	struct keep k;
	bool good = true;

	EQ_I(keep_begin(&k, fd, f->head, &err), 0);
	image_load(&im, fake_at(f, 1), SLOT, NULL);
	for (int i = 0; i < 200; i++)
		good = good && keep_add(&k, &im, &f->slot[1], &err) == 0;
	keep_end(&k);
	close(fd);
	OK(good, "200 images are kept");
	EQ_I(segment_open(&kept, "many.mur", &err), 0);
	EQ_U(kept.head.slot_count, 200);
	for (uint32_t i = 0; i < 200; i++)
		good = good && segment_image(&kept, i, &im, &err) == 0 &&
		       keep_verify(&kept, &im, &err) == 0 &&
		       blocks_walk(&im, see, &(struct seen){ 0 }) == BLOCKS;
	OK(good, "and can all be read");
	segment_close(&kept);
}

int main(void)
{
	struct fake f;

	fake_segment(&f, MU_KIND_TREE, 2, SLOT);
	fill(&f, 0);
	fill(&f, 1);
	round_trip(&f, 2);
	damage();
	many_images(&f);
	free(f.base);
	return done_testing();
}
