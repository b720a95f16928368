/* fake_profile.h -- recordings with call stacks, made by hand.
 *
 *	struct fake f;
 *	fake_segment(&f, MU_KIND_FILE, 1, 1 << 20);
 *	fake_image(&f, 0);
 *	fake_stacks(&f);
 *	fake_site(&f, "main>parse>buffer_new", 100, 2);    2 live blocks, 100 bytes together
 *	fake_names(&f, "perf.map");                         names for profile_resolve()
 *
 * Each different function name is one address, of code made at run time, named by a perf map.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <inttypes.h>
#include <stdio.h>

#include "profile/model/profile.h"
#include "tests/lib/fake_image.h"
#include "tests/lib/tap.h"

enum { FAKE_ENTRIES = 4096, FAKE_NAMES = 512, FAKE_CODE = 0x10000, FAKE_STEP = 0x100 };

static char fake_name_list[FAKE_NAMES][64];
static unsigned int fake_name_count;

FAKE_UNUSED static void fake_table(const struct fake *f, enum mu_section section,
				   uint32_t entry_size)
{
	struct mu_table *t = &fake_at(f, 0)->table[section];

	t->entry_size = entry_size;
	t->first_log2 = 12;
	t->extent[0] = fake_alloc(f, 0, (uint64_t)entry_size * FAKE_ENTRIES);
	fake_at(f, 0)->features |= MU_FEATURE(section);
}

FAKE_UNUSED static void *fake_entry(const struct fake *f, enum mu_section section, uint64_t i)
{
	struct mu_table *t = &fake_at(f, 0)->table[section];

	return fake_pointer(f, 0, t->extent[0] + i * t->entry_size);
}

/* A new entry of a table; its number is the count before. */
FAKE_UNUSED static void *fake_append(const struct fake *f, enum mu_section section)
{
	struct mu_table *t = &fake_at(f, 0)->table[section];

	if (t->count == FAKE_ENTRIES)
		abort();
	return fake_entry(f, section, t->count++);
}

FAKE_UNUSED static uint32_t fake_count(const struct fake *f, enum mu_section section)
{
	return (uint32_t)fake_at(f, 0)->table[section].count;
}

/* Empty tables, with the root frame and the unknown site 0. Needs 1.2 MB of the slot. */
FAKE_UNUSED static void fake_stacks(const struct fake *f)
{
	fake_table(f, MU_SEC_MODULES, sizeof(struct mu_module));
	fake_table(f, MU_SEC_FRAMES, sizeof(struct mu_frame));
	fake_table(f, MU_SEC_STACKS, sizeof(struct mu_stack));
	fake_table(f, MU_SEC_SITES, sizeof(struct mu_site));
	fake_table(f, MU_SEC_CELLS, sizeof(struct mu_cell));
	fake_table(f, MU_SEC_SNAPSHOTS, sizeof(struct mu_snapshot));
	fake_append(f, MU_SEC_FRAMES);
	fake_append(f, MU_SEC_STACKS);
	fake_append(f, MU_SEC_SITES);
	fake_name_count = 0;
}

/* The return address in a function, by its name. */
FAKE_UNUSED static uint64_t fake_pc(const char *name, size_t length)
{
	unsigned int i;

	for (i = 0; i < fake_name_count; i++)
		if (strlen(fake_name_list[i]) == length &&
		    strncmp(fake_name_list[i], name, length) == 0)
			break;
	if (i == FAKE_NAMES || length >= sizeof(fake_name_list[0]))
		abort();
	if (i == fake_name_count)
		snprintf(fake_name_list[fake_name_count++], sizeof(fake_name_list[0]), "%.*s",
			 (int)length, name);
	return FAKE_CODE + i * FAKE_STEP + 8;
}

FAKE_UNUSED static uint32_t fake_frame(const struct fake *f, uint32_t parent, uint64_t pc)
{
	for (uint32_t i = 1; i < fake_count(f, MU_SEC_FRAMES); i++) {
		const struct mu_frame *known = fake_entry(f, MU_SEC_FRAMES, i);

		if (known->parent == parent && known->pc == pc)
			return i;
	}
	*(struct mu_frame *)fake_append(f, MU_SEC_FRAMES) =
		(struct mu_frame){ .pc = pc, .parent = parent };
	return fake_count(f, MU_SEC_FRAMES) - 1;
}

/* A site at a stack "outermost>...>innermost", with one cell. */
FAKE_UNUSED static struct mu_cell *fake_site(const struct fake *f, const char *stack,
					     int64_t bytes, int64_t blocks)
{
	struct mu_stack *s = fake_append(f, MU_SEC_STACKS);
	struct mu_site *site = fake_append(f, MU_SEC_SITES);
	struct mu_cell *cell = fake_append(f, MU_SEC_CELLS);
	uint32_t frame = 0;

	while (*stack) {
		size_t length = strcspn(stack, ">");

		frame = fake_frame(f, frame, fake_pc(stack, length));
		stack += length + (stack[length] == '>');
	}
	*s = (struct mu_stack){ .frame = frame };
	*site = (struct mu_site){ .stack = fake_count(f, MU_SEC_STACKS) - 1 };
	*cell = (struct mu_cell){ .site = fake_count(f, MU_SEC_SITES) - 1,
				  .live_bytes = bytes, .live_blocks = blocks,
				  .total_bytes = (uint64_t)bytes,
				  .total_blocks = (uint64_t)blocks };
	return cell;
}

/* Write the names as a perf map. "?" in front of a name: it has none. */
FAKE_UNUSED static void fake_names(const char *file)
{
	FILE *out = fopen(file, "w");

	for (unsigned int i = 0; out && i < fake_name_count; i++)
		if (fake_name_list[i][0] != '?')
			fprintf(out, "%x %x %s\n", FAKE_CODE + i * FAKE_STEP, FAKE_STEP,
				fake_name_list[i]);
	if (!out || fclose(out) != 0)
		abort();
}

/* All that has been made up in a segment with one slot, loaded, with names. */
FAKE_UNUSED static void fake_profile(const struct fake *f, struct image *im, struct profile *p)
{
	static const struct symbols_options o = { .perf_map = "perf.map", .in_process = true };
	struct mu_error err;

	fake_names("perf.map");
	EQ_I(image_load(im, fake_at(f, 0), f->size - 2 * MU_PAGE, NULL, &err), 0);
	profile_load(p, im);
	EQ_I(profile_resolve(p, &o, &err), 0);
}
