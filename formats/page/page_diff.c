/* page_diff.c -- what a report page shows of two files that are compared.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

enum { NAME_BYTES = 4096, RENAMES = 1000 };

static const char *const side_names[SIDES] = { [SIDE_OLD] = "old", [SIDE_NEW] = "new" };

static const char *metric_name(enum metric_kind kind)
{
	return kind == METRIC_PEAK ? "peak" : kind == METRIC_LIVE ? "end" : "total";
}

void page_diff_init(struct page_diff *p)
{
	page_stacks_init(&p->stacks, &p->what->comparison->filter);
}

void page_diff_free(struct page_diff *p)
{
	page_stacks_free(&p->stacks);
}

/* ---- the tree ------------------------------------------------------------------------------ */

static enum page_metric cut_metric(enum metric_kind kind)
{
	return kind == METRIC_PEAK ? PAGE_PEAK_BYTES :
	       kind == METRIC_LIVE ? PAGE_END_BYTES : PAGE_TOTAL_BYTES;
}

/* The larger of both sides, so that what is gone stays in the tree. */
static int64_t larger_side(const void *data, uint32_t site, enum page_metric metric)
{
	const struct diff_export *e = ((const struct page_diff *)data)->what;

	for (uint32_t i = 0; i < e->metrics; i++) {
		const int64_t old = e->metric[i].weight[SIDE_OLD][site].bytes;
		const int64_t new = e->metric[i].weight[SIDE_NEW][site].bytes;

		if (cut_metric(e->metric[i].kind) == metric)
			return old > new ? old : new;
	}
	return 0;
}

static struct page_sites sites_to_cut(const struct page_diff *p)
{
	const struct diff_export *e = p->what;
	struct page_sites sites = { .count = e->comparison->profile.sites.count,
				    .node = p->stacks.node, .value = larger_side, .data = p };

	for (uint32_t i = 0; i < e->metrics; i++)
		sites.metrics |= 1u << cut_metric(e->metric[i].kind);
	return sites;
}

/* ---- columns ------------------------------------------------------------------------------- */

/* Sums by node of the page, and which nodes have some. */
struct columns {
	const struct page_diff *p;
	const struct page_cut *cut;
	double *sum;
	uint8_t *has;
};

static void write_column(struct page_json *j, const struct columns *c, const char *name)
{
	page_json_open(j, name, '[');
	for (uint32_t i = 0; i < c->cut->count; i++) {
		if (c->has[i])
			page_json_int(j, NULL, (int64_t)c->sum[i]);
	}
	page_json_close(j, ']');
}

/* "old_peak_bytes" and "old_peak_blocks" */
static void write_weights(struct page_json *j, const struct columns *c, const struct diff_metric *m,
			  enum side side, bool of_blocks)
{
	const uint32_t sites = c->p->what->comparison->profile.sites.count;
	char name[32];

	memset(c->sum, 0, c->cut->count * sizeof(*c->sum));
	for (uint32_t i = 0; i < sites; i++)
		c->sum[c->cut->of_site[i]] += (double)(of_blocks ? m->weight[side][i].blocks :
								   m->weight[side][i].bytes);
	snprintf(name, sizeof(name), "%s_%s_%s", side_names[side], metric_name(m->kind),
		 of_blocks ? "blocks" : "bytes");
	write_column(j, c, name);
}

/* "peak_change_samples" and "peak_change_variance", by which the page knows what is within the
 * error. */
static void write_errors(struct page_json *j, const struct columns *c, const struct diff_metric *m)
{
	const uint32_t sites = c->p->what->comparison->profile.sites.count;
	char name[32];

	for (int of_variance = 0; of_variance < 2; of_variance++) {
		memset(c->sum, 0, c->cut->count * sizeof(*c->sum));
		for (uint32_t i = 0; i < sites; i++)
			c->sum[c->cut->of_site[i]] +=
				of_variance ? m->error[i].variance / MU_SAMPLE_VARIANCE_UNIT :
					      m->error[i].samples;
		snprintf(name, sizeof(name), "%s_change_%s", metric_name(m->kind),
			 of_variance ? "variance" : "samples");
		write_column(j, c, name);
	}
}

static void mark_nodes(const struct columns *c)
{
	const struct diff_export *e = c->p->what;

	for (uint32_t i = 0; i < e->comparison->profile.sites.count; i++) {
		for (uint32_t k = 0; k < e->metrics; k++)
			c->has[c->cut->of_site[i]] |= e->metric[k].weight[SIDE_OLD][i].bytes ||
						      e->metric[k].weight[SIDE_NEW][i].bytes;
	}
}

