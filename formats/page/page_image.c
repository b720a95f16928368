/* page_image.c -- what a report page shows of one process image: its tree, moments and curves.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_image.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/page/page_facts.h"
#include "formats/page/page_labels.h"
#include "formats/page/page_losses.h"
#include "formats/page/page_moments.h"
#include "formats/page/page_residents.h"
#include "formats/page/page_series.h"
#include "formats/page/page_trends.h"
#include "profile/read/accesses.h"
#include "profile/read/snapshot_values.h"
#include "recording/accesses.h"

enum { SNAPSHOTS_MAX = 2000, VALUES_MAX = 1 << 25, READ_MOST = 16 << 20 };

void page_image_init(struct page_image *p)
{
	const struct filter *f = p->export->filter;

	page_stacks_init(&p->stacks, f);
	p->errors = site_errors_load(&f->profile->sites, p->export->image);
	page_roots_init(&p->roots, p->export);
}

void page_image_free(struct page_image *p)
{
	page_stacks_free(&p->stacks);
	free(p->errors);
	p->errors = NULL;
	page_roots_free(&p->roots);
}

/* ---- values -------------------------------------------------------------------------------- */

struct values {
	const struct page_image *page;
	struct accesses accesses;
};

static int64_t error_metric_value(const struct site_errors *errors, enum page_metric metric)
{
	const struct sampled_error *const of[] = { &errors->peak, &errors->live, &errors->total };
	const struct sampled_error *e;

	if (metric < PAGE_ERRORS || metric >= PAGE_ERRORS_END)
		return 0;
	e = of[(metric - PAGE_ERRORS) / PAGE_ERROR_FIELDS];
	switch ((enum page_error)((metric - PAGE_ERRORS) % PAGE_ERROR_FIELDS)) {
	case PAGE_ERROR_SAMPLES: return (int64_t)e->samples;
	case PAGE_ERROR_EXACT_BYTES: return (int64_t)e->exact_bytes;
	case PAGE_ERROR_EXACT_BLOCKS: return (int64_t)e->exact_blocks;
	case PAGE_ERROR_VARIANCE: return (int64_t)(e->variance / MU_SAMPLE_VARIANCE_UNIT);
	case PAGE_ERROR_BLOCK_VARIANCE:
		return (int64_t)(e->block_variance / MU_SAMPLE_BLOCK_VARIANCE_UNIT);
	case PAGE_ERROR_FIELDS: break;
	}
	return 0;
}

static int64_t site_metric_value(const void *data, uint32_t site, enum page_metric metric)
{
	const struct page_image *p = data;
	const struct site *s = &p->export->filter->profile->sites.site[site];

	if (p->stacks.standing[site] != PAGE_SHOWN)
		return 0;
	switch (metric) {
	case PAGE_TOTAL_BYTES: return (int64_t)s->total_bytes;
	case PAGE_TOTAL_BLOCKS: return (int64_t)s->total_blocks;
	case PAGE_PEAK_BYTES: return s->peak_bytes;
	case PAGE_PEAK_BLOCKS: return s->peak_blocks;
	case PAGE_END_BYTES: return s->live_bytes;
	case PAGE_END_BLOCKS: return s->live_blocks;
	case PAGE_TEMPORARY: return (int64_t)s->temporary;
	/* In milliseconds, which ticks are. */
	case PAGE_LIFE: return s->life;
	case PAGE_MAX_BYTES: return s->max_bytes;
	case PAGE_READ_BYTES:
	case PAGE_WRITTEN_BYTES:
	case PAGE_MAX_BLOCKS:
	case PAGE_METRICS:
	case PAGE_ERRORS_END: break;
	}
	return p->errors ? error_metric_value(&p->errors[site], metric) : 0;
}

static int64_t recorded_site_value(const void *data, uint32_t site, enum page_metric metric)
{
	const struct values *v = data;

	if (metric == PAGE_READ_BYTES || metric == PAGE_WRITTEN_BYTES) {
		const struct site_accesses *a = &v->accesses.site[site];

		if (site >= v->accesses.sites ||
		    site_metric_value(v->page, site, PAGE_TOTAL_BLOCKS) == 0)
			return 0;
		return (int64_t)(metric == PAGE_READ_BYTES ? a->read_bytes : a->written_bytes);
	}
	return site_metric_value(v->page, site, metric);
}

struct page_sites page_image_sites(const struct page_image *p)
{
	return (struct page_sites){
		.count = p->export->filter->profile->sites.count, .node = p->stacks.node,
		.value = site_metric_value, .data = p,
		.metrics = ((1u << PAGE_MAX_BLOCKS) - 1) &
			   ~(1u << PAGE_READ_BYTES | 1u << PAGE_WRITTEN_BYTES),
		.distance = p->errors ? sampled_mean_distance(p->export->image) : 0,
	};
}

/* Counts of bytes, where the blocks of a node of the page come from one site. */
static void write_access_counts(struct page_json *j, const struct values *v,
				const struct page_cut *c)
{
	uint32_t *users = xcalloc((size_t)c->count + 1, sizeof(*users));
	uint32_t left = PAGE_COUNTS;

	for (uint32_t i = 0; i < v->accesses.sites; i++)
		users[c->of_site[i]] += site_metric_value(v->page, i, PAGE_TOTAL_BLOCKS) != 0;
	page_json_open(j, "access", '[');
	for (uint32_t i = 0; i < v->accesses.sites; i++) {
		const struct site_accesses *a = &v->accesses.site[i];

		if (a->count && users[c->of_site[i]] == 1)
			page_put_counts(j, c->of_site[i], a->count, a->counts, &left);
	}
	page_json_close(j, ']');
	free(users);
}

