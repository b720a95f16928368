/* json_examined.c -- Members of a process in JSON that are results of examinations: pages, leaks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/json_examined.h"

#include <inttypes.h>

#include "profile/read/leak_checks.h"
#include "profile/read/pages.h"

/* The data for writing the number of a site. */
struct site_numbers {
	const uint32_t *listed;
	uint32_t count;
};

static void write_number(FILE *out, const char *key, uint64_t value)
{
	fprintf(out, "\"%s\":%" PRIu64 ",", key, value);
}

static void write_site(FILE *out, const struct site_numbers *n, uint32_t site)
{
	if (site < n->count && n->listed[site] != UINT32_MAX)
		fprintf(out, "%" PRIu32, n->listed[site]);
	else
		fputs("null", out);
}

/* {"live":1, ..., "kernel":7} */
static void write_resident(FILE *out, const struct mu_pages *h)
{
	static const char *const name[MU_PAGES_PARTS] = {
		[MU_PAGES_LIVE] = "live", [MU_PAGES_SLACK] = "slack", [MU_PAGES_FREE] = "free",
		[MU_PAGES_MAPPINGS] = "mappings", [MU_PAGES_STACKS] = "stacks",
		[MU_PAGES_FILES] = "files", [MU_PAGES_RECORDER] = "recorder",
	};

	fputs("\"resident_parts\":{", out);
	for (unsigned int i = 0; i < MU_PAGES_PARTS; i++)
		write_number(out, name[i], h->part[i]);
	fprintf(out, "\"kernel\":%" PRIu64 "},\n", h->kernel_rss);
}

static void write_sites(FILE *out, const struct pages *p, const struct site_numbers *n)
{
	fputs("\"live_sites\":[", out);
	for (uint32_t i = 0; i < p->head->sites; i++) {
		const struct mu_page_site *s = &p->site[i];

		fputs(i ? ",\n {\"site\":" : "\n {\"site\":", out);
		write_site(out, n, s->site);
		putc(',', out);
		write_number(out, "blocks", s->blocks);
		write_number(out, "resident", s->resident);
		write_number(out, "untouched", s->untouched);
		write_number(out, "swapped", s->swapped);
		fprintf(out, "\"huge\":%" PRIu64 ",\"nodes\":[", s->huge);
		for (unsigned int k = 0; k < MU_PAGES_NODES_MAX; k++)
			fprintf(out, "%s%" PRIu64, k ? "," : "", s->node[k]);
		fputs("]}", out);
	}
	fputs("],\n", out);
}

static void write_groups(FILE *out, const struct pages *p, const struct site_numbers *n)
{
	fputs("\"groups\":[", out);
	for (uint32_t i = 0; i < p->head->groups; i++) {
		const struct mu_page_group *g = &p->group[i];

		fputs(i ? ",\n {" : "\n {", out);
		write_number(out, "pages", g->pages);
		write_number(out, "sparse", g->sparse);
		write_number(out, "slack", g->slack);
		fputs("\"uses\":[", out);
		for (uint32_t k = 0; k < g->count; k++) {
			const struct mu_page_use *use = &p->use[g->first + k];

			fputs(k ? ",[" : "[", out);
			write_site(out, n, use->site);
			fprintf(out, ",%" PRIu64 "]", use->bytes);
		}
		fputs("]}", out);
	}
	fputs("],\n", out);
}

static void write_heap(FILE *out, const struct mu_heap_part *h, const struct site_numbers *n)
{
	static const char *const kind[] = { "main", "arena", "mapped", "other" };

	fprintf(out, "\"kind\":\"%s\",\"start\":\"0x%" PRIx64 "\",\"end\":\"0x%" PRIx64 "\",",
		h->kind < 4 ? kind[h->kind] : "other", h->start, h->end);
	write_number(out, "live", h->part[MU_PAGES_LIVE]);
	write_number(out, "slack", h->part[MU_PAGES_SLACK]);
	write_number(out, "free", h->part[MU_PAGES_FREE]);
	write_number(out, "swapped", h->swapped);
	if (h->top) {
		fprintf(out, "\"top\":{\"address\":\"0x%" PRIx64 "\",\"site\":", h->top);
		write_site(out, n, h->top_site);
		putc(',', out);
		write_number(out, "size", h->top_size);
		write_number(out, "blocks", h->top_blocks);
		fprintf(out, "\"held\":%" PRIu64 "},", h->held);
	}
	fprintf(out, "\"above\":%" PRIu64 "}", h->above);
}

