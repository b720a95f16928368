/* collector_answers.c -- what a stranger's answer may choose, and what his memory may claim.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/record/live.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memusage/options/massif.h"
#include "memusage/record/live_snapshot.h"
#include "tests/lib/fake_image.h"
#include "tests/lib/tap.h"

static void options(void)
{
	static const struct {
		const char *text;
		bool may;
	} cases[] = {
		{ "--depth=3", true }, { "--depth=0", false }, { "--depth=x", false },
		{ "--depth=", false }, { "--depth", false }, { "--dept=3", false },
		{ "--depths=3", false }, { "-depth=3", false }, { "depth=3", false }, { "", false },
		{ "--", false }, { "--=", false }, { "--=3", false },
		{ "--threshold=0.5", true }, { "--threshold=101", false },
		{ "--threshold=nan", false }, { "--heap=no", true }, { "--heap=maybe", false },
		{ "--alloc-fn=std::vector<int>::grow(int, int)", true }, { "--alloc-fn=", false },
		{ "--ignore-fn=f*", true }, { "--ignore-fn=f\n--output=x", false },
		{ "--alloc-fn=\033[2J", false }, { "--show-below-main=yes", true },
		{ "--fullpath-after=src/", true }, { "--fullpath-after=", false },
		{ "--read-inline-info=no", true }, { "--read-inline-info=0", false },
		{ "--demangle=no", true }, { "--demangle=no --output=x", false },
		{ "--xtree-compress-strings=no", true },
		{ "--output=x", false }, { "--massif-out-file=x", false },
		{ "--dhat-out-file=x", false }, { "--xtree-memory=allocs", false },
		{ "--xtree-memory-file=x", false }, { "--spacetime-files=text", false },
		{ "--to=json", false }, { "--root=/", false }, { "--debuginfod", false },
		{ "--debuginfod=yes", false }, { "--massif-desc=x", false },
		{ "--first-image=0", false }, { "--log-file=x", false }, { "--stats=yes", false },
		{ "--time-unit=B", false }, { "--max-snapshots=10", false },
		{ "--snapshot-file=x", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		OK(massif_may_pass(cases[i].text) == cases[i].may, "%s: %s", cases[i].text,
		   cases[i].may ? "may be passed" : "may not");
}

/* A header in a memory of SIZE bytes; returns live_open() of slot K. */
static int open_as(const struct mu_segment *head, size_t size, uint32_t k)
{
	int fd = memfd_create("memusage", MFD_ALLOW_SEALING), result;
	struct mu_error err;
	struct live l;

	if (ftruncate(fd, (off_t)size) < 0 || pwrite(fd, head, sizeof(*head), 0) < 0)
		FAIL("no memory");
	result = live_open(&l, fd, k, 0, &err);
	if (result == 0) {
		const uint8_t *base = l.view.base;

		OK((uint8_t *)l.shared >= base &&
		   (uint8_t *)(l.shared + 1) <= base + size, "slot %u lies in the memory", k);
	}
	live_close(&l);
	close(fd);
	return result;
}

static void bounds(void)
{
	const size_t size = 8 << 20;
	struct mu_segment head = {
		.magic = MU_SEGMENT_MAGIC, .version = MU_VERSION, .header_size = sizeof(head),
		.kind = MU_KIND_TREE, .slot_count = 4, .slot_table = 4096, .slots = 4 << 20,
		.slot_size = 1 << 20,
	};

	EQ_I(open_as(&head, size, 0), 0);
	EQ_I(open_as(&head, size, 3), 0);
	EQ_I(open_as(&head, size, 4), -1);
	EQ_I(open_as(&head, size, UINT32_MAX), -1);
	head.slot_count = 5;
	EQ_I(open_as(&head, size, 4), -1);
	head.slot_size = 8;
	EQ_I(open_as(&head, size, 0), -1);
	/* 65536 times this is -524288 and the slots begin behind that: the sum is in the memory. */
	head.slot_count = 1 << 16;
	head.slot_table = 4096;
	head.slots = 6 << 20;
	head.slot_size = (UINT64_C(1) << 48) - 8;
	EQ_I(open_as(&head, size, (1 << 16) - 1), -1);
	EQ_I(open_as(&head, size, 0), -1);
	head.slots = size;
	head.slot_size = 1 << 20;
	EQ_I(open_as(&head, size, 0), -1);
}

static void seals(void)
{
	int fd = memfd_create("memusage", MFD_ALLOW_SEALING);
	int file = open("file", O_RDWR | O_CREAT, 0600);

	OK(!live_is_sealed(fd), "memory that can be cut");
	EQ_I(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	OK(!live_is_sealed(fd), "... that can grow");
	EQ_I(fcntl(fd, F_ADD_SEALS, F_SEAL_GROW), 0);
	OK(live_is_sealed(fd), "... that can do neither");
	OK(!live_is_sealed(file), "a file");
	OK(!live_is_sealed(-1), "nothing");
	close(fd);
	close(file);
}

/* All snapshots of an image may name the same values. */
static void shared_values(void)
{
	enum { SNAPSHOTS = 60, VALUES = 500000 };
	const uint64_t bytes = VALUES * sizeof(struct mu_site_value);
	struct mu_snapshot *snapshot;
	struct mu_image *im;
	struct mu_error err;
	struct segment view;
	struct live_snapshots shots;
	struct fake f;
	struct live l;
	uint64_t values;

	fake_segment(&f, MU_KIND_TREE, 1, bytes + (1 << 20));
	im = fake_image(&f, 0);
	values = fake_alloc(&f, 0, bytes);
	im->table[MU_SEC_SNAPSHOTS] = (struct mu_table){ .entry_size = sizeof(*snapshot),
							 .first_log2 = 6, .count = SNAPSHOTS };
	im->table[MU_SEC_SNAPSHOTS].extent[0] = fake_alloc(&f, 0, 64 * sizeof(*snapshot));
	snapshot = fake_pointer(&f, 0, im->table[MU_SEC_SNAPSHOTS].extent[0]);
	im->features |= MU_FEATURE(MU_SEC_CELLS) | MU_FEATURE(MU_SEC_SNAPSHOTS);
	for (uint64_t i = 0; i < SNAPSHOTS; i++)
		snapshot[i] = (struct mu_snapshot){ .mono_ns = i + 1, .kind = MU_SNAPSHOT_DETAILED,
						    .values = values, .value_count = VALUES };
	EQ_I(segment_view(&view, f.base, f.size, &err), 0);
	live_from_view(&l, &view, 0, 0);
	l.is_final = true;
	EQ_I(live_snapshot_copy_all(&shots, &l, &err), 0);
	OK(shots.count > 0, "snapshots are copied");
	OK(shots.values_size <= UINT64_C(512) << 20, "%llu MiB of values",
	   (unsigned long long)shots.values_size >> 20);
	EQ_U(shots.count + shots.left_out, SNAPSHOTS);
	live_snapshot_free(&shots);
	free(f.base);
}

int main(void)
{
	shared_values();
	options();
	bounds();
	seals();
	return done_testing();
}
