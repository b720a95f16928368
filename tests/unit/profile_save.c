/* profile_save.c -- A kept recording has the same figures as the live one it was made from.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/save/save.h"

#include <fcntl.h>
#include <unistd.h>

#include "profile/read/result.h"
#include "profile/read/snapshot_values.h"
#include "tests/lib/fake_image.h"
#include "tests/lib/tap.h"

#define SLOT UINT64_C(4194304)

enum { MAPPINGS = 500, MAPPINGS_LOG2 = 9 };

static struct result before, after;

/* Three pieces with the values of two sites each: 3, 5, 7, ... */
static void put_shot(const struct fake *f, uint32_t k)
{
	static const uint8_t first[] = { 3, 20, 2, 1, 20, 2 }, more[] = { 1, 20, 2, 1, 20, 2 };
	struct mu_image *im = fake_at(f, k);
	struct mu_table *t = &im->table[MU_SEC_SNAPSHOTS];
	struct mu_snapshot *shot;
	uint64_t next = 0;

	*t = (struct mu_table){ .entry_size = sizeof(*shot), .first_log2 = 0, .count = 1 };
	t->extent[0] = fake_alloc(f, k, sizeof(*shot));
	for (int i = 2; i >= 0; i--) {
		uint64_t offset = fake_alloc(f, k, 1024);
		struct mu_values *piece = fake_pointer(f, k, offset);

		*piece = (struct mu_values){ .next = next, .used = sizeof(first) };
		memcpy(piece->byte, i == 0 ? first : more, sizeof(first));
		next = offset;
	}
	shot = fake_pointer(f, k, t->extent[0]);
	*shot = (struct mu_snapshot){ .packed = next, .packed_bytes = 3 * sizeof(first) };
	im->features |= MU_FEATURE(MU_SEC_SNAPSHOTS);
}

static void compare_shot(const struct image *im)
{
	struct mu_site_value value;
	struct snapshot_values values;
	struct mu_snapshot shot;

	if (!IS_TRUE(image_snapshot(im, 0, &shot)))
		return;
	EQ_U(shot.packed_bytes, 18);
	snapshot_values_open(&values, im, &shot);
	for (uint32_t site = 3; site <= 13; site += 2) {
		IS_TRUE(snapshot_values_next(&values, &value));
		EQ_U(value.site, site);
		EQ_I(value.bytes, 10);
		EQ_I(value.blocks, 1);
	}
	IS_FALSE(snapshot_values_next(&values, &value));
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
	*map = (struct mu_table){ .entry_size = sizeof(struct mu_mapping),
				  .first_log2 = MAPPINGS_LOG2, .count = MAPPINGS };
	map->extent[0] = fake_alloc(f, k, sizeof(struct mu_mapping) << MAPPINGS_LOG2);
	for (uint64_t i = 0; i < MAPPINGS; i++)
		((struct mu_mapping *)fake_pointer(f, k, map->extent[0]))[i].start = i << 12;
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
	im->features |= MU_FEATURE(MU_SEC_BLOCKS);
	im->blocks_root = fake_alloc(f, k, sizeof(struct mu_blocks));
	put_shot(f, k);
}

static void compare(const struct segment *kept, const struct fake *f, uint32_t k)
{
	struct mu_error err = { 0 };
	const struct mu_mapping *mapping;
	const struct mu_module *module;
	struct image live, copy;
	char path[32];

	EQ_I(image_load(&live, fake_at(f, k), SLOT, NULL, NULL), 0);
	if (!EQ_I(segment_image(kept, k, &copy, &err), 0)) {
		diag("%s", err.text);
		return;
	}
	EQ_I(save_verify(kept, &copy, &err), 0);
	result_take(&before, &live);
	result_take(&after, &copy);
	EQ_MEM(&after.counters, &before.counters, sizeof(after.counters));
	EQ_U(after.counters.hist[MU_HIST_LOW + 5], 154);
	EQ_S(after.name, "prog");
	EQ_S(after.exe, "/bin/prog");
	EQ_U(after.heap_peak, 4321);
	EQ_U(after.stack_peak, 1234);
	OK(!(copy.head.features & (MU_FEATURE(MU_SEC_LOG) | MU_FEATURE(MU_SEC_BLOCKS))),
	   "the event log and the table of blocks are not kept");
	EQ_U(copy.head.blocks_root, 0);
	module = image_entry(&copy, MU_SEC_MODULES, 1, sizeof(*module));
	if (OK(module, "the second module is there")) {
		image_string(&copy, &module->path, path, sizeof(path));
		EQ_S(path, "/lib/b.so");
	}
	EQ_U(image_count(&copy, MU_SEC_MAPPINGS), MAPPINGS);
	compare_shot(&copy);
	mapping = image_entry(&copy, MU_SEC_MAPPINGS, MAPPINGS - 1, sizeof(*mapping));
	if (OK(mapping, "the last mapping is there"))
		EQ_U(mapping->start, (uint64_t)(MAPPINGS - 1) << 12);
}

