/* page.c -- a report as one HTML file that needs nothing else.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/page/page_template.h"

/* How deep is cut into the budget until the page fits; the last is some 60 kB. */
enum { ATTEMPTS = 8 };

static const char *find_data_mark(void)
{
	return memmem(page_template, page_template_size, PAGE_TEMPLATE_MARK,
		      strlen(PAGE_TEMPLATE_MARK));
}

bool page_is_built(void)
{
	return find_data_mark() != NULL;
}

static void write_page_data(struct page_json *j, const struct page *page,
			    const struct page_budget *b)
{
	page_json_open(j, NULL, '{');
	page_json_text(j, "format", "memusage-page");
	page_json_uint(j, "version", 1);
	page_json_text(j, "creator", page->version);
	page_json_text(j, "kind", page->kind);
	page_json_text_cut(j, "file", page->file, 4096);
	page->fill(j, page->data, b);
	page_json_close(j, '}');
}

/* A text of SIZE bytes to be freed. */
static char *make_data_text(const struct page *page, const struct page_budget *b, size_t *size)
{
	char *text;
	struct page_json j = { .out = xopen_memstream(&text, size) };

	write_page_data(&j, page, b);
	xclose_memstream(j.out);
	return text;
}

int page_write(FILE *out, const struct page *page, struct mu_error *err)
{
	struct page_budget b = {
		.nodes = 16000, .name_bytes = 4096, .values = 60000, .points = PAGE_POINTS,
	};
	const char *mark = find_data_mark();
	size_t room, size = 0;
	char *data = NULL;

	if (!mark)
		return mu_error_set(err, MU_ERROR_VERSION, 0,
				    "memusage was built without the HTML page (make HTML=yes)");
	room = PAGE_BYTES_MAX - page_template_size;
	for (int i = 0; i < ATTEMPTS; i++) {
		data = make_data_text(page, &b, &size);
		if (size <= room)
			break;
		if (i + 1 < ATTEMPTS)
			free(data);
		b.name_bytes = b.name_bytes > 256 ? b.name_bytes / 4 : 128;
		if (i > 0) {
			b.nodes /= 2;
			b.values /= 2;
		}
	}
	fwrite(page_template, 1, (size_t)(mark - page_template), out);
	fwrite(data, 1, size, out);
	mark += strlen(PAGE_TEMPLATE_MARK);
	fwrite(mark, 1, (size_t)(page_template + page_template_size - mark), out);
	free(data);
	return 0;
}

/* ---- the tree ------------------------------------------------------------------------------ */

/* Numbers for the texts and places that are used, from 1 on. */
struct numbering {
	uint32_t *number;	/* 0: not used */
	uint32_t *used;
	uint32_t count;
};

static void numbering_init(struct numbering *n, uint32_t size)
{
	n->number = xcalloc((size_t)size + 1, sizeof(*n->number));
	n->used = xcalloc((size_t)size + 1, sizeof(*n->used));
	n->count = 0;
}

static uint32_t number_in_order(struct numbering *n, uint32_t what)
{
	if (what == 0)
		return 0;
	if (n->number[what] == 0) {
		n->used[n->count] = what;
		n->number[what] = ++n->count;
	}
	return n->number[what];
}

static void numbering_free(struct numbering *n)
{
	free(n->number);
	free(n->used);
}

static void write_place_table(struct page_json *j, const struct page_tree *t,
			      const struct numbering *places, struct numbering *texts)
{
	page_json_open(j, "places", '[');
	for (uint32_t i = 0; i < places->count; i++) {
		const struct page_place *p = &t->place[places->used[i]];

		page_json_uint(j, NULL, number_in_order(texts, p->function));
		page_json_uint(j, NULL, number_in_order(texts, p->file));
		page_json_uint(j, NULL, p->line);
		page_json_uint(j, NULL, number_in_order(texts, p->object));
		page_json_uint(j, NULL, p->flags);
	}
	page_json_close(j, ']');
}

static void write_tree_nodes(struct page_json *j, const struct page_cut *c,
			     struct numbering *places)
{
	page_json_open(j, "tree", '{');
	page_json_open(j, "parent", '[');
	for (uint32_t i = 1; i < c->count; i++)
		page_json_uint(j, NULL, i - c->node[i].parent);
	page_json_close(j, ']');
	page_json_open(j, "place", '[');
	for (uint32_t i = 1; i < c->count; i++)
		page_json_uint(j, NULL, number_in_order(places, c->node[i].place));
	page_json_close(j, ']');
	page_json_open(j, "flags", '[');
	for (uint32_t i = 1; i < c->count; i++) {
		if (!c->flags[i])
			continue;
		page_json_uint(j, NULL, i);
		page_json_uint(j, NULL, c->flags[i]);
	}
	page_json_close(j, ']');
	page_json_close(j, '}');
}

void page_put_tree(struct page_json *j, const struct page_tree *t, const struct page_cut *c,
		   size_t bytes)
{
	struct numbering places, texts;

	numbering_init(&places, t->place_count);
	numbering_init(&texts, t->strings.count);
	write_tree_nodes(j, c, &places);
	write_place_table(j, t, &places, &texts);
	page_json_open(j, "strings", '[');
	for (uint32_t i = 0; i < texts.count; i++)
		page_json_text_cut(j, NULL, strings_get(&t->strings, texts.used[i]), bytes);
	page_json_close(j, ']');
	page_json_open(j, "cut", '{');
	page_json_uint(j, "nodes", t->node_count);
	page_json_uint(j, "left_out", c->left_out);
	page_json_real(j, "share", c->share);
	page_json_close(j, '}');
	numbering_free(&places);
	numbering_free(&texts);
}

