/* profile_timeline.c -- samples of memory are read, and explained so that the parts add up.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/timeline.h"

#include "formats/base/memory.h"
#include "tests/lib/fake_image.h"
#include "tests/lib/tap.h"

#define SLOT UINT64_C(1048576)
#define MIB UINT64_C(1048576)

static struct fake f;
static struct image im;

static void begin(const struct mu_sample *sample, uint64_t count)
{
	struct mu_table *t;

	fake_segment(&f, MU_KIND_TREE, 1, SLOT);
	fake_image(&f, 0)->process.start_mono_ns = 1000;
	t = &fake_at(&f, 0)->table[MU_SEC_TIMELINE];
	t->entry_size = sizeof(*sample);
	t->first_log2 = 6;
	t->count = count;
	t->extent[0] = fake_alloc(&f, 0, sizeof(*sample) << 6);
	memcpy(fake_pointer(&f, 0, t->extent[0]), sample, count * sizeof(*sample));
	fake_at(&f, 0)->features |= MU_FEATURE(MU_SEC_TIMELINE);
	fake_at(&f, 0)->rss_peak = 90 * MIB;
	EQ_I(image_load(&im, fake_at(&f, 0), SLOT, NULL, NULL), 0);
}

static uint64_t sum(const struct memory_split *s)
{
	return s->heap + s->spare + s->globals + s->stacks + s->file + s->shared + s->recorder;
}

static const struct mu_sample run[] = {
	{ .mono_ns = 1000, .rss_anon = 3 * MIB, .rss_file = 5 * MIB, .stack = 1 << 20,
	  .recorder_anon = MIB },
	{ .mono_ns = 2000, .rss_anon = 50 * MIB, .rss_file = 6 * MIB, .rss_shmem = 8 * MIB,
	  .heap = 40 << 20, .stack = 1 << 20, .recorder = 7 * MIB, .recorder_anon = 2 * MIB,
	  .swap = 3 },
	{ .mono_ns = 1500, .rss_anon = 1000 * MIB },
	{ .mono_ns = 3000, .rss_anon = 10 * MIB, .rss_file = 6 * MIB, .heap = 40 << 20 },
};

static void explains(void)
{
	struct memory_split s;
	struct timeline t;
	size_t length;
	char *text;
	FILE *out = open_memstream(&text, &length);

	begin(run, 4);
	EQ_I(timeline_load(&t, &im, NULL), 0);
	EQ_U(t.count, 3);	/* one went back in time */
	EQ_U(t.rss_peak, 90 * MIB);
	EQ_U(timeline_highest(&t), 1);
	timeline_split(&t, 1, &s);
	EQ_U(s.time_ns, 1000);
	EQ_U(s.resident, 64 * MIB);
	EQ_U(s.heap, 40 * MIB);
	EQ_U(s.stacks, MIB);
	EQ_U(s.globals, MIB);
	EQ_U(s.spare, 6 * MIB);
	EQ_U(s.file, 6 * MIB);
	EQ_U(s.shared, MIB);
	EQ_U(s.recorder, 9 * MIB);
	EQ_U(s.untouched, 0);
	EQ_U(s.swap, 3);
	EQ_U(sum(&s), s.resident);
	timeline_split(&t, 2, &s);
	EQ_U(s.heap, 9 * MIB);
	EQ_U(s.untouched, 31 * MIB);
	EQ_U(sum(&s), s.resident);
	timeline_split(&t, 3, &s);
	EQ_U(s.resident, 0);
	memory_print_timeline(out, "> ", &t, NULL);
	fclose(out);
	HAS_S(text, "> 64.0 MiB of memory at most, 0.00 s after the start (the kernel saw 90.0 MiB");
	HAS_S(text, "\n>    40.0 MiB  62%  live blocks of the heap\n");
	free(text);
	timeline_free(&t);
	free(f.base);
}