static void round_trip(const struct fake *f, uint32_t images)
{
	int fd = open("kept.mur", O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct mu_error err = { 0 };
	struct segment kept;
	struct image im;
	struct save k;

	EQ_I(save_begin(&k, fd, f->head, &err), 0);
	for (uint32_t i = 0; i < images; i++) {
		image_load(&im, fake_at(f, i), SLOT, NULL, NULL);
		EQ_I(save_add(&k, &im, &f->slot[i], &err), 0);
		/* After each image the file is whole. */
		EQ_I(segment_open(&kept, "kept.mur", &err), 0);
		EQ_U(kept.head.slot_count, i + 1);
		segment_close(&kept);
	}
	save_end(&k);
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
		    segment_image(&s, 0, &im, &err) < 0 || save_verify(&s, &im, &err) < 0) {
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
	struct save k;
	bool good = true;

	EQ_I(save_begin(&k, fd, f->head, &err), 0);
	image_load(&im, fake_at(f, 1), SLOT, NULL, NULL);
	for (int i = 0; i < 200; i++)
		good = good && save_add(&k, &im, &f->slot[1], &err) == 0;
	save_end(&k);
	close(fd);
	OK(good, "200 images are kept");
	EQ_I(segment_open(&kept, "many.mur", &err), 0);
	EQ_U(kept.head.slot_count, 200);
	for (uint32_t i = 0; i < 200; i++)
		good = good && segment_image(&kept, i, &im, &err) == 0 &&
		       save_verify(&kept, &im, &err) == 0;
	OK(good, "and can all be read");
	segment_close(&kept);
}

/* Snapshots that all name the same values: as much is kept as the image can have had. */
static void shared_values(const struct fake *f)
{
	enum { SHOTS = 1024, BYTES = 500000 };
	int fd = open("shared.mur", O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct mu_image *head = fake_at(f, 0);
	struct mu_table *t = &head->table[MU_SEC_SNAPSHOTS];
	uint64_t values = fake_alloc(f, 0, BYTES);
	struct mu_error err = { 0 };
	struct mu_snapshot *shot;
	struct segment kept;
	struct image im;
	struct save k;

	*t = (struct mu_table){ .entry_size = sizeof(*shot), .first_log2 = 10, .count = SHOTS };
	t->extent[0] = fake_alloc(f, 0, SHOTS * sizeof(*shot));
	shot = fake_pointer(f, 0, t->extent[0]);
	for (int i = 0; i < SHOTS; i++)
		shot[i] = (struct mu_snapshot){ .values = values, .value_count =
						BYTES / sizeof(struct mu_site_value) };
	EQ_I(save_begin(&k, fd, f->head, &err), 0);
	image_load(&im, head, SLOT, NULL, NULL);
	EQ_I(save_add(&k, &im, &f->slot[0], &err), 0);
	save_end(&k);
	OK(lseek(fd, 0, SEEK_END) < 3 * (off_t)im.head.used, "%ld bytes of an image of %lu",
	   (long)lseek(fd, 0, SEEK_END), (unsigned long)im.head.used);
	close(fd);
	EQ_I(segment_open(&kept, "shared.mur", &err), 0);
	EQ_I(segment_image(&kept, 0, &im, &err), 0);
	EQ_I(save_verify(&kept, &im, &err), 0);
	EQ_U(image_count(&im, MU_SEC_SNAPSHOTS), SHOTS);
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
	shared_values(&f);
	free(f.base);
	return done_testing();
}
