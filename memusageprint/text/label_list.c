/* label_list.c -- How much was allocated under each set of labels (MEMUSAGE_LABEL).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/label_list.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/layout.h"
#include "cli/terminal.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "formats/base/bounds.h"
#include "memusageprint/text/metric_text.h"

enum {
	SHARES = 4,	/* named in a line */
	ROWS = 20	/* of the list */
};

static int64_t rank_sum(const struct label_list *list, const struct label_sum *s)
{
	return list->by_blocks ? s->blocks : s->bytes;
}

static int64_t counted_weight(const struct label_list *list, int64_t value)
{
	return value < 0 && !list->is_change ? 0 : value;
}

static int compare_sum_bytes(const void *a, const void *b)
{
	const struct label_sum *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x->set > y->set) - (x->set < y->set);
}

static int compare_sum_blocks(const void *a, const void *b)
{
	const struct label_sum *x = a, *y = b;

	return x->blocks != y->blocks ? (x->blocks < y->blocks ? 1 : -1) : compare_sum_bytes(a, b);
}

static bool add_site_to_sum(const struct label_list *list, uint32_t i, struct label_sum *sum)
{
	const struct profile *p = list->filter->profile;
	const struct site *site = &p->sites.site[i];
	uint32_t set = site->label <= p->labels.count ? site->label : 0;

	if (!list->weight[i].is_there || filter_stack(list->filter, site->stack).is_ignored)
		return false;
	sum[set].bytes += counted_weight(list, list->weight[i].bytes);
	sum[set].blocks += counted_weight(list, list->weight[i].blocks);
	if (list->weight[i].error)
		sampled_error_add(&sum[set].error, list->weight[i].error);
	return set != 0;
}

struct label_sum *label_list_sum(const struct label_list *list, const uint32_t *group,
				 uint32_t wanted, uint32_t *count)
{
	const struct profile *p = list->filter->profile;
	struct label_sum *sum;
	bool has_labels = false;

	*count = 0;
	if (!p->labels.count)
		return NULL;
	sum = xcalloc((size_t)p->labels.count + 1, sizeof(*sum));
	for (uint32_t i = 0; i < p->sites.count; i++) {
		if (!group || group[i] == wanted)
			has_labels |= add_site_to_sum(list, i, sum);
	}
	for (uint32_t set = 0; set <= p->labels.count; set++) {
		sum[set].set = set;
		if (rank_sum(list, &sum[set]) > 0)
			sum[(*count)++] = sum[set];
	}
	qsort(sum, *count, sizeof(*sum), list->by_blocks ? compare_sum_blocks : compare_sum_bytes);
	if (has_labels)
		return sum;
	free(sum);
	return NULL;
}

static void put_set_name(FILE *out, const struct labels *labels, uint32_t set)
{
	struct label label[MU_LABELS_DEPTH];
	uint32_t count = labels_of_set(labels, set, label);

	if (!count)
		fputs("no label", out);
	for (uint32_t i = 0; i < count; i++) {
		fputs(i ? " " : "", out);
		terminal_put(out, label[i].key);
		putc('=', out);
		terminal_put(out, label[i].value);
	}
}

void label_list_put_shares(FILE *out, const struct label_list *list, const struct label_sum *sum,
			   uint32_t count)
{
	int64_t all = 0;

	for (uint32_t i = 0; i < count; i++)
		all += rank_sum(list, &sum[i]);
	for (uint32_t i = 0; i < count && i < SHARES; i++) {
		fputs(i ? ", " : "", out);
		put_set_name(out, &list->filter->profile->labels, sum[i].set);
		fprintf(out, " %.1f%%", metric_text_percent(rank_sum(list, &sum[i]), all));
	}
	if (count > SHARES)
		fputs(", ...", out);
}

/* Begins a row; a name follows. */
static void put_row_figures(FILE *out, const struct label_list *list, const struct label_sum *sum,
			    int64_t all)
{
	char bytes[UNITS_LENGTH], blocks[UNITS_LENGTH + 1] = "-";
	const bool has_fewer = sum->blocks < 0;

	units_bytes(bytes, (uint64_t)sum->bytes);
	units_grouped(blocks + has_fewer, (uint64_t)llabs(sum->blocks));
	fprintf(out, "%11s " LAYOUT_STRONG "%5.1f%%" LAYOUT_PLAIN " ",
		list->by_blocks ? blocks : bytes, metric_text_percent(rank_sum(list, sum), all));
	if (!list->lacks_blocks)
		fprintf(out, "%13s ", list->by_blocks ? bytes : blocks);
	fputs(" " LAYOUT_TEXT, out);
}

static void put_row_bounds(FILE *out, const struct label_list *list, const struct label_sum *sum)
{
	char bytes[BOUNDS_LENGTH], blocks[BOUNDS_LENGTH];

	if (list->distance <= 0)
		return;
	bounds_bytes(bytes, &sum->error, sum->bytes, list->distance);
	bounds_blocks(blocks, &sum->error, sum->blocks);
	fprintf(out, "%11s", list->by_blocks ? blocks : bytes);
	if (!list->lacks_blocks)
		fprintf(out, " %20s", list->by_blocks ? bytes : blocks);
	putc('\n', out);
}

static void put_titles(FILE *out, const struct label_list *list)
{
	fprintf(out, "\n" LAYOUT_TITLE "%11s %6s ", list->by_blocks ? "blocks" : "bytes", "%");
	if (!list->lacks_blocks)
		fprintf(out, "%13s ", list->by_blocks ? "bytes" : "blocks");
	fputs(" " LAYOUT_TEXT "by threads with the label\n", out);
}

void label_list_put(FILE *out, const struct label_list *list)
{
	uint32_t count, shown;
	struct label_sum *sum = label_list_sum(list, NULL, 0, &count), rest = { .set = 0 };
	int64_t all = 0;

	if (!sum)
		return;
	for (uint32_t i = 0; i < count; i++)
		all += rank_sum(list, &sum[i]);
	shown = count > ROWS ? ROWS - 1 : count;
	put_titles(out, list);
	for (uint32_t i = 0; i < shown; i++) {
		put_row_figures(out, list, &sum[i], all);
		put_set_name(out, &list->filter->profile->labels, sum[i].set);
		putc('\n', out);
		put_row_bounds(out, list, &sum[i]);
	}
	for (uint32_t i = shown; i < count; i++) {
		rest.bytes += sum[i].bytes;
		rest.blocks += sum[i].blocks;
		sampled_error_add(&rest.error, &sum[i].error);
	}
	if (shown < count) {
		put_row_figures(out, list, &rest, all);
		fprintf(out, "%" PRIu32 " other sets of labels\n", count - shown);
		put_row_bounds(out, list, &rest);
	}
	free(sum);
}
