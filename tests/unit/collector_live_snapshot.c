/* collector_live_snapshot.c -- snapshots that are copied out of a hostile image take no more memory
 * than the image.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/record/live_snapshot.h"

#include "tests/lib/fake_image.h"
#include "tests/lib/tap.h"

enum { SHOTS = 256, VALUES = 16384, SLOT = 2 << 20 };

/* All name the same values, or each its own. */
static void fill(struct fake *f, bool is_shared, uint64_t values)
{
	struct mu_image *im;
	struct mu_table *t;
	struct mu_snapshot *shot;
	uint64_t at = 0;

	fake_segment(f, MU_KIND_TREE, 1, SLOT);
	im = fake_image(f, 0);
	t = &im->table[MU_SEC_SNAPSHOTS];
	im->features |= MU_FEATURE(MU_SEC_SNAPSHOTS) | MU_FEATURE(MU_SEC_CELLS);
	*t = (struct mu_table){ .entry_size = sizeof(*shot), .first_log2 = 8, .count = SHOTS };
	t->extent[0] = fake_alloc(f, 0, SHOTS * sizeof(*shot));
	shot = fake_pointer(f, 0, t->extent[0]);
	for (uint64_t i = 0; i < SHOTS; i++) {
		if (!is_shared || i == 0)
			at = fake_alloc(f, 0, values * sizeof(struct mu_site_value));
		shot[i] = (struct mu_snapshot){ .mono_ns = i + 1, .heap = 1, .values = at,
						.value_count = values };
	}
}

static void copy(const struct fake *f, struct live_snapshots *s)
{
	struct segment view;
	struct mu_error err;
	struct live l;

	EQ_I(segment_view(&view, f->base, f->size, &err), 0);
	live_from_view(&l, &view, 0, 0);
	EQ_I(live_snapshot_copy_all(s, &l, &err), 0);
}

int main(void)
{
	struct live_snapshots s;
	struct fake f;

	fill(&f, false, 16);
	copy(&f, &s);
	EQ_U(s.count, SHOTS);
	EQ_U(s.values_size, SHOTS * 16 * sizeof(struct mu_site_value));
	live_snapshot_free(&s);
	free(f.base);

	fill(&f, true, VALUES);
	copy(&f, &s);
	OK(s.count > 0 && s.count < SHOTS, "%zu of them are there", s.count);
	OK(s.values_size <= SLOT, "%llu bytes of values", (unsigned long long)s.values_size);
	live_snapshot_free(&s);
	free(f.base);
	return done_testing();
}
