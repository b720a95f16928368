/* recorder_values.c -- what sites hold is read back as it was stored; pieces that one snapshot gives
 * back serve any other, and there are no more of them than the limit says.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/site_totals.h"

#include <string.h>

#include "libmemusage/image/arena.h"
#include "libmemusage/tables/heap.h"
#include "libmemusage/tables/sites.h"
#include "profile/read/snapshot_values.h"
#include "tests/lib/recorder.h"

#define ROOM (UINT64_C(64) << 20)

static void begin(uint64_t sites)
{
	recorder_image(ROOM, 0);
	site_totals_init();
	arena_table_init(MU_SEC_SITES, sizeof(struct mu_site), 4);
	arena_table_init(MU_SEC_CELLS, sizeof(struct mu_cell), 4);
	rec.image->table[MU_SEC_SITES].count = sites;
}

static void add_cell(uint32_t site, int64_t bytes, int64_t blocks)
{
	struct mu_table *cells = &rec.image->table[MU_SEC_CELLS];
	struct mu_cell *cell = arena_table_at(cells, cells->count);

	*cell = (struct mu_cell){ .site = site, .live_bytes = bytes, .live_blocks = blocks,
				  .total_blocks = 1 };
	cells->count++;
}

static struct site_totals store(uint64_t limit)
{
	uint64_t known, used;
	struct site_totals v;

	IS_TRUE(site_totals_add_up(&known, &used));
	site_totals_store(&v, limit);
	return v;
}

static struct snapshot_values open_values(const struct site_totals *v)
{
	static struct image im;
	struct mu_snapshot shot = { .packed = v->first, .packed_bytes = v->bytes };
	struct snapshot_values values;

	image_load(&im, rec.image, ROOM, NULL, NULL);
	snapshot_values_open(&values, &im, &shot);
	return values;
}

/* Numbers of every length and sign, sites far from each other, several cells of one site. */
static void extremes(void)
{
	static const int64_t bytes[] = { 1, 63, 64, -1, -64, 8191, INT64_MAX, INT64_MIN, 1 };
	static const uint32_t site[] = { 0, 1, 127, 128, 300, 70000, 70001, 900000, 999999 };
	const unsigned int n = sizeof(site) / sizeof(site[0]);
	struct mu_site_value value;
	uint64_t known, used;

	begin(1000000);
	for (unsigned int i = 0; i < n; i++)
		add_cell(site[i], bytes[i], (int64_t)i);
	add_cell(127, 1000, 10);
	add_cell(500, 7, 7);
	add_cell(500, -7, -7);
	add_cell(1000000, 1, 1); /* no such site */
	IS_TRUE(site_totals_add_up(&known, &used));
	EQ_U(known, 1000000);
	EQ_U(used, n);
	struct site_totals v = store(ROOM);
	struct snapshot_values values = open_values(&v);
	for (unsigned int i = 0; i < n; i++) {
		IS_TRUE(snapshot_values_next(&values, &value));
		EQ_U(value.site, site[i]);
		EQ_I(value.bytes, bytes[i] + (site[i] == 127 ? 1000 : 0));
		EQ_I(value.blocks, (int64_t)i + (site[i] == 127 ? 10 : 0));
	}
	IS_FALSE(snapshot_values_next(&values, &value));
}

/* Counts what is wrong, as there are very many. */
static uint64_t differences(const struct site_totals *v, uint32_t sites)
{
	struct snapshot_values values = open_values(v);
	struct mu_site_value value;
	uint64_t bad = 0;

	for (uint32_t i = 0; i < sites; i++)
		bad += !snapshot_values_next(&values, &value) || value.site != i ||
		       value.bytes != i * INT64_C(100) + 1 || value.blocks != i + 1;
	return bad + snapshot_values_next(&values, &value);
}

/* A program that meets new sites all the time: each snapshot is larger than any before. */
static void growing(void)
{
	struct site_totals kept[8] = { { 0 } };
	uint64_t most = 0;

	begin(100000);
	for (uint32_t sites = 0, n = 0; sites < 40000; n++) {
		for (uint32_t to = sites + 500; sites < to; sites++)
			add_cell(sites, sites * INT64_C(100) + 1, sites + 1);
		site_totals_free(&kept[n % 8]);
		kept[n % 8] = store(ROOM);
		EQ_U(differences(&kept[n % 8], sites), 0);
		if (n % 8 == 7)
			most = rec.image->used;
	}
	/* The last eight take 7 bytes per site at most, and that is all there is room for. */
	IS_TRUE(most - rec.image->table[MU_SEC_CELLS].extent[0] < 16000000);
	uint64_t used[2];
	for (int again = 0; again < 2; again++) {
		for (int i = 0; i < 8; i++)
			site_totals_free(&kept[i]);
		for (int i = 0; i < 8; i++)
			kept[i] = store(ROOM);
		used[again] = rec.image->used;
	}
	EQ_U(used[1], used[0]);
	for (int i = 0; i < 8; i++)
		EQ_U(differences(&kept[i], 40000), 0);
}

static void limits(void)
{
	begin(1000);
	struct site_totals empty = store(ROOM);
	IS_TRUE(empty.first != 0);
	EQ_U(empty.bytes, 0);
	for (uint32_t i = 0; i < 1000; i++)
		add_cell(i, i * INT64_C(100) + 1, i + 1);
	struct site_totals v = store(4096);
	EQ_U(v.first, 0);
	EQ_U(v.pieces, 0);
	v = store(10240);
	EQ_U(differences(&v, 1000), 0);
	struct site_totals other = store(10240);
	EQ_U(other.first, 0);
	site_totals_free(&v);
	other = store(10240);
	EQ_U(differences(&other, 1000), 0);
}