/* The room of blocks that came and went before a late first look is no variable. */
static void tells_freed_room_from_variables(void)
{
	struct memory_split s;
	struct timeline t;
	struct mu_sample late[] = {
		{ .mono_ns = 5000000, .rss_anon = 10 * MIB, .heap = 1 << 20, .events = 9000 },
		{ .mono_ns = 9000000, .rss_anon = 10 * MIB, .heap = 1 << 20, .events = 9000 },
	};

	begin(late, 2);
	EQ_I(timeline_load(&t, &im, NULL), 0);
	t.event_bytes = 1000;
	t.heap_peak = 7 * MIB;
	timeline_split(&t, 1, &s);
	EQ_U(s.globals, 3 * MIB);
	EQ_U(s.spare, 6 * MIB);
	t.event_bytes = 100; /* so few bytes were asked for until then */
	timeline_split(&t, 1, &s);
	EQ_U(s.globals, 9 * MIB);
	t.event_bytes = UINT64_MAX / 2;
	timeline_split(&t, 1, &s);
	EQ_U(s.globals, 3 * MIB);
	t.began_attached = true;
	timeline_split(&t, 1, &s);
	EQ_U(s.globals, 9 * MIB);
	EQ_U(sum(&s), s.resident);
	timeline_free(&t);
	free(f.base);
}

static char *memory_text(const struct mu_sample *sample, uint64_t count)
{
	struct timeline t;
	size_t length;
	char *text;
	FILE *out = open_memstream(&text, &length);

	begin(sample, count);
	EQ_I(timeline_load(&t, &im, NULL), 0);
	memory_print_timeline(out, "", &t, NULL);
	fclose(out);
	timeline_free(&t);
	free(f.base);
	return text;
}

/* Room that malloc keeps of blocks that were freed is no reason to look for mappings. */
static void advises(void)
{
	static const struct mu_sample mapped[] = {
		{ .mono_ns = 1000, .rss_anon = MIB },
		{ .mono_ns = 2000, .rss_anon = 41 * MIB, .heap = 10 << 20 },
	};
	static const struct mu_sample freed[] = {
		{ .mono_ns = 1000, .rss_anon = MIB },
		{ .mono_ns = 2000, .rss_anon = 40 * MIB, .heap = 39 << 20 },
		{ .mono_ns = 3000, .rss_anon = 41 * MIB, .heap = 10 << 20 },
	};
	char *text = memory_text(mapped, 2);

	HAS_S(text, "\nabout 30.0 MiB of it are no blocks of malloc: memusage --pages-as-heap=yes ");
	free(text);
	text = memory_text(freed, 3);
	OK(!strstr(text, "--pages-as-heap"), "freed room is known");
	free(text);
}

/* The recorder grows to the end; the moment with most memory is the program's. */
static void ignores_recorder(void)
{
	static const struct mu_sample grows[] = {
		{ .mono_ns = 1000, .rss_anon = MIB },
		{ .mono_ns = 2000, .rss_anon = 30 * MIB, .heap = 20 << 20, .recorder_anon = MIB },
		{ .mono_ns = 3000, .rss_anon = 12 * MIB, .rss_shmem = 40 * MIB, .recorder = 40 * MIB,
		  .recorder_anon = 4 * MIB },
	};
	struct memory_split s;
	struct timeline t;

	begin(grows, 3);
	EQ_I(timeline_load(&t, &im, NULL), 0);
	EQ_U(timeline_highest(&t), 1);
	timeline_split(&t, 1, &s);
	EQ_U(s.resident, 30 * MIB);
	EQ_U(s.highest, 52 * MIB);
	timeline_free(&t);
	free(f.base);
}

/* With pages as heap no block of malloc is meant, and nothing is advised. */
static void names_pages(void)
{
	static const struct mu_sample mapped[] = {
		{ .mono_ns = 1000, .rss_anon = MIB, .heap = MIB },
		{ .mono_ns = 2000, .rss_anon = 41 * MIB, .heap = 10 << 20 },
	};
	struct memory_part part[MEMORY_PARTS];
	struct memory_split s = { .resident = 3, .heap = 1, .spare = 2, .counts_pages = true };
	char *text = memory_text(mapped, 2);

	HAS_S(text, "live blocks");
	free(text);
	EQ_I(memory_parts(&s, part), 2);
	EQ_S(part[0].key, "heap");
	EQ_S(part[0].text, "pages that the program mapped, but for files");
	OK(!strstr(part[1].text, "malloc"), "spare pages are not malloc's");
}

/* The heap of a sampled recording is an estimate: what it has beyond the private memory may be an
 * error. With 128 KiB between samples that of 100 MiB is up to 1.96 * 3.54 + 0.46 MiB. */