static void write_sites(struct page_json *j, const struct page_diff *p, const struct page_cut *cut)
{
	const struct diff_export *e = p->what;
	struct columns c = { .p = p, .cut = cut, .sum = xcalloc(cut->count, sizeof(*c.sum)),
			     .has = xcalloc(cut->count, sizeof(*c.has)) };
	uint32_t last = 0;

	mark_nodes(&c);
	page_json_open(j, "sites", '{');
	page_json_open(j, "node", '[');
	for (uint32_t i = 0; i < cut->count; i++) {
		if (!c.has[i])
			continue;
		page_json_uint(j, NULL, i - last);
		last = i;
	}
	page_json_close(j, ']');
	for (uint32_t i = 0; i < e->metrics; i++) {
		for (int s = 0; s < SIDES; s++) {
			write_weights(j, &c, &e->metric[i], (enum side)s, false);
			if (e->has_blocks)
				write_weights(j, &c, &e->metric[i], (enum side)s, true);
		}
		if (e->distance > 0 && e->metric[i].error)
			write_errors(j, &c, &e->metric[i]);
	}
	page_json_close(j, '}');
	free(c.sum);
	free(c.has);
}

/* ---- facts --------------------------------------------------------------------------------- */

/* The largest of each group of points: no peak is lost. */
static void write_curve(struct page_json *j, const struct page_curve *c, uint32_t points)
{
	const uint32_t step = c->count / points + 1;

	page_json_text(j, "unit", c->unit);
	for (int of_heap = 0; of_heap < 2; of_heap++) {
		page_json_open(j, of_heap ? "heap" : "t", '[');
		for (uint32_t i = 0; i < c->count; i += step) {
			uint32_t most = i;

			for (uint32_t k = i; k < c->count && k - i < step; k++)
				most = c->heap[k] > c->heap[most] ? k : most;
			page_json_int(j, NULL,
				      of_heap ? c->heap[most] : (int64_t)c->time[most]);
		}
		page_json_close(j, ']');
	}
}

static void write_sides(struct page_json *j, const struct page_diff *p, uint32_t points)
{
	for (int s = 0; s < SIDES; s++) {
		page_json_open(j, side_names[s], '{');
		page_json_text_cut(j, "file", p->what->file[s], NAME_BYTES);
		page_json_text_cut(j, "process", p->what->process[s], NAME_BYTES);
		if (p->curve[s].unit)
			write_curve(j, &p->curve[s], points);
		page_json_close(j, '}');
	}
}

static void write_metrics(struct page_json *j, const struct diff_export *e)
{
	page_json_open(j, "metrics", '[');
	for (uint32_t i = 0; i < e->metrics; i++) {
		const struct diff_metric *m = &e->metric[i];
		const struct comparison_share share = comparison_matched(
			e->comparison, m->weight[SIDE_OLD], m->weight[SIDE_NEW]);

		page_json_open(j, NULL, '{');
		page_json_text(j, "metric", metric_name(m->kind));
		page_json_real(j, "matched", share.has_any ?
			       share.path + share.folded + share.moved : 1);
		page_json_real(j, "folded", share.folded);
		page_json_real(j, "moved", share.moved);
		page_json_close(j, '}');
	}
	page_json_close(j, ']');
}

static void write_renames(struct page_json *j, const struct comparison *c)
{
	page_json_open(j, "renamed", '[');
	for (uint32_t i = 0; i < c->renames && i < RENAMES; i++) {
		page_json_open(j, NULL, '{');
		page_json_text_cut(j, "old", c->rename[i].old, NAME_BYTES);
		page_json_text_cut(j, "new", c->rename[i].new, NAME_BYTES);
		page_json_close(j, '}');
	}
	page_json_close(j, ']');
}

void page_diff_fill(struct page_json *j, const void *page_diff, const struct page_budget *b)
{
	const struct page_diff *p = page_diff;
	const struct page_sites sites = sites_to_cut(p);
	struct page_cut cut;

	page_json_open(j, "diff", '{');
	write_sides(j, p, b->points);
	write_metrics(j, p->what);
	write_renames(j, p->what->comparison);
	if (p->what->distance > 0) {
		page_json_real(j, "distance", p->what->distance);
		page_json_real(j, "unseen", sampled_bytes_unseen(p->what->distance));
	}
	page_json_close(j, '}');
	page_cut(&cut, &p->stacks.tree, &sites, b->nodes);
	page_put_tree(j, &p->stacks.tree, &cut, b->name_bytes);
	write_sites(j, p, &cut);
	page_cut_free(&cut);
}
