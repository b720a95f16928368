/* page_massif.c -- what a report page shows of a massif.out.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_foreign.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/page/page_moments.h"

/* The last snapshot, if it says who holds what. */
static const struct massif_snapshot *last_snapshot_with_tree(const struct massif_file *m)
{
	const struct massif_snapshot *s = m->count ? &m->snapshots[m->count - 1] : NULL;

	return s && s->node_count ? s : NULL;
}

static struct weight *weigh_sites(const struct page_massif *p,
				  const struct massif_snapshot *snapshot)
{
	const uint32_t sites = p->import->profile.sites.count;
	struct weight *weight = xcalloc((size_t)sites + 1, sizeof(*weight));

	if (snapshot)
		stack_import_weigh_snapshot(p->import, p->file, snapshot, weight);
	return weight;
}

int page_massif_init(struct page_massif *p, const struct massif_file *m, bool hides_runtime,
		     struct mu_error *err)
{
	*p = (struct page_massif){ .file = m, .import = xcalloc(1, sizeof(*p->import)) };
	if (stack_import_massif(p->import, m, NULL, err) < 0)
		return -1;
	page_stacks_init(&p->stacks, stack_import_filter(p->import, hides_runtime, NULL));
	p->peak = weigh_sites(p, massif_peak(m));
	p->end = weigh_sites(p, last_snapshot_with_tree(m));
	return 0;
}

void page_massif_free(struct page_massif *p)
{
	page_stacks_free(&p->stacks);
	stack_import_free(p->import);
	free(p->import);
	free(p->peak);
	free(p->end);
	*p = (struct page_massif){ .file = NULL };
}

/* ---- writing ------------------------------------------------------------------------------- */

static int64_t massif_site_value(const void *data, uint32_t site, enum page_metric metric)
{
	const struct page_massif *p = data;

	return metric == PAGE_PEAK_BYTES ? p->peak[site].bytes :
	       metric == PAGE_END_BYTES ? p->end[site].bytes : 0;
}

struct page_sites page_massif_sites(const struct page_massif *p)
{
	return (struct page_sites){
		.count = p->import->profile.sites.count,
		.node = p->stacks.node,
		.value = massif_site_value,
		.data = p,
		.metrics = 1u << PAGE_PEAK_BYTES |
			   (last_snapshot_with_tree(p->file) ? 1u << PAGE_END_BYTES : 0),
	};
}

static const char *time_unit_name(enum massif_unit unit)
{
	return unit == MASSIF_MS ? "ms" : unit == MASSIF_BYTES ? "B" : "i";
}

static void write_run_facts(struct page_json *j, const struct page_massif *p)
{
	const struct massif_file *m = p->file;
	const struct massif_snapshot *end = m->count ? &m->snapshots[m->count - 1] : NULL;
	uint64_t peak = 0;

	for (size_t i = 0; i < m->count; i++) {
		if (m->snapshots[i].heap > peak)
			peak = m->snapshots[i].heap;
	}
	page_json_open(j, "run", '{');
	page_json_text_cut(j, "command", m->cmd, 16384);
	page_json_uint(j, "duration", end ? end->time : 0);
	page_json_text(j, "unit", time_unit_name(m->unit));
	page_json_close(j, '}');
	page_json_open(j, "recorded", '{');
	page_json_bool(j, "stacks", p->import->profile.sites.count > 0);
	page_json_bool(j, "snapshots", m->count > 0);
	page_json_close(j, '}');
	page_json_open(j, "totals", '{');
	page_json_uint(j, "peak", peak);
	page_json_uint(j, "end", end ? end->heap : 0);
	page_json_close(j, '}');
}

/* Snapshots beyond a page's budget of points are passed over, but for those with a tree. */
struct massif_snapshots {
	struct stack_import *import;
	const struct massif_file *file;
	const struct page_cut *cut;
	size_t step;
	struct page_moment *moment;	/* that is read */
};

static void add_moment_value(void *data, uint32_t site, uint64_t bytes)
{
	const struct massif_snapshots *s = data;
	int64_t *sum = &s->moment->bytes[s->cut->of_site[site]];

	*sum = (int64_t)((uint64_t)*sum + bytes);
}

static enum page_shot read_snapshot_moment(void *data, uint64_t i, struct page_moment *m)
{
	struct massif_snapshots *s = data;
	const struct massif_snapshot *shot = &s->file->snapshots[i];

	if (!shot->node_count)
		return i % s->step == 0 ? PAGE_SHOT_FIGURES : PAGE_SHOT_NONE;
	s->moment = m;
	stack_import_snapshot(s->import, s->file, shot, add_moment_value, s);
	return PAGE_SHOT_PLACES;
}

static void write_snapshot_fields(void *data, uint64_t i, struct page_json *j)
{
	static const char *const kinds[] = { "normal", "detailed", "peak" };
	const struct massif_snapshots *s = data;
	const struct massif_snapshot *shot = &s->file->snapshots[i];

	page_json_uint(j, "t", shot->time);
	page_json_text(j, "kind", kinds[shot->kind]);
	page_json_uint(j, "heap", shot->heap);
	page_json_uint(j, "extra", shot->extra);
	page_json_uint(j, "stacks", shot->stacks);
}

static void write_snapshots(struct page_json *j, const struct page_massif *p,
			    const struct page_cut *c, const struct page_budget *b)
{
	struct massif_snapshots s = { .import = p->import, .file = p->file, .cut = c,
				      .step = p->file->count / b->points + 1 };

	page_put_shots(j, &p->stacks.tree, c,
		       &(struct page_shots){ .count = p->file->count,
					     .take = read_snapshot_moment,
					     .put = write_snapshot_fields,
					     .data = &s },
		       b);
}

void page_massif_fill(struct page_json *j, const void *data, const struct page_budget *b)
{
	const struct page_massif *p = data;
	struct page_sites sites = page_massif_sites(p);
	struct page_cut cut;

	write_run_facts(j, p);
	page_cut(&cut, &p->stacks.tree, &sites, b->nodes);
	page_put_tree(j, &p->stacks.tree, &cut, b->name_bytes);
	page_put_sites(j, &cut, &sites);
	write_snapshots(j, p, &cut, b);
	page_cut_free(&cut);
}
