/* scenes.h -- recordings that hostile processes begin with, in memory of their own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recording/triggers.h"
#include "tests/lib/fake_image.h"

#define SCENES_ROOM ((size_t)1280 << 10)
enum { SCENES = 6, SCENES_SLOT = 1 << 20, SCENES_CHUNK = 32 };

/* Three threads with events in two chunks each. */
static inline void scenes_add_threads(struct fake *f)
{
	for (unsigned int i = 0; i < 3; i++) {
		struct mu_thread *t = fake_thread(f, 0);
		uint64_t first = fake_chunk(f, 0, t, 0, SCENES_CHUNK), chunk;

		for (uint64_t k = 1; k < SCENES_CHUNK / 2; k++)
			fake_event(f, 0, first, k * 10 + i, 100, 64);
		chunk = fake_chunk(f, 0, t, first, SCENES_CHUNK);
		fake_event(f, 0, chunk, 900 + i, -100, 64);
		fake_word(f, 0, chunk, 3 << 2 | MU_LOG_WIDE);
		fake_word(f, 0, chunk, UINT64_C(1) << 40);
		fake_word(f, 0, chunk, 4096);
		t->tid = 100 + i;
		t->counters.calls[MU_FN_MALLOC] = 20;
		t->counters.hist_high = fake_alloc(f, 0, MU_HIST_HIGH * sizeof(uint64_t));
	}
}

static inline void scenes_add_tables(struct fake *f)
{
	struct mu_image *im = fake_at(f, 0);

	im->features |= MU_FEATURE(MU_SEC_CELLS) | MU_FEATURE(MU_SEC_SITES) |
			MU_FEATURE(MU_SEC_SNAPSHOTS) | MU_FEATURE(MU_SEC_MARKS);
	for (enum mu_section s = MU_SEC_SITES; s <= MU_SEC_SNAPSHOTS; s++) {
		static const uint32_t size[] = { sizeof(struct mu_site), sizeof(struct mu_cell),
						 sizeof(struct mu_snapshot) };
		struct mu_table *t = &im->table[s];

		t->entry_size = size[s - MU_SEC_SITES];
		t->first_log2 = 3;
		t->count = 8;
		t->extent[0] = fake_alloc(f, 0, (uint64_t)t->entry_size << 3);
	}
}

/* Cells of eight sites, and snapshots with both forms of values. */
static inline void scenes_add_values(struct fake *f)
{
	struct mu_image *im = fake_at(f, 0);
	struct mu_cell *cell = fake_pointer(f, 0, im->table[MU_SEC_CELLS].extent[0]);
	struct mu_snapshot *shot = fake_pointer(f, 0, im->table[MU_SEC_SNAPSHOTS].extent[0]);

	for (uint32_t i = 0; i < 8; i++) {
		cell[i].site = i;
		cell[i].live_bytes = 64;
		cell[i].live_blocks = 1;
		shot[i].mono_ns = i + 1;
		shot[i].heap = 64;
		shot[i].value_count = i % 2 ? 0 : 4;
		shot[i].values = fake_alloc(f, 0, 4 * sizeof(struct mu_site_value));
		shot[i].packed_bytes = 12;
		shot[i].packed = i % 2 ? fake_alloc(f, 0, sizeof(struct mu_values) + 16) : 0;
		if (i % 2)
			((struct mu_values *)fake_pointer(f, 0, shot[i].packed))->used = 12;
	}
}

/* A process that runs, with frees that wait, lifetimes and snapshots on demand. */
static inline void scenes_fill_live(struct fake *f)
{
	struct mu_image *im = fake_image(f, 0);
	struct mu_triggers *triggers;
	struct mu_batch *batch;
	uint64_t at;

	scenes_add_threads(f);
	scenes_add_tables(f);
	scenes_add_values(f);
	im->lifetimes = fake_alloc(f, 0, sizeof(struct mu_lifetimes));
	at = fake_alloc(f, 0, sizeof(*batch));
	batch = fake_pointer(f, 0, at);
	*batch = (struct mu_batch){ .count = 3, .done = 1, .serial = 1, .cell = im->lifetimes };
	batch->counters = im->table[MU_SEC_THREADS].extent[0] +
			  offsetof(struct mu_thread, counters);
	im->batch = at;
	im->requested = fake_alloc(f, 0, sizeof(struct mu_snapshot));
	im->triggers = fake_alloc(f, 0, sizeof(*triggers));
	triggers = fake_pointer(f, 0, im->triggers);
	triggers->taken = 1;
	im->process.exe = im->process.cmdline = fake_string(f, 0, "/bin/program\0-a", 15);
}

struct scenes {
	uint8_t *start[SCENES];
	size_t size[SCENES];
};

static inline void scenes_read(struct scenes *s, unsigned int i, const char *name)
{
	const char *src = getenv("MU_SRC");
	char path[PATH_MAX];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/%s", src ? src : ".", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	s->start[i] = malloc(SCENES_ROOM);
	n = fd >= 0 && s->start[i] ? read(fd, s->start[i], SCENES_ROOM) : -1;
	if (n <= 0) {
		fprintf(stderr, "cannot read %s (MU_SRC says where the sources are)\n", path);
		exit(1);
	}
	s->size[i] = (size_t)n;
	close(fd);
}

/* scenes_get -- scene NUMBER modulo SCENES: *SIZE bytes, at most SCENES_ROOM. */
static inline const uint8_t *scenes_get(unsigned int number, size_t *size)
{
	static struct scenes all;
	static struct fake live;

	if (!all.size[0]) {
		static const char *const name[] = { "image/file", "image/tree", "image/kept",
						    "profile/kept", "profile/points" };

		for (unsigned int i = 0; i < SCENES - 1; i++)
			scenes_read(&all, i + 1, name[i]);
		fake_segment(&live, MU_KIND_TREE, 1, SCENES_SLOT);
		scenes_fill_live(&live);
		all.start[0] = live.base;
		all.size[0] = live.size;
	}
	*size = all.size[number % SCENES];
	return all.start[number % SCENES];
}
