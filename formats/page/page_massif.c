/* page_massif.c -- what a report page shows of a massif.out.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_foreign.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/massif_convert.h"
#include "formats/page/page_moments.h"
#include "formats/page/page_stacks.h"
#include "profile/base/array.h"

struct massif_tree_builder {
	struct page_massif *page;
	uint32_t snapshot;
	uint32_t place[MASSIF_DEPTH_MAX];	/* of one stack */
};

static void append_node_value(struct page_massif *p, uint32_t snapshot, uint32_t site,
			      uint64_t bytes)
{
	array_reserve(&p->value, &p->room, (size_t)p->values + 1, sizeof(*p->value));
	p->value[p->values++] = (struct page_massif_value){ snapshot, site, bytes };
}

/* PATH is innermost first. */
static void add_stack_nodes(void *data, const struct massif_node *const *path, size_t count,
			    uint64_t bytes)
{
	struct massif_tree_builder *t = data;
	struct page_stacks *s = &t->page->stacks;
	const struct massif_file *m = t->page->file;
	uint32_t site;

	for (size_t i = 0; i < count; i++)
		t->place[i] = page_stacks_place(s, path[i]->text, massif_text(m, path[i]));
	site = page_stacks_site(s, page_stacks_add(s, t->place, count));
	append_node_value(t->page, t->snapshot, site, bytes);
}

static uint32_t snapshot_number(const struct massif_file *m, const struct massif_snapshot *s)
{
	return (uint32_t)(s - m->snapshots);
}

/* The last snapshot, if it says who holds what. */
static const struct massif_snapshot *last_snapshot_with_tree(const struct massif_file *m)
{
	const struct massif_snapshot *s = m->count ? &m->snapshots[m->count - 1] : NULL;

	return s && s->node_count ? s : NULL;
}

static void sum_site_values(struct page_massif *p)
{
	const struct massif_snapshot *peak = massif_peak(p->file),
				     *end = last_snapshot_with_tree(p->file);

	for (uint32_t i = 0; i < p->values; i++) {
		const struct page_massif_value *v = &p->value[i];

		if (peak && v->snapshot == snapshot_number(p->file, peak))
			p->peak[v->site] += v->bytes;
		if (end && v->snapshot == snapshot_number(p->file, end))
			p->end[v->site] += v->bytes;
	}
}

void page_massif_init(struct page_massif *p, const struct massif_file *m, bool hides_runtime)
{
	struct massif_tree_builder t = { .page = p };

	*p = (struct page_massif){ .file = m };
	page_stacks_init(&p->stacks, m->texts.count + 1, hides_runtime);
	for (uint32_t i = 1; i <= m->texts.count; i++)
		page_stacks_place(&p->stacks, i, strings_get(&m->texts, i));
	page_stacks_mark_interpreter(&p->stacks);
	for (size_t i = 0; i < m->count; i++) {
		t.snapshot = (uint32_t)i;
		if (m->snapshots[i].node_count)
			massif_stacks(m, &m->snapshots[i], add_stack_nodes, &t);
	}
	p->peak = xcalloc((size_t)p->stacks.sites + 1, sizeof(*p->peak));
	p->end = xcalloc((size_t)p->stacks.sites + 1, sizeof(*p->end));
	sum_site_values(p);
}

void page_massif_free(struct page_massif *p)
{
	page_stacks_free(&p->stacks);
	free(p->value);
	free(p->peak);
	free(p->end);
	*p = (struct page_massif){ .file = NULL };
}

/* ---- writing ------------------------------------------------------------------------------- */

static int64_t massif_site_value(const void *data, uint32_t site, enum page_metric metric)
{
	const struct page_massif *p = data;

	return (int64_t)(metric == PAGE_PEAK_BYTES ? p->peak[site] :
			 metric == PAGE_END_BYTES ? p->end[site] : 0);
}

struct page_sites page_massif_sites(const struct page_massif *p)
{
	return (struct page_sites){
		.count = p->stacks.sites,
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
	page_json_bool(j, "stacks", p->stacks.sites > 0);
	page_json_bool(j, "snapshots", m->count > 0);
	page_json_close(j, '}');
	page_json_open(j, "totals", '{');
	page_json_uint(j, "peak", peak);
	page_json_uint(j, "end", end ? end->heap : 0);
	page_json_close(j, '}');
}

/* Snapshots beyond a page's budget of points are passed over, but for those with a tree. */
struct massif_snapshots {
	const struct page_massif *page;
	const struct page_cut *cut;
	size_t step;
	uint32_t value;		/* the next one */
};

static enum page_shot read_snapshot_moment(void *data, uint64_t i, struct page_moment *m)
{
	struct massif_snapshots *s = data;
	const struct page_massif *p = s->page;

	if (i == 0)
		s->value = 0;
	if (!p->file->snapshots[i].node_count)
		return i % s->step == 0 ? PAGE_SHOT_FIGURES : PAGE_SHOT_NONE;
	for (; s->value < p->values && p->value[s->value].snapshot == i; s->value++) {
		int64_t *bytes = &m->bytes[s->cut->of_site[p->value[s->value].site]];

		*bytes = (int64_t)((uint64_t)*bytes + p->value[s->value].bytes);
	}
	return PAGE_SHOT_PLACES;
}

static void write_snapshot_fields(void *data, uint64_t i, struct page_json *j)
{
	static const char *const kinds[] = { "normal", "detailed", "peak" };
	const struct massif_snapshots *s = data;
	const struct massif_snapshot *shot = &s->page->file->snapshots[i];

	page_json_uint(j, "t", shot->time);
	page_json_text(j, "kind", kinds[shot->kind]);
	page_json_uint(j, "heap", shot->heap);
	page_json_uint(j, "extra", shot->extra);
	page_json_uint(j, "stacks", shot->stacks);
}

static void write_snapshots(struct page_json *j, const struct page_massif *p,
			    const struct page_cut *c, const struct page_budget *b)
{
	struct massif_snapshots s = { .page = p, .cut = c, .step = p->file->count / b->points + 1 };

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