/* ---- moments ------------------------------------------------------------------------------- */

struct image_snapshots {
	const struct page_image *page;
	const struct page_cut *cut;
	/* Values that may still be read in all snapshots: a hostile recording can name the same
	 * ones again and again. The recorder keeps less than 25 million. */
	uint64_t left;
	uint64_t read; /* bytes of values since the memory that holds them was let go */
};

static void add_moment_value(const struct image_snapshots *s, const struct mu_site_value *value,
			     struct page_moment *m)
{
	const struct page_image *p = s->page;
	const uint32_t sites = p->export->filter->profile->sites.count;
	int64_t *bytes, *blocks;

	if (value->site >= sites || p->stacks.standing[value->site] == PAGE_NOT_COUNTED)
		return;
	bytes = &m->bytes[s->cut->of_site[value->site]];
	blocks = &m->blocks[s->cut->of_site[value->site]];
	*bytes = (int64_t)((uint64_t)*bytes + (uint64_t)value->bytes);
	*blocks = (int64_t)((uint64_t)*blocks + (uint64_t)value->blocks);
}

static enum page_shot read_snapshot_moment(void *data, uint64_t number, struct page_moment *m)
{
	struct image_snapshots *s = data;
	struct mu_site_value value;
	struct snapshot_values values;
	struct mu_snapshot shot;

	if (number == 0)
		s->left = VALUES_MAX;
	if (!image_snapshot(s->page->export->image, number, &shot))
		return PAGE_SHOT_NONE;
	snapshot_values_open(&values, s->page->export->image, &shot);
	for (; s->left > 0 && snapshot_values_next(&values, &value); s->left--)
		add_moment_value(s, &value, m);
	/* All values together can have 64 MiB. */
	s->read += shot.packed_bytes;
	if (s->read > READ_MOST) {
		image_forget(s->page->export->image);
		s->read = 0;
	}
	return snapshot_values_are_known(&shot) ? PAGE_SHOT_PLACES : PAGE_SHOT_FIGURES;
}

static void write_snapshot_fields(void *data, uint64_t number, struct page_json *j)
{
	static const char *const kinds[] = { "normal", "detailed", "peak", "requested" };
	const struct image_snapshots *s = data;
	const struct image *im = s->page->export->image;
	const uint64_t start = im->head.process.start_mono_ns;
	struct mu_snapshot shot;

	if (!image_snapshot(im, number, &shot))
		return;
	page_json_uint(j, "t", shot.mono_ns > start ? shot.mono_ns - start : 0);
	page_json_text(j, "kind", shot.kind < 4 ? kinds[shot.kind] : "other");
	page_json_int(j, "heap", shot.heap);
	page_json_int(j, "extra", shot.extra);
	page_json_int(j, "stacks", shot.stacks);
	page_json_uint(j, "clock", shot.clock_bytes);
	if (shot.instructions)
		page_json_uint(j, "instructions", shot.instructions);
	if (shot.name.length) {
		char text[256];

		image_string(im, &shot.name, text, sizeof(text));
		page_json_text(j, "name", text);
	}
}

static void write_snapshots(struct page_json *j, const struct page_image *p,
			    const struct page_cut *c, const struct page_budget *b)
{
	const uint64_t count = image_count(p->export->image, MU_SEC_SNAPSHOTS);
	struct image_snapshots s = { .page = p, .cut = c };

	page_put_shots(j, &p->stacks.tree, c,
		       &(struct page_shots){ .count = count < SNAPSHOTS_MAX ? count : SNAPSHOTS_MAX,
					     .take = read_snapshot_moment,
					     .put = write_snapshot_fields,
					     .data = &s },
		       b);
}

/* ---- all of it ----------------------------------------------------------------------------- */

void page_image_fill(struct page_json *j, const void *data, const struct page_budget *b)
{
	const struct page_image *p = data;
	struct values v = { .page = p };
	struct page_sites s = page_image_sites(p);
	struct page_cut cut;
	bool has_accesses = image_count(p->export->image, MU_SEC_ACCESSES) > 0;

	if (has_accesses && accesses_load(&v.accesses, p->export->image, s.count, NULL) < 0)
		xno_memory();
	s.value = recorded_site_value;
	s.data = &v;
	if (has_accesses)
		s.metrics |= 1u << PAGE_READ_BYTES | 1u << PAGE_WRITTEN_BYTES;
	page_cut(&cut, &p->stacks.tree, &s, b->nodes);
	page_put_facts(j, p);
	page_put_series(j, p->export->image, b->points);
	page_put_tree(j, &p->stacks.tree, &cut, b->name_bytes);
	page_put_sites(j, &cut, &s);
	page_put_labels(j, p->export->filter->profile, &cut, &s);
	write_snapshots(j, p, &cut, b);
	page_put_trends(j, p->export, &p->stacks, p->errors, &cut);
	page_roots_put(j, &p->roots, p->export, &cut, b);
	page_residents_put(j, p->export, &p->stacks, &cut);
	page_losses_put(j, p->export, &cut);
	if (p->merge)
		page_merge_put(j, p->merge, &p->stacks, &cut, b->nodes);
	if (has_accesses)
		write_access_counts(j, &v, &cut);
	page_cut_free(&cut);
	accesses_free(&v.accesses);
}
