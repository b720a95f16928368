/* rows.c -- The rows of a live view.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/live/rows.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/xmalloc.h"
#include "profile/base/number.h"

static int64_t subtract_wrapping(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

void rows_add(struct live_values *to, const struct live_values *from)
{
	to->bytes = wrapping_sum(to->bytes, from->bytes);
	to->total += from->total;
	to->blocks = wrapping_sum(to->blocks, from->blocks);
	sampled_error_add(&to->error, &from->error);
}

struct sums {
	struct live_values *now;	/* by key */
	int64_t *before, *mark;
	uint32_t count;		/* keys from 1 to it are known */
};

static bool is_known(const struct sums *s, const struct live_item *item)
{
	return item->key > 0 && item->key <= s->count;
}

static void sum_sheets(struct sums *s, const struct live_sheets *sheets)
{
	for (uint32_t i = 0; i < sheets->now.count; i++) {
		const struct live_item *item = &sheets->now.item[i];

		if (is_known(s, item))
			rows_add(&s->now[item->key], &item->values);
	}
	for (uint32_t i = 0; i < sheets->before.count; i++) {
		const struct live_item *item = &sheets->before.item[i];

		if (is_known(s, item))
			s->before[item->key] = wrapping_sum(s->before[item->key],
							    item->values.bytes);
	}
	for (uint32_t i = 0; i < sheets->mark.count; i++) {
		const struct live_item *item = &sheets->mark.item[i];

		if (is_known(s, item))
			s->mark[item->key] = wrapping_sum(s->mark[item->key], item->values.bytes);
	}
}

struct live_row rows_make(uint32_t key, const struct live_values *now, int64_t before, int64_t mark,
			  double seconds)
{
	struct live_row row = { .key = key, .values = *now,
				.since = subtract_wrapping(now->bytes, mark) };

	if (seconds > 0)
		row.rate = (double)subtract_wrapping(now->bytes, before) / seconds;
	return row;
}

bool rows_is_empty(const struct live_row *row)
{
	return row->values.bytes == 0 && row->values.total == 0 && row->values.blocks == 0 &&
	       row->since == 0;
}

/* Tells whether a name has the text of a filter in it, in either case. Its two parts are matched as
 * they are shown, without what is between them. */
bool rows_name_matches(const char *name, const char *filter)
{
	char *shown, *to;
	bool is_match;

	if (*filter == '\0')
		return true;
	shown = to = xstrdup(name);
	for (const char *at = name; *at; at++) {
		if (*at != LIVE_NAME_PARTS)
			*to++ = *at;
	}
	*to = '\0';
	is_match = strcasestr(shown, filter) != NULL;
	free(shown);
	return is_match;
}

struct sort_data {
	const struct strings *names;
	const struct live_order *order;
};

static int compare_numbers(double a, double b)
{
	return (a < b) - (a > b);
}

static int compare_column(const struct live_row *a, const struct live_row *b,
			  const struct sort_data *d)
{
	switch (d->order->column) {
	case LIVE_TOTAL:
		return (a->values.total < b->values.total) - (a->values.total > b->values.total);
	case LIVE_BLOCKS:
		return compare_numbers((double)a->values.blocks, (double)b->values.blocks);
	case LIVE_RATE:
		return compare_numbers(a->rate, b->rate);
	case LIVE_SINCE:
		return (a->since < b->since) - (a->since > b->since);
	case LIVE_NAME:
		return strcasecmp(strings_get(d->names, a->key), strings_get(d->names, b->key));
	default:
		return (a->values.bytes < b->values.bytes) - (a->values.bytes > b->values.bytes);
	}
}

static int compare_rows(const void *x, const void *y, void *data)
{
	const struct sort_data *d = data;
	const struct live_row *a = x, *b = y;
	int result = compare_column(a, b, d);

	if (result != 0)
		return d->order->is_reversed ? -result : result;
	if (a->values.bytes != b->values.bytes)
		return a->values.bytes < b->values.bytes ? 1 : -1;
	return strcmp(strings_get(d->names, a->key), strings_get(d->names, b->key));
}

void rows_sort(struct live_row *row, uint32_t count, const struct strings *names,
	       const struct live_order *order)
{
	struct sort_data data = { .names = names, .order = order };

	if (count > 0)
		qsort_r(row, count, sizeof(*row), compare_rows, &data);
}

static void append_row(struct live_rows *r, const struct live_row *row)
{
	rows_add(&r->sum.values, &row->values);
	r->sum.rate += row->rate;
	r->sum.since = wrapping_sum(r->sum.since, row->since);
	r->row[r->count++] = *row;
}

void rows_build(struct live_rows *r, const struct strings *names, const struct live_sheets *sheets,
		const struct live_order *order)
{
	struct sums s = { .count = names->count };

	*r = (struct live_rows){ .count = 0 };
	s.now = xcalloc((size_t)s.count + 1, sizeof(*s.now));
	s.before = xcalloc((size_t)s.count + 1, sizeof(*s.before));
	s.mark = xcalloc((size_t)s.count + 1, sizeof(*s.mark));
	r->row = xcalloc((size_t)s.count + 1, sizeof(*r->row));
	sum_sheets(&s, sheets);
	for (uint32_t key = 1; key <= s.count; key++) {
		const struct live_row row = rows_make(key, &s.now[key], s.before[key], s.mark[key],
						      sheets->seconds);

		if (rows_is_empty(&row))
			continue;
		if (rows_name_matches(strings_get(names, key), order->filter))
			append_row(r, &row);
		else
			r->left_out++;
	}
	rows_sort(r->row, r->count, names, order);
	free(s.now);
	free(s.before);
	free(s.mark);
}

void rows_free(struct live_rows *r)
{
	free(r->row);
	*r = (struct live_rows){ .count = 0 };
}
