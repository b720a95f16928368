/* page_dhat.c -- what a report page shows of a profile of DHAT.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_foreign.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

int page_dhat_init(struct page_dhat *p, const struct dhat *d, bool hides_runtime,
		   struct mu_error *err)
{
	*p = (struct page_dhat){ .file = d, .import = xcalloc(1, sizeof(*p->import)) };
	if (stack_import_dhat(p->import, d, NULL, err) < 0)
		return -1;
	page_stacks_init(&p->stacks, stack_import_filter(p->import, hides_runtime, NULL));
	return 0;
}

void page_dhat_free(struct page_dhat *p)
{
	page_stacks_free(&p->stacks);
	stack_import_free(p->import);
	free(p->import);
	*p = (struct page_dhat){ .file = NULL };
}

static int64_t point_site_value(const void *data, uint32_t site, enum page_metric metric)
{
	const struct dhat_point *p = &((const struct page_dhat *)data)->file->point[site];

	switch (metric) {
	case PAGE_TOTAL_BYTES: return (int64_t)p->total_bytes;
	case PAGE_TOTAL_BLOCKS: return (int64_t)p->total_blocks;
	case PAGE_PEAK_BYTES: return (int64_t)p->peak_bytes;
	case PAGE_PEAK_BLOCKS: return (int64_t)p->peak_blocks;
	case PAGE_END_BYTES: return (int64_t)p->end_bytes;
	case PAGE_END_BLOCKS: return (int64_t)p->end_blocks;
	case PAGE_LIFE: return (int64_t)p->lifetimes;
	case PAGE_READ_BYTES: return (int64_t)p->read_bytes;
	case PAGE_WRITTEN_BYTES: return (int64_t)p->written_bytes;
	case PAGE_MAX_BYTES: return (int64_t)p->max_bytes;
	case PAGE_MAX_BLOCKS: return (int64_t)p->max_blocks;
	case PAGE_TEMPORARY:
	case PAGE_METRICS:
	case PAGE_ERRORS_END: break;
	}
	return 0;
}

struct page_sites page_dhat_sites(const struct page_dhat *p)
{
	struct page_sites sites = {
		.count = p->file->count,
		.node = p->stacks.node,
		.value = point_site_value,
		.data = p,
		.metrics = 1u << PAGE_TOTAL_BYTES | 1u << PAGE_TOTAL_BLOCKS,
	};

	if (p->file->has_lifetimes)
		sites.metrics |= 1u << PAGE_PEAK_BYTES | 1u << PAGE_PEAK_BLOCKS |
				 1u << PAGE_END_BYTES | 1u << PAGE_END_BLOCKS | 1u << PAGE_LIFE |
				 1u << PAGE_MAX_BYTES | 1u << PAGE_MAX_BLOCKS;
	if (p->file->has_accesses)
		sites.metrics |= 1u << PAGE_READ_BYTES | 1u << PAGE_WRITTEN_BYTES;
	return sites;
}

static void write_totals(struct page_json *j, const struct dhat *d)
{
	struct dhat_point all = dhat_sum(d);

	page_json_open(j, "totals", '{');
	page_json_uint(j, "bytes", all.total_bytes);
	page_json_uint(j, "calls", all.total_blocks);
	if (d->has_lifetimes) {
		page_json_uint(j, "peak", all.peak_bytes);
		page_json_uint(j, "end", all.end_bytes);
	}
	page_json_close(j, '}');
}

static const char *time_unit_name(const struct dhat *d)
{
	return !d->time_unit || strncmp(d->time_unit, "instr", 5) == 0 ? "i" :
	       strcmp(d->time_unit, "bytes") == 0 ? "B" : d->time_unit;
}

static void write_run_facts(struct page_json *j, const struct dhat *d)
{
	page_json_text(j, "mode", d->mode);
	page_json_text(j, "verb", d->verb);
	page_json_text(j, "bytes_word", d->bytes);
	page_json_text(j, "blocks_word", d->blocks);
	page_json_open(j, "run", '{');
	page_json_text_cut(j, "command", d->command, 16384);
	page_json_uint(j, "pid", d->pid);
	page_json_uint(j, "duration", d->end_time);
	page_json_text(j, "unit", time_unit_name(d));
	page_json_close(j, '}');
	page_json_uint(j, "peak_time", d->peak_time);
	page_json_text(j, "life_unit", time_unit_name(d));
	page_json_uint(j, "short_life", d->short_lived);
	page_json_open(j, "recorded", '{');
	page_json_bool(j, "stacks", true);
	page_json_bool(j, "accesses", d->has_accesses);
	page_json_bool(j, "lifetimes", d->has_lifetimes);
	page_json_close(j, '}');
	write_totals(j, d);
}

/* Points that share a node of the page are left out. */
static void write_access_counts(struct page_json *j, const struct page_dhat *p,
				const struct page_cut *c)
{
	const struct dhat *d = p->file;
	uint32_t *users = xcalloc((size_t)c->count + 1, sizeof(*users));
	uint32_t left = PAGE_COUNTS;

	for (uint32_t i = 0; i < d->count; i++)
		users[c->of_site[i]]++;
	page_json_open(j, "access", '[');
	for (uint32_t i = 0; i < d->count; i++) {
		const struct dhat_point *point = &d->point[i];

		if (point->counts && users[c->of_site[i]] == 1)
			page_put_counts(j, c->of_site[i], d->access + point->first_count,
					point->counts, &left);
	}
	page_json_close(j, ']');
	free(users);
}

void page_dhat_fill(struct page_json *j, const void *data, const struct page_budget *b)
{
	const struct page_dhat *p = data;
	struct page_sites sites = page_dhat_sites(p);
	struct page_cut cut;

	write_run_facts(j, p->file);
	page_cut(&cut, &p->stacks.tree, &sites, b->nodes);
	page_put_tree(j, &p->stacks.tree, &cut, b->name_bytes);
	page_put_sites(j, &cut, &sites);
	if (p->file->has_accesses)
		write_access_counts(j, p, &cut);
	page_cut_free(&cut);
}
