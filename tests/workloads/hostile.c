/* hostile.c -- a program that lies in its own recording: the collector must not pay for it.
 *
 * hostile counts     every table claims as many entries as its slot has room for, and has 4 KiB
 * hostile extents    the same, of tables whose parts all lie over each other, in 16 MiB that are
 * there hostile shared     thousands of marks, modules and snapshots that name the same 16 MiB
 * hostile holes      the same of memory that nobody has written, and says that it is used
 * hostile chain      pieces of a snapshot that lead to each other
 *
 * In the end it prints "ready"; without a recorder "no recording", and fails.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recording/recording.h"
#include "tests/lib/own_recording.h"

#define WHERE (UINT64_C(256) << 20)	/* in the slot, far behind what is used */
#define THERE (UINT64_C(16) << 20)	/* bytes of it that are written */

enum { ENTRIES = 20000 };

static struct mu_image *find_image(void)
{
	struct mu_segment *s = find_segment();
	const uint32_t k = s ? find_own_slot(s) : 0;

	return s && k < s->slot_count ?
		       (void *)((uint8_t *)s + s->slots + k * s->slot_size) : NULL;
}

static const uint32_t entry_size[MU_SEC_COUNT] = {
	[MU_SEC_THREADS] = sizeof(struct mu_thread), [MU_SEC_MAPPINGS] = sizeof(struct mu_mapping),
	[MU_SEC_MODULES] = sizeof(struct mu_module), [MU_SEC_FRAMES] = sizeof(struct mu_frame),
	[MU_SEC_STACKS] = sizeof(struct mu_stack), [MU_SEC_SITES] = sizeof(struct mu_site),
	[MU_SEC_CELLS] = sizeof(struct mu_cell), [MU_SEC_SNAPSHOTS] = sizeof(struct mu_snapshot),
	[MU_SEC_TIMELINE] = sizeof(struct mu_sample), [MU_SEC_MARKS] = sizeof(struct mu_mark),
	[MU_SEC_ACCESSES] = 64, [MU_SEC_POINTS] = 128, [MU_SEC_SNAPSHOT_LOG] = 64,
	[MU_SEC_SYMBOLS] = 64,
};

static void claim(struct mu_image *im, unsigned int section, uint64_t at, uint64_t count)
{
	im->table[section] = (struct mu_table){ .entry_size = entry_size[section],
						.first_log2 = 20, .count = count };
	for (unsigned int k = 0; k < MU_TABLE_EXTENTS; k++)
		im->table[section].extent[k] = at;
	im->features |= MU_FEATURE(section);
	im->used = im->populated = im->log_bytes = UINT64_MAX / 2;
}

static void claim_all(struct mu_image *im, uint64_t there)
{
	memset((uint8_t *)im + WHERE, 0, there);
	for (unsigned int section = 0; section < MU_SEC_COUNT; section++) {
		if (entry_size[section] && section != MU_SEC_THREADS)
			claim(im, section, WHERE, UINT64_C(1) << 40);
	}
}

/* A table of ENTRIES entries that all name the 16 MiB behind it, by the reference at PLACE. */
static void name_same(struct mu_image *im, unsigned int section, size_t place, uint64_t count,
		      uint64_t where)
{
	uint64_t from = WHERE + 2 * THERE;
	uint8_t *entry = (uint8_t *)im + where;

	for (int i = 0; i < ENTRIES; i++, entry += entry_size[section]) {
		memset(entry, 0, entry_size[section]);
		memcpy(entry + place, &from, sizeof(from));
		memcpy(entry + place + sizeof(from), &count, section == MU_SEC_SNAPSHOTS ? 8 : 4);
		if (section == MU_SEC_MODULES)
			memcpy(entry + 8, &(uint64_t){ 4096 }, 8);
	}
	claim(im, section, where, ENTRIES);
}

static void name_all_same(struct mu_image *im)
{
	name_same(im, MU_SEC_MARKS, offsetof(struct mu_mark, text), THERE, WHERE);
	name_same(im, MU_SEC_MODULES, offsetof(struct mu_module, path), THERE, WHERE + THERE / 4);
	name_same(im, MU_SEC_SNAPSHOTS, offsetof(struct mu_snapshot, values),
		  THERE / sizeof(struct mu_site_value), WHERE + THERE / 2);
}

/* Each piece is the next one's next: a ring. */
static void chain(struct mu_image *im)
{
	struct mu_values *a = (void *)((uint8_t *)im + WHERE + 2 * THERE);

	*a = (struct mu_values){ .next = WHERE + 2 * THERE, .used = 8 };
	name_same(im, MU_SEC_SNAPSHOTS, offsetof(struct mu_snapshot, packed), UINT32_MAX - 16,
		  WHERE);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	struct mu_image *im;

	free(malloc(100));
	im = find_image();
	if (!im) {
		puts("no recording");
		return 1;
	}
	if (strcmp(how, "counts") == 0)
		claim_all(im, MU_PAGE);
	if (strcmp(how, "extents") == 0)
		claim_all(im, THERE);
	if (strcmp(how, "shared") == 0)
		memset((uint8_t *)im + WHERE + 2 * THERE, 1, THERE);
	if (strcmp(how, "shared") == 0 || strcmp(how, "holes") == 0)
		name_all_same(im);
	if (strcmp(how, "chain") == 0)
		chain(im);
	/* The recorder, which would go on in what is now nonsense, is not to see more. */
	if (write(1, "ready\n", 6) != 6)
		return 1;
	return (int)syscall(SYS_exit_group, 0);
}
