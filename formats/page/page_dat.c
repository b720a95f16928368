/* page_dat.c -- what a report page shows of a data file: its curve.
 *
 * Millions of events become some thousand points: of each step the rows that must be seen, so
 * that no peak is lost, whether the run is looked at by time or by calls.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_foreign.h"

#include <stdlib.h>

#include "cli/xmalloc.h"

enum kept { LOWEST, HIGHEST, DEEPEST };
_Static_assert(DEEPEST + 1 == PAGE_DAT_KEPT, "all of them are kept");

void page_dat_init(struct page_dat *p, const struct dat_info *info)
{
	*p = (struct page_dat){ .info = info, .next = 1 };
}

static size_t bucket_of_value(uint64_t value, uint64_t whole)
{
	size_t step = whole ? (size_t)((double)value / (double)whole * PAGE_DAT_STEPS) : 0;

	return step < PAGE_DAT_STEPS ? step : PAGE_DAT_STEPS - 1;
}

static void keep_highest_point(struct page_dat_point *kept, const struct dat_record *r,
			       uint64_t number)
{
	const struct page_dat_point point = { number, *r };
	bool is_first = kept[LOWEST].number == 0;

	if (is_first || r->heap < kept[LOWEST].record.heap)
		kept[LOWEST] = point;
	if (is_first || r->heap > kept[HIGHEST].record.heap)
		kept[HIGHEST] = point;
	if (is_first || r->stack > kept[DEEPEST].record.stack)
		kept[DEEPEST] = point;
}

static uint64_t time_since_start(const struct page_dat *p, const struct dat_record *r)
{
	uint64_t time = dat_time(r);

	return time > p->info->start ? time - p->info->start : 0;
}

void page_dat_add(struct page_dat *p, const struct dat_record *record, size_t count)
{
	const uint64_t duration = p->info->end - p->info->start;

	for (size_t i = 0; i < count; i++, p->next++) {
		keep_highest_point(p->by_event[bucket_of_value(p->next, p->info->records)],
				   &record[i], p->next);
		keep_highest_point(
			p->by_time[bucket_of_value(time_since_start(p, &record[i]), duration)],
			&record[i], p->next);
	}
}

static int compare_point_numbers(const void *a, const void *b)
{
	const struct page_dat_point *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

size_t page_dat_points(const struct page_dat *p, struct page_dat_point *all)
{
	size_t count = 0, kept = 0;

	for (int i = 0; i < PAGE_DAT_STEPS; i++) {
		for (int k = 0; k < PAGE_DAT_KEPT; k++) {
			all[count++] = p->by_event[i][k];
			all[count++] = p->by_time[i][k];
		}
	}
	qsort(all, count, sizeof(*all), compare_point_numbers);
	for (size_t i = 0; i < count; i++) {
		if (all[i].number && (kept == 0 || all[kept - 1].number != all[i].number))
			all[kept++] = all[i];
	}
	return kept;
}

static void write_point_columns(struct page_json *j, const struct page_dat *p,
				const struct page_dat_point *all, size_t count)
{
	page_json_open(j, "samples", '{');
	page_json_open(j, "t", '[');
	for (size_t i = 0; i < count; i++)
		page_json_uint(j, NULL, time_since_start(p, &all[i].record));
	page_json_close(j, ']');
	page_json_open(j, "call", '[');
	for (size_t i = 0; i < count; i++)
		page_json_uint(j, NULL, all[i].number);
	page_json_close(j, ']');
	page_json_open(j, "heap", '[');
	for (size_t i = 0; i < count; i++)
		page_json_uint(j, NULL, all[i].record.heap);
	page_json_close(j, ']');
	page_json_open(j, "stack", '[');
	for (size_t i = 0; i < count; i++)
		page_json_uint(j, NULL, all[i].record.stack);
	page_json_close(j, ']');
	page_json_close(j, '}');
}

static void write_run_facts(struct page_json *j, const struct page_dat *p, uint64_t end_heap)
{
	const struct dat_info *info = p->info;

	page_json_open(j, "run", '{');
	page_json_uint(j, "duration", info->end - info->start);
	page_json_text(j, "unit", info->is_ns ? "ns" : "ticks");
	page_json_close(j, '}');
	page_json_open(j, "recorded", '{');
	page_json_bool(j, "samples", true);
	page_json_close(j, '}');
	page_json_open(j, "totals", '{');
	page_json_uint(j, "calls", info->records);
	page_json_uint(j, "peak", info->heap_peak);
	page_json_uint(j, "end", end_heap);
	page_json_uint(j, "stack_peak", info->stack_peak);
	page_json_close(j, '}');
}

void page_dat_fill(struct page_json *j, const void *data, const struct page_budget *b)
{
	const struct page_dat *p = data;
	struct page_dat_point *all = xreallocarray(NULL, PAGE_DAT_POINTS, sizeof(*all));
	size_t count = page_dat_points(p, all);

	write_run_facts(j, p, count ? all[count - 1].record.heap : 0);
	write_point_columns(j, p, all, count);
	free(all);
}
