/* profile_image.c -- a recording is read within its bounds, whatever stands in it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/segment.h"

#include <fcntl.h>
#include <unistd.h>

#include "tests/lib/fake_image.h"
#include "tests/lib/tap.h"

#define SLOT UINT64_C(1048576)

static void good_segment(void)
{
	struct segment s;
	struct image im;
	struct mu_error err;
	struct fake f;

	fake_segment(&f, MU_KIND_TREE, 2, SLOT);
	fake_image(&f, 1);
	EQ_I(segment_view(&s, f.base, f.size, &err), 0);
	EQ_I(segment_image(&s, 0, &im, &err), -1);
	HAS_S(err.text, "no image");
	EQ_I(segment_image(&s, 1, &im, &err), 0);
	EQ_U(im.size, SLOT);
	EQ_I(segment_image(&s, 2, &im, &err), -1);
	free(f.base);
}

static void bad_headers(void)
{
	struct mu_error err;
	struct segment s;
	struct fake f;

	fake_segment(&f, MU_KIND_TREE, 2, SLOT);
	f.head->magic++;
	EQ_I(segment_view(&s, f.base, f.size, &err), -1);
	EQ_I(err.code, MU_ERROR_FORMAT);
	f.head->magic--;
	f.head->version = 9;
	EQ_I(segment_view(&s, f.base, f.size, &err), -1);
	EQ_I(err.code, MU_ERROR_VERSION);
	f.head->version = MU_VERSION;
	f.head->kind = 4;
	EQ_I(segment_view(&s, f.base, f.size, &err), -1);
	f.head->kind = MU_KIND_TREE;
	f.head->slot_count = UINT32_MAX;
	EQ_I(segment_view(&s, f.base, f.size, &err), -1);
	f.head->slot_count = 2;
	f.head->slot_table = f.size - 64;
	EQ_I(segment_view(&s, f.base, f.size, &err), -1);
	f.head->slot_table = UINT64_MAX - 63;
	EQ_I(segment_view(&s, f.base, f.size, &err), -1);
	f.head->slot_table = MU_PAGE;
	f.head->slot_size = UINT64_MAX & ~UINT64_C(4095);
	EQ_I(segment_view(&s, f.base, f.size, &err), -1);
	f.head->slot_size = SLOT;
	EQ_I(segment_view(&s, f.base, 100, &err), -1);
	EQ_I(err.code, MU_ERROR_TRUNCATED);
	EQ_I(segment_view(&s, f.base, f.size, &err), 0);
	free(f.base);
}

/* Every truncation is refused or gives an image within what is there. */
static void truncations(void)
{
	struct mu_error err;
	struct segment s;
	struct image im;
	struct fake f;
	bool good = true;

	fake_segment(&f, MU_KIND_FILE, 1, SLOT);
	fake_image(&f, 0);
	for (uint64_t size = 0; size < f.size; size += size < 20000 ? 8 : 4096) {
		if (segment_view(&s, f.base, size, &err) < 0 ||
		    segment_image(&s, 0, &im, &err) < 0)
			continue;
		good = good && im.base + im.size <= f.base + size;
	}
	OK(good, "an image never reaches beyond the end of the file");
	free(f.base);
}

static void hostile_offsets(void)
{
	static const uint64_t offset[] = { 0, 1, SLOT - 1, SLOT, SLOT + 1, UINT64_MAX,
					   UINT64_MAX - 7, UINT64_C(1) << 63 };
	struct image im;
	struct fake f;

	fake_segment(&f, MU_KIND_TREE, 1, SLOT);
	fake_image(&f, 0);
	EQ_I(image_load(&im, fake_at(&f, 0), SLOT, NULL, NULL), 0);
	IS_NULL(image_at(&im, 0, 1));
	OK(image_at(&im, SLOT - 1, 1), "the last byte can be read");
	IS_NULL(image_at(&im, SLOT - 1, 2));
	OK(image_at(&im, SLOT, 0), "nothing can be read at the end");
	for (size_t i = 3; i < sizeof(offset) / sizeof(offset[0]); i++)
		IS_NULL(image_at(&im, offset[i], 1));
	IS_NULL(image_at(&im, 64, UINT64_MAX));
	free(f.base);
}

