/* page_series.c -- the curves of a report page: samples of a recording, and marks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_series.h"

#include "cli/xmalloc.h"
#include "profile/base/number.h"
#include "profile/read/timeline.h"

enum { MARKS = 1000, MARK_BYTES = 300 };

enum column { TIME, HEAP, STACK, ANON, FILE_PAGES, SHMEM, SWAP, MAPPED, RECORDER, EVENTS, COLUMNS };

static const char *const names[COLUMNS] = {
	"t", "heap", "stack", "rss_anon", "rss_file", "rss_shmem", "swap", "mmap",
	"recorder", "call",
};

static uint64_t saturating_elapsed(uint64_t start, uint64_t now)
{
	return now > start ? now - start : 0;
}

static uint64_t sample_column_value(const struct mu_sample *s, uint64_t start, enum column c)
{
	switch (c) {
	case TIME: return saturating_elapsed(start, s->mono_ns);
	case HEAP: return positive_or_zero(s->heap);
	case STACK: return positive_or_zero(s->stack);
	case ANON: return s->rss_anon;
	case FILE_PAGES: return s->rss_file;
	case SHMEM: return s->rss_shmem > s->recorder ? s->rss_shmem - s->recorder : 0;
	case SWAP: return s->swap;
	case MAPPED: return s->mapped;
	case RECORDER: return s->recorder;
	case EVENTS: return s->events;
	case COLUMNS: break;
	}
	return 0;
}

static void write_sample_column(struct page_json *j, const struct timeline *t, enum column c,
				uint32_t step)
{
	uint64_t most = 0;

	page_json_open(j, names[c], '[');
	for (uint32_t i = 0; i < t->count; i++) {
		uint64_t value = sample_column_value(&t->sample[i], t->start_ns, c);

		if (i % step == 0 || value > most)
			most = value;
		if (i % step == step - 1 || i + 1 == t->count)
			page_json_uint(j, NULL, most);
	}
	page_json_close(j, ']');
}

static void write_one_mark(struct page_json *j, const struct image *im, const struct mu_mark *m)
{
	static const char *const kinds[] = { "mark", "pause", "resume", "ad hoc" };
	char text[MARK_BYTES];

	image_string(im, &m->text, text, sizeof(text));
	page_json_open(j, NULL, '{');
	page_json_uint(j, "t", saturating_elapsed(im->head.process.start_mono_ns, m->mono_ns));
	page_json_text(j, "kind", m->kind < 4 ? kinds[m->kind] : "other");
	page_json_text(j, "text", text);
	page_json_uint(j, "value", m->value);
	page_json_close(j, '}');
}

/* Many marks would fill the page: each stands for several then. */
static void write_mark_list(struct page_json *j, const struct image *im)
{
	uint64_t count = image_count(im, MU_SEC_MARKS), step = count / MARKS + 1;

	page_json_uint(j, "mark_count", count);
	page_json_open(j, "marks", '[');
	for (uint64_t i = 0; i < count; i += step) {
		struct mu_mark m;

		if (!image_copy_entry(im, MU_SEC_MARKS, i, &m, sizeof(m)))
			break;
		write_one_mark(j, im, &m);
	}
	page_json_close(j, ']');
}

void page_put_series(struct page_json *j, const struct image *im, uint32_t points)
{
	struct timeline t;

	if (timeline_load(&t, im, NULL) < 0)
		xno_memory();
	page_json_open(j, "samples", '{');
	for (int c = 0; c < COLUMNS; c++)
		write_sample_column(j, &t, (enum column)c, t.count / points + 1);
	page_json_close(j, '}');
	timeline_free(&t);
	write_mark_list(j, im);
}