/* ---- values -------------------------------------------------------------------------------- */

static const char *const metric_names[PAGE_METRICS] = {
	[PAGE_TOTAL_BYTES] = "total_bytes", [PAGE_TOTAL_BLOCKS] = "total_blocks",
	[PAGE_PEAK_BYTES] = "peak_bytes", [PAGE_PEAK_BLOCKS] = "peak_blocks",
	[PAGE_END_BYTES] = "end_bytes", [PAGE_END_BLOCKS] = "end_blocks",
	[PAGE_TEMPORARY] = "temporary", [PAGE_LIFE] = "life",
	[PAGE_READ_BYTES] = "read_bytes", [PAGE_WRITTEN_BYTES] = "written_bytes",
	[PAGE_MAX_BYTES] = "max_bytes", [PAGE_MAX_BLOCKS] = "max_blocks",
};

/* Numbers of a hostile file may wrap. */
static void saturating_add(int64_t *sum, int64_t value)
{
	*sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
}

/* The maxima of several sites do not add up to their common maximum. */
static void write_metric_column(struct page_json *j, const struct page_cut *c,
				const struct page_sites *s, enum page_metric m, const char *name,
				int64_t *sum, const uint32_t *sites)
{
	const bool is_maximum = m == PAGE_MAX_BYTES || m == PAGE_MAX_BLOCKS;

	memset(sum, 0, c->count * sizeof(*sum));
	for (uint32_t i = 0; i < s->count; i++)
		saturating_add(&sum[c->of_site[i]], s->value(s->data, i, m));
	page_json_open(j, name, '[');
	for (uint32_t i = 0; i < c->count; i++) {
		if (sites[i])
			page_json_int(j, NULL, is_maximum && sites[i] > 1 ? 0 : sum[i]);
	}
	page_json_close(j, ']');
}

/* "peak_samples", "end_exact_bytes", "total_block_variance" and so on. */
static void write_error_columns(struct page_json *j, const struct page_cut *c,
				const struct page_sites *s, int64_t *sum, const uint32_t *sites)
{
	static const char *const moment[] = { "peak", "end", "total" };
	static const char *const field[PAGE_ERROR_FIELDS] = {
		"samples", "exact_bytes", "exact_blocks", "variance", "block_variance"
	};
	char name[32];

	for (int m = PAGE_ERRORS; m < PAGE_ERRORS_END; m++) {
		snprintf(name, sizeof(name), "%s_%s",
			 moment[(m - PAGE_ERRORS) / PAGE_ERROR_FIELDS],
			 field[(m - PAGE_ERRORS) % PAGE_ERROR_FIELDS]);
		write_metric_column(j, c, s, m, name, sum, sites);
	}
}

static bool has_site_value(const struct page_sites *s, uint32_t site)
{
	for (int m = 0; m < PAGE_METRICS; m++) {
		if ((s->metrics >> m & 1) && s->value(s->data, site, m) != 0)
			return true;
	}
	return false;
}

void page_put_sites(struct page_json *j, const struct page_cut *c, const struct page_sites *s)
{
	int64_t *sum = xcalloc(c->count, sizeof(*sum));
	uint32_t *sites = xcalloc(c->count, sizeof(*sites)), last = 0;

	for (uint32_t i = 0; i < s->count; i++)
		sites[c->of_site[i]] += has_site_value(s, i);
	page_json_open(j, "sites", '{');
	page_json_open(j, "node", '[');
	for (uint32_t i = 0; i < c->count; i++) {
		if (!sites[i])
			continue;
		page_json_uint(j, NULL, i - last);
		last = i;
	}
	page_json_close(j, ']');
	page_json_open(j, "stacks", '[');
	for (uint32_t i = 0; i < c->count; i++) {
		if (sites[i])
			page_json_uint(j, NULL, sites[i]);
	}
	page_json_close(j, ']');
	for (int m = 0; m < PAGE_METRICS; m++) {
		if (s->metrics >> m & 1)
			write_metric_column(j, c, s, m, metric_names[m], sum, sites);
	}
	if (s->distance > 0)
		write_error_columns(j, c, s, sum, sites);
	page_json_close(j, '}');
	free(sum);
	free(sites);
}

static uint32_t equal_count_run(const uint16_t *count, uint32_t counts, uint32_t at)
{
	uint32_t length = 1;

	while (at + length < counts && count[at + length] == count[at])
		length++;
	return length;
}

void page_put_counts(struct page_json *j, uint32_t node, const uint16_t *count, uint32_t counts,
		     uint32_t *left)
{
	uint32_t written = 0;

	for (uint32_t i = 0; i < counts; i += equal_count_run(count, counts, i))
		written += 2;
	if (written > *left)
		return;
	*left -= written;
	page_json_open(j, NULL, '{');
	page_json_uint(j, "node", node);
	page_json_open(j, "counts", '[');
	for (uint32_t i = 0, n; i < counts; i += n) {
		n = equal_count_run(count, counts, i);
		if (n > 1)
			page_json_int(j, NULL, -(int64_t)n);
		page_json_uint(j, NULL, count[i]);
	}
	page_json_close(j, ']');
	page_json_close(j, '}');
}