static void strings(void)
{
	struct mu_string string;
	struct image im;
	struct fake f;
	char text[8];

	fake_segment(&f, MU_KIND_TREE, 1, SLOT);
	fake_image(&f, 0);
	string = fake_string(&f, 0, "a\0bcdefghi", 10);
	EQ_I(image_load(&im, fake_at(&f, 0), SLOT, NULL, NULL), 0);
	EQ_U(image_string(&im, &string, text, sizeof(text)), 7);
	EQ_MEM(text, "a\0bcdef", 8);
	string.length = UINT32_MAX;
	EQ_U(image_string(&im, &string, text, sizeof(text)), 7);
	string.offset = UINT64_MAX;
	EQ_U(image_string(&im, &string, text, sizeof(text)), 0);
	EQ_S(text, "");
	free(f.base);
}

static void tables(void)
{
	struct mu_table *t;
	struct image im;
	struct fake f;
	uint64_t second;

	fake_segment(&f, MU_KIND_TREE, 1, SLOT);
	fake_image(&f, 0);
	t = &fake_at(&f, 0)->table[MU_SEC_FRAMES];
	fake_at(&f, 0)->features |= MU_FEATURE(MU_SEC_FRAMES);
	*t = (struct mu_table){ .entry_size = 16, .first_log2 = 1, .count = 5 };
	t->extent[0] = fake_alloc(&f, 0, 32);
	second = t->extent[1] = fake_alloc(&f, 0, 64);
	image_load(&im, fake_at(&f, 0), SLOT, NULL, NULL);
	EQ_U(image_count(&im, MU_SEC_FRAMES), 5);
	EQ_P(image_entry(&im, MU_SEC_FRAMES, 4, 16), im.base + second + 32);
	IS_NULL(image_entry(&im, MU_SEC_FRAMES, 5, 16));
	IS_NULL(image_entry(&im, MU_SEC_FRAMES, 0, 17));
	im.head.table[MU_SEC_FRAMES].count = UINT64_MAX;
	EQ_U(image_count(&im, MU_SEC_FRAMES), 6);
	IS_NULL(image_entry(&im, MU_SEC_FRAMES, 6, 16));
	im.head.table[MU_SEC_FRAMES].first_log2 = 64;
	IS_NULL(image_entry(&im, MU_SEC_FRAMES, 0, 16));
	im.head.table[MU_SEC_FRAMES].first_log2 = 1;
	im.head.table[MU_SEC_FRAMES].extent[0] = SLOT - 16;
	OK(image_entry(&im, MU_SEC_FRAMES, 0, 16), "an entry that just fits");
	IS_NULL(image_entry(&im, MU_SEC_FRAMES, 1, 16));
	im.head.features = 0;
	EQ_U(image_count(&im, MU_SEC_FRAMES), 0);
	free(f.base);
}

static void files(void)
{
	struct mu_error err;
	struct segment s;
	struct fake f;
	int fd;

	EQ_I(segment_open(&s, "nowhere", &err), -1);
	EQ_I(err.code, MU_ERROR_SYSTEM);
	EQ_I(segment_open(&s, "/", &err), -1);
	EQ_I(segment_open(&s, "/dev/null", &err), -1);
	fake_segment(&f, MU_KIND_FILE, 1, SLOT);
	fake_image(&f, 0);
	fd = open("file.mur", O_WRONLY | O_CREAT, 0600);
	EQ_I(write(fd, f.base, f.size), (int64_t)f.size);
	close(fd);
	EQ_I(segment_open(&s, "file.mur", &err), 0);
	EQ_U(s.size, f.size);
	segment_close(&s);
	segment_close(&s);
	EQ_I(truncate("file.mur", 100), 0);
	EQ_I(segment_open(&s, "file.mur", &err), -1);
	EQ_I(err.code, MU_ERROR_TRUNCATED);
	free(f.base);
}

int main(void)
{
	good_segment();
	bad_headers();
	truncations();
	hostile_offsets();
	strings();
	tables();
	files();
	return done_testing();
}
