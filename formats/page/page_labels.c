/* page_labels.c -- the member "labels" of a page: the values of the sites by set of labels.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_labels.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/page/page.h"

enum {
	SETS = 16,	/* shown separately, at most */
	NAME_BYTES = MU_LABELS_DEPTH * (MU_LABEL_KEY + MU_LABEL_VALUE + 2) + 1
};

/* The sites of a page of which only one set of labels counts. */
struct labelled_sites {
	const struct page_sites *all;
	const uint32_t *rank;	/* of each site's set: less than SETS, or SETS */
	uint32_t wanted;
};

struct ranked_set {
	uint32_t set;
	int64_t bytes;
};

static uint32_t set_of_site(const struct profile *p, uint32_t site)
{
	uint32_t set = p->sites.site[site].label;

	return set <= p->labels.count ? set : 0;
}

static int compare_ranks(const void *a, const void *b)
{
	const struct ranked_set *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x->set > y->set) - (x->set < y->set);
}

/* Orders the sets by what was allocated with them. Returns them, to be freed, and how many have
 * anything. */
static struct ranked_set *rank_sets(const struct profile *p, const struct page_sites *s,
				    uint32_t *count)
{
	struct ranked_set *ranked = xcalloc((size_t)p->labels.count + 1, sizeof(*ranked));
	bool has_labels = false;

	for (uint32_t i = 0; i <= p->labels.count; i++)
		ranked[i].set = i;
	for (uint32_t i = 0; i < s->count; i++) {
		int64_t bytes = s->value(s->data, i, PAGE_TOTAL_BYTES);
		struct ranked_set *of = &ranked[set_of_site(p, i)];

		of->bytes = (int64_t)((uint64_t)of->bytes + (uint64_t)bytes);
		has_labels |= bytes != 0 && of->set;
	}
	qsort(ranked, (size_t)p->labels.count + 1, sizeof(*ranked), compare_ranks);
	for (*count = 0; has_labels && *count <= p->labels.count; ++*count) {
		if (ranked[*count].bytes == 0)
			break;
	}
	return ranked;
}

static int64_t labelled_site_value(const void *data, uint32_t site, enum page_metric metric)
{
	const struct labelled_sites *l = data;

	return l->rank[site] == l->wanted ? l->all->value(l->all->data, site, metric) : 0;
}

/* "request=login user=root" */
static void write_set_name(struct page_json *j, const struct labels *labels, uint32_t set)
{
	struct label label[MU_LABELS_DEPTH];
	uint32_t count = labels_of_set(labels, set, label);
	char name[NAME_BYTES] = "", *end = name;

	for (uint32_t i = 0; i < count; i++)
		end += sprintf(end, "%s%s=%s", i ? " " : "", label[i].key, label[i].value);
	page_json_text(j, "name", count ? name : "no label");
}

void page_put_labels(struct page_json *j, const struct profile *p, const struct page_cut *c,
		     const struct page_sites *s)
{
	uint32_t count, shown;
	struct ranked_set *ranked = rank_sets(p, s, &count);
	uint32_t *rank_of_set = xcalloc((size_t)p->labels.count + 1, sizeof(*rank_of_set));
	uint32_t *rank = xcalloc((size_t)s->count + 1, sizeof(*rank));
	struct labelled_sites labelled = { .all = s, .rank = rank };
	struct page_sites of = *s;

	shown = count > SETS ? SETS : count;
	for (uint32_t i = 0; i <= p->labels.count; i++)
		rank_of_set[ranked[i].set] = i < shown ? i : SETS;
	for (uint32_t i = 0; i < s->count; i++)
		rank[i] = rank_of_set[set_of_site(p, i)];
	of.value = labelled_site_value;
	of.data = &labelled;
	if (count)
		page_json_open(j, "labels", '[');
	for (uint32_t i = 0; i < shown + (count > shown); i++) {
		labelled.wanted = i < shown ? i : SETS;
		page_json_open(j, NULL, '{');
		if (i < shown)
			write_set_name(j, &p->labels, ranked[i].set);
		else
			page_json_text(j, "name", "other labels");
		page_put_sites(j, c, &of);
		page_json_close(j, '}');
	}
	if (count)
		page_json_close(j, ']');
	free(ranked);
	free(rank_of_set);
	free(rank);
}