/* A recording that lies: the reader ends. */
static void hostile(void)
{
	struct mu_site_value value;
	struct mu_values *piece;
	uint64_t steps = 0;

	begin(1000);
	for (uint32_t i = 0; i < 1000; i++)
		add_cell(i, 1, 1);
	struct site_totals v = store(ROOM);
	piece = arena_at(v.first);
	piece->next = v.first; /* a ring */
	memset(piece->byte, 0xff, 5);
	struct snapshot_values values = open_values(&v);
	IS_FALSE(snapshot_values_next(&values, &value)); /* a site beyond all numbers */
	IS_FALSE(snapshot_values_next(&values, &value));
	memset(piece->byte, 0xff, piece->used); /* a number without an end */
	values = open_values(&v);
	IS_FALSE(snapshot_values_next(&values, &value));
	piece->used = 0;
	values = open_values(&v);
	IS_FALSE(snapshot_values_next(&values, &value));
	piece->used = UINT32_MAX;
	values = open_values(&v);
	IS_FALSE(snapshot_values_next(&values, &value));
	memset(piece->byte, 0x7f, 1000); /* distances of 127 for ever */
	piece->used = 999;
	values = open_values(&v);
	while (snapshot_values_next(&values, &value) && value.site < 1000000)
		steps++;
	EQ_U(steps, 1000000 / 128);
}

/* ---- one thread: only what has changed is looked at --------------------------------------- */

enum { PLACES = 9000 };

static int64_t truth[PLACES];

/* A block of `bytes`, or one less, at a place; the heap as the recorder keeps it. */
static void event(uint32_t place, int64_t bytes)
{
	struct mu_table *cells = &rec.image->table[MU_SEC_CELLS];
	struct mu_cell *cell = arena_table_at(cells, place);

	if (bytes < 0)
		heap_note_peak(false);
	sites_keep_peak(cell);
	cell->live_bytes += bytes;
	cell->live_blocks += bytes > 0 ? 1 : -1;
	cell->total_blocks += bytes > 0;
	truth[place] += bytes;
	rec.image->heap.now += bytes;
}

static void new_place(uint32_t place)
{
	struct mu_table *cells = &rec.image->table[MU_SEC_CELLS];
	struct mu_cell *cell = arena_table_at(cells, cells->count++);

	*cell = (struct mu_cell){ .site = place, .epoch = rec.image->heap.epoch };
	rec.image->table[MU_SEC_SITES].count = place + 1;
	if (site_totals_tracked.is_on)
		site_totals_note_change(sites_cell_number(cell));
}

/* Whether the sums are the truth. */
static bool is_right(uint32_t places)
{
	static struct mu_site_value value[PLACES];
	uint64_t known, used, next = 0;

	if (!site_totals_add_up(&known, &used) || site_totals_to_array(value, PLACES) != used)
		return false;
	for (uint32_t i = 0; i < places; i++) {
		if (truth[i] == 0)
			continue;
		if (next == used || value[next].site != i || value[next].bytes != truth[i])
			return false;
		next++;
	}
	return next == used;
}

static void tracked(uint32_t first_epoch)
{
	uint32_t places = 1, wrong = 0, tracks = 0;
	uint64_t state = 12345;

	begin(1);
	memset(truth, 0, sizeof(truth));
	gate.mode = MODE_STACKS;
	rec.image->heap.epoch = first_epoch;
	new_place(0);
	for (int i = 0; i < 200000; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		uint32_t r = (uint32_t)(state >> 33);
		uint32_t place = r / 64 % (i % 5000 < 4000 && places > 50 ? 50 : places);

		if (r % 64 == 0 && places < PLACES)
			new_place(places++);
		else if (truth[place] > 0 && r % 64 < 31)
			event(place, -1);
		else
			event(place, 1);
		if (r % 512 != 1 && i % 5000 != 4999)
			continue;
		tracks += site_totals_tracked.is_on;
		wrong += !is_right(places);
	}
	EQ_U(wrong, 0);
	OK(tracks > 100, "from epoch %u on: %u sums of what had changed", first_epoch, tracks);
	gate.mode |= MODE_MANY;
	site_totals_untrack();
	IS_TRUE(is_right(places));
	IS_FALSE(site_totals_tracked.is_on);
	gate.mode = 0;
}

/* More cells than are listed change: all are looked at again. */
static void overflow(void)
{
	begin(1);
	memset(truth, 0, sizeof(truth));
	gate.mode = MODE_STACKS;
	for (uint32_t i = 0; i < PLACES; i++)
		new_place(i);
	event(0, 1);
	IS_TRUE(is_right(PLACES));
	IS_TRUE(site_totals_tracked.is_on);
	for (uint32_t i = 0; i < PLACES; i++)
		event(i, 1);
	IS_FALSE(site_totals_tracked.is_on);
	IS_TRUE(is_right(PLACES));
	IS_TRUE(site_totals_tracked.is_on);
	gate.mode = 0;
}

int main(void)
{
	extremes();
	growing();
	limits();
	hostile();
	tracked(1);
	tracked(UINT32_MAX - 1000);
	overflow();
	return done_testing();
}