void json_write_pages(FILE *out, const struct export *e, const uint32_t *listed)
{
	const struct site_numbers n = { listed, e->filter->profile->sites.count };
	const uint64_t start = e->image->head.process.start_mono_ns;
	struct pages p;

	if (!pages_load(&p, e->image))
		return;
	fputs(",\n\"pages\":{", out);
	write_number(out, "time_ns", p.head->mono_ns > start ? p.head->mono_ns - start : 0);
	write_number(out, "pause_ns", p.head->pause_ns);
	write_number(out, "page_bytes", p.head->page_bytes);
	write_number(out, "swapped", p.head->swapped);
	fprintf(out, "\"is_lower_bound\":%s,",
		p.head->flags & MU_PAGES_MERGED ? "true" : "false");
	write_resident(out, p.head);
	write_sites(out, &p, &n);
	write_groups(out, &p, &n);
	fputs("\"heaps\":[", out);
	for (uint32_t i = 0; i < p.head->heaps; i++) {
		fputs(i ? ",\n {" : "\n {", out);
		write_heap(out, &p.heap[i], &n);
	}
	fputs("]}", out);
	pages_free(&p);
}

/* ---- leak checks -------------------------------------------------------------------------- */

static void write_loss(FILE *out, const struct mu_loss *l, const uint32_t *listed, uint32_t sites)
{
	static const char *const kinds[] = { "reachable", "possible", "indirect", "definite" };

	fputs("{\"site\":", out);
	if (l->site < sites && listed[l->site] != UINT32_MAX)
		fprintf(out, "%" PRIu32, listed[l->site]);
	else
		fputs("null", out);
	fprintf(out, ",\"kind\":\"%s\",\"bytes\":%" PRIu64 ",\"blocks\":%" PRIu64
		",\"indirect_bytes\":%" PRIu64 ",\"indirect_blocks\":%" PRIu64 "}",
		kinds[l->kind & 3], l->bytes, l->blocks, l->indirect_bytes, l->indirect_blocks);
}

/* ,"earlier":[{"site":1,"fate":"freed","bytes":96,"blocks":3}] */
static void write_earlier(FILE *out, const struct leak_check *c, const uint32_t *listed,
			  uint32_t sites)
{
	static const char *const fates[] = { "called_lost", "freed", "not_lost" };
	const struct site_numbers n = { listed, sites };

	for (uint64_t i = 0; i < c->earlier_count; i++) {
		const struct mu_loss *l = &c->earlier[i];

		fputs(i ? ",\n  {\"site\":" : ",\"earlier\":[\n  {\"site\":", out);
		write_site(out, &n, l->site);
		fprintf(out, ",\"fate\":\"%s\",\"bytes\":%" PRIu64 ",\"blocks\":%" PRIu64 "}",
			fates[l->kind - MU_LOSS_CALLED], l->bytes, l->blocks);
	}
	fputs(c->earlier_count ? "]" : "", out);
}

static void write_check(FILE *out, const struct leak_check *c, const struct export *e,
			const uint32_t *listed)
{
	const uint64_t start = e->image->head.process.start_mono_ns;
	const uint32_t sites = e->filter->profile->sites.count;

	fprintf(out, "{\"time_ns\":%" PRIu64 ",\"pause_ns\":%" PRIu64
		",\"at_end\":%s,\"cut\":%s,\"losses\":[",
		c->head.mono_ns > start ? c->head.mono_ns - start : 0, c->head.pause_ns,
		c->head.flags & MU_LEAK_CHECK_AT_END ? "true" : "false",
		c->head.flags & MU_LEAK_CHECK_CUT ? "true" : "false");
	for (uint64_t i = 0; i < c->head.count; i++) {
		fputs(i ? ",\n  " : "\n  ", out);
		write_loss(out, &c->loss[i], listed, sites);
	}
	putc(']', out);
	write_earlier(out, c, listed, sites);
	putc('}', out);
}

void json_write_checks(FILE *out, const struct export *e, const uint32_t *listed)
{
	struct leak_checks all;

	leak_checks_read(&all, e->image);
	for (size_t i = 0; i < all.count; i++) {
		fputs(i ? ",\n " : ",\n\"leak_checks\":[\n ", out);
		write_check(out, &all.check[i], e, listed);
	}
	fputs(all.count ? "]" : "", out);
	leak_checks_free(&all);
}