static void doubts_estimates(void)
{
	static const struct mu_sample sampled[] = {
		{ .mono_ns = 1000, .rss_anon = MIB },
		{ .mono_ns = 2000, .rss_anon = 93 * MIB, .heap = 100 << 20 },
		{ .mono_ns = 3000, .rss_anon = 11 * MIB, .heap = 100 << 20 },
	};
	struct memory_part part[MEMORY_PARTS];
	struct memory_split s;
	struct timeline t;

	begin(sampled, 3);
	fake_at(&f, 0)->sampling.log2 = 17;
	image_refresh(&im);
	EQ_I(timeline_load(&t, &im, NULL), 0);
	timeline_split(&t, 1, &s);
	EQ_U(s.heap, 92 * MIB);
	EQ_U(s.untouched >> 20, 0);
	memory_parts(&s, part);
	HAS_S(part[0].text, "live blocks of the heap (estimate)");
	timeline_split(&t, 2, &s);
	EQ_U(s.heap, 10 * MIB);
	EQ_U(s.untouched >> 20, 82);
	timeline_free(&t);
	free(f.base);
}

/* What a process allocated while it was asleep is neither spare room nor mappings. */
static void lacks_blocks(void)
{
	static const struct mu_sample asleep[] = {
		{ .mono_ns = 1000, .rss_anon = MIB },
		{ .mono_ns = 2000, .rss_anon = 41 * MIB, .heap = 1 << 20 },
	};
	struct memory_part part[MEMORY_PARTS];
	struct memory_split s;
	struct timeline t;

	begin(asleep, 2);
	fake_at(&f, 0)->recorded.began_asleep = 1;
	image_refresh(&im);
	EQ_I(timeline_load(&t, &im, NULL), 0);
	timeline_split(&t, 1, &s);
	EQ_U(s.unknown, 0);
	EQ_I(memory_parts(&s, part), 3);
	HAS_S(part[1].text, "blocks from while nothing was recorded");
	timeline_free(&t);
	free(f.base);
}

/* Whatever a hostile recording says, nothing overflows: the parts are never more than the whole. */
static void hostile(void)
{
	static const struct mu_sample bad[] = {
		{ .rss_anon = UINT64_MAX, .rss_file = UINT64_MAX, .rss_shmem = UINT64_MAX,
		  .heap = INT64_MIN, .stack = INT64_MIN, .recorder = UINT64_MAX,
		  .recorder_anon = UINT64_MAX },
		{ .heap = INT64_MAX, .stack = INT64_MAX, .recorder = UINT64_MAX },
	};
	struct memory_split s;
	struct timeline t;

	begin(bad, 2);
	EQ_I(timeline_load(&t, &im, NULL), 0);
	timeline_split(&t, 0, &s);
	EQ_U(s.heap, 0);
	EQ_U(s.resident, UINT64_MAX);
	timeline_split(&t, 1, &s);
	EQ_U(s.resident, 0);
	EQ_U(sum(&s), 0);
	timeline_free(&t);
	timeline_free(&t);
	fake_at(&f, 0)->features &= ~MU_FEATURE(MU_SEC_TIMELINE);
	image_refresh(&im);
	EQ_I(timeline_load(&t, &im, NULL), 0);
	EQ_U(t.count, 0);
	EQ_U(timeline_highest(&t), 0);
	timeline_free(&t);
	/* The collector's samples take the place of the table. */
	image_replace(&im, MU_SEC_TIMELINE, run, 2, sizeof(*run));
	im.rss_peak = 100 * MIB;
	EQ_I(timeline_load(&t, &im, NULL), 0);
	EQ_U(t.count, 2);
	EQ_U(t.rss_peak, 100 * MIB);
	IS_NULL(image_entry(&im, MU_SEC_TIMELINE, 2, sizeof(run[0])));
	IS_NULL(image_entry(&im, MU_SEC_TIMELINE, 0, sizeof(run[0]) + 1));
	timeline_free(&t);
	free(f.base);
}

int main(void)
{
	explains();
	tells_freed_room_from_variables();
	advises();
	ignores_recorder();
	names_pages();
	doubts_estimates();
	lacks_blocks();
	hostile();
	return done_testing();
}
