/* toplist.c -- A list of the places that hold the most memory, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/toplist.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/layout.h"
#include "cli/terminal.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "formats/base/bounds.h"
#include "memusageprint/text/advice.h"
#include "memusageprint/text/frame_text.h"
#include "memusageprint/text/label_list.h"
#include "memusageprint/text/metric_text.h"
#include "memusageprint/job/spread_text.h"
#include "memusageprint/text/toplist_note.h"
#include "memusageprint/text/toplist_places.h"

enum {
	CALLERS = 4,	/* shown below a place */
	LINES = 8	/* rows for the lines of a function, at most */
};

static bool is_about_blocks(const struct toplist *list)
{
	return list->kind == METRIC_TEMPORARY;
}

static bool is_about_ad_hoc(const struct toplist *list)
{
	return list->kind == METRIC_AD_HOC;
}

static bool is_about_growth(const struct toplist *list)
{
	return list->kind == METRIC_GROWTH;
}

/* Formats bytes, or the units of ad hoc events, whose meaning only the program knows. A line of a
 * function that grew may have shrunk. */
static const char *format_amount(const struct toplist *list, char text[UNITS_LENGTH + 1],
				 int64_t bytes)
{
	char *number = bytes < 0 ? text + 1 : text;

	text[0] = '-';
	if (is_about_ad_hoc(list))
		units_grouped(number, (uint64_t)llabs(bytes));
	else
		units_bytes(number, (uint64_t)llabs(bytes));
	return text;
}

/* An entry that grew in bytes may have fewer blocks than before. */
static const char *format_blocks(char text[UNITS_LENGTH + 1], int64_t blocks)
{
	text[0] = '-';
	units_grouped(blocks < 0 ? text + 1 : text, (uint64_t)llabs(blocks));
	return text;
}

static int64_t rank_value(const struct toplist *list, int64_t bytes, int64_t blocks)
{
	return is_about_blocks(list) ? blocks : bytes;
}

/* For a process that still runs, "live at the end" becomes "live now". */
static const char *list_metric_text(const struct toplist *list)
{
	return list->kind == METRIC_LIVE && list->is_live ? "live now" : metric_text(list->kind);
}

static void put_place_name(FILE *out, const struct toplist *list, const struct position *at)
{
	const struct profile *p = list->filter->profile;

	/* A function that has one line here. */
	if (list->group == TOP_BY_FUNCTION)
		frame_text_put_position(out, p, at);
	else
		frame_text_put_place(out, p, at, list->group);
}

/* If it is a function with several lines, rows of their own follow. */
void toplist_put_name(FILE *out, const struct toplist *list, const struct top_entry *entry)
{
	const struct profile *p = list->filter->profile;

	if (list->group == TOP_BY_FUNCTION && entry->lines > 1)
		frame_text_put_function(out, p, p->frame[entry->at.frame].location,
					position_level(p, &entry->at));
	else
		put_place_name(out, list, &entry->at);
}

/* ---- verdicts ------------------------------------------------------------------------------ */

/* Prints whether the place that held most still grows. */
static void put_growing_holder(FILE *out, const struct toplist *list, const struct top *t)
{
	enum trend *trend;

	if (list->kind != METRIC_PEAK || t->count == 0)
		return;
	trend = toplist_places_judge(list, t->entry, 1);
	if (trend[0] == TREND_GROWS)
		fprintf(out, "It %s still growing.\n", list->is_live ? "is" : "was");
	free(trend);
}

/* ---- the first line ------------------------------------------------------------------------ */

/* Writes an estimate with its bounds, unless it is exact: "41.2 MiB +- 3.1". */
static const char *format_with_bounds(const struct toplist *list, char text[BOUNDS_LENGTH],
				      const struct sampled_error *e, int64_t bytes)
{
	if (list->distance > 0)
		return bounds_bytes_text(text, e, bytes, list->distance);
	return format_amount(list, text, bytes);
}

static void put_growth_line(FILE *out, const struct toplist *list, const struct top *t)
{
	char text[BOUNDS_LENGTH];

	if (t->count == 0) {
		fprintf(out, "nothing grew from %s to %s\n", list->from, list->to);
		return;
	}
	toplist_put_name(out, list, &t->entry[0]);
	fprintf(out, " grew by %s from %s to %s: " LAYOUT_STRONG "%.1f%%" LAYOUT_PLAIN
		     " of all growth\n",
		format_with_bounds(list, text, &t->entry[0].error, t->entry[0].bytes),
		list->from, list->to, metric_text_percent(t->entry[0].bytes, t->bytes));
}

static void put_temporary_blocks(FILE *out, const struct toplist *list, const struct top *t)
{
	char text[UNITS_LENGTH], bounds[BOUNDS_LENGTH];

	fputs(units_grouped(text, (uint64_t)t->blocks), out);
	if (list->distance > 0)
		fprintf(out, " %s", bounds_blocks(bounds, &t->error, t->blocks));
	fprintf(out, " block%s that %s temporary\n", t->blocks == 1 ? "" : "s",
		t->blocks == 1 ? "was" : "were");
}

/* "main (a.c:3) allocated 100.0% of the 1,000,000 blocks of 0 B live at the end" */
static void put_empty_blocks_line(FILE *out, const struct toplist *list, const struct top *t)
{
	char blocks[UNITS_LENGTH];

	toplist_put_name(out, list, &t->entry[0]);
	fprintf(out,
		" allocated " LAYOUT_STRONG "%.1f%%" LAYOUT_PLAIN " of the %s block%s of 0 B %s\n",
		metric_text_percent(t->entry[0].blocks, t->blocks),
		units_grouped(blocks, (uint64_t)t->blocks), t->blocks == 1 ? "" : "s",
		list_metric_text(list));
}

static void put_first_line(FILE *out, const struct toplist *list, const struct top *t)
{
	int64_t all = rank_value(list, t->bytes, t->blocks);
	char text[BOUNDS_LENGTH];

	if (is_about_growth(list)) {
		put_growth_line(out, list, t);
		return;
	}
	if (t->count == 0 && is_about_ad_hoc(list)) {
		fputs("there were no ad hoc events\n", out);
		return;
	}
	if (t->count == 0) {
		metric_text_put_nothing(out, list_metric_text(list), list->unseen);
		return;
	}
	if (t->bytes == 0 && t->blocks > 0 && !is_about_blocks(list) && !is_about_ad_hoc(list)) {
		put_empty_blocks_line(out, list, t);
		return;
	}
	toplist_put_name(out, list, &t->entry[0]);
	fprintf(out, " %s " LAYOUT_STRONG "%.1f%%" LAYOUT_PLAIN " of the ",
		is_about_ad_hoc(list) ? "made" : "allocated",
		metric_text_percent(rank_value(list, t->entry[0].bytes, t->entry[0].blocks), all));
	if (is_about_blocks(list))
		put_temporary_blocks(out, list, t);
	else
		fprintf(out, "%s %s\n", format_with_bounds(list, text, &t->error, all),
			list_metric_text(list));
}

/* ---- lists --------------------------------------------------------------------------------- */

static void put_column_titles(FILE *out, const struct toplist *list, const char *what)
{
	const bool is_temporary = is_about_blocks(list);

	if (list->lacks_blocks) {
		fprintf(out, "\n" LAYOUT_TITLE "%11s %6s  " LAYOUT_TEXT "%s\n", "bytes", "%", what);
		return;
	}
	fprintf(out, "\n" LAYOUT_TITLE "%11s %6s %13s  " LAYOUT_TEXT "%s\n",
		is_temporary ? "temporary" : is_about_ad_hoc(list) ? "units" : "bytes", "%",
		is_temporary ? "of all bytes" : is_about_ad_hoc(list) ? "events" : "blocks", what);
}

static void put_entry_figures(FILE *out, const struct toplist *list, const struct top *t,
			      int64_t bytes, int64_t blocks)
{
	double percent = metric_text_percent(rank_value(list, bytes, blocks),
					rank_value(list, t->bytes, t->blocks));
	char a[UNITS_LENGTH + 1], b[UNITS_LENGTH + 1];

	format_amount(list, a, bytes);
	format_blocks(b, blocks);
	fprintf(out, "%11s " LAYOUT_STRONG "%5.1f%%" LAYOUT_PLAIN " ",
		is_about_blocks(list) ? b : a, percent);
	if (!list->lacks_blocks)
		fprintf(out, "%13s ", is_about_blocks(list) ? a : b);
	fputs(" " LAYOUT_TEXT, out);
}

/* Figures whose bounds are still to be printed, below them. */
struct unbounded {
	const struct sampled_error *error;	/* NULL: they have been */
	int64_t bytes, blocks;
};

/* Prints the bounds of figures below them. A name may follow, after blanks up to its column. */
static void put_bounds_below(FILE *out, const struct toplist *list, const struct unbounded *u)
{
	char bytes[BOUNDS_LENGTH], blocks[BOUNDS_LENGTH];

	bounds_bytes(bytes, u->error, u->bytes, list->distance);
	bounds_blocks(blocks, u->error, u->blocks);
	if (list->lacks_blocks || is_about_blocks(list))
		fprintf(out, "%11s", is_about_blocks(list) ? blocks : bytes);
	else
		fprintf(out, "%11s %20s", bytes, blocks);
}

/* Prints a line with nothing but bounds, unless they have been printed or figures are exact. */
static void put_bounds_line(FILE *out, const struct toplist *list, const struct sampled_error *e,
			    int64_t bytes, int64_t blocks)
{
	const struct unbounded u = { .error = e, .bytes = bytes, .blocks = blocks };

	if (list->distance <= 0 || !e)
		return;
	put_bounds_below(out, list, &u);
	putc('\n', out);
}

/* Begins a line about the name above it. Bounds that are still to be printed are in it. */
static void put_below_name(FILE *out, const struct toplist *list, struct unbounded *u,
			   const char *text)
{
	const bool has_blocks = !list->lacks_blocks && !is_about_blocks(list);
	int blank = list->lacks_blocks ? 20 : 34;

	if (list->distance > 0 && u->error) {
		put_bounds_below(out, list, u);
		u->error = NULL;
		blank -= has_blocks ? 32 : 11;
	}
	fprintf(out, "%*s" LAYOUT_TEXT " %s", blank, "", text);
}

/* True if two positions have the same text. Without this, recursion would fill the line. */
static bool is_same_line(const struct profile *p, const struct position *a,
			 const struct position *b)
{
	const struct symbols_level *x = position_level(p, a), *y = position_level(p, b);

	return x && y && x->full == y->full && x->file == y->file && x->line == y->line;
}

/* Prints the lines of a function that allocates in several: "600 KiB  30.0%  4,000    a.c:26" */
static void put_function_lines(FILE *out, const struct toplist *list, const struct top *t,
			       const struct top_entry *entry)
{
	const struct top_line *line = t->line + entry->first_line;
	uint32_t shown = entry->lines > LINES ? LINES - 1 : entry->lines;
	struct sampled_error error = { .samples = 0 };
	int64_t bytes = 0, blocks = 0;

	for (uint32_t i = 0; i < shown; i++) {
		put_entry_figures(out, list, t, line[i].bytes, line[i].blocks);
		fputs("  ", out);
		frame_text_put_line(out, list->filter->profile,
				    position_level(list->filter->profile, &line[i].at));
		putc('\n', out);
		put_bounds_line(out, list, &line[i].error, line[i].bytes, line[i].blocks);
	}
	for (uint32_t i = shown; i < entry->lines; i++) {
		bytes += line[i].bytes;
		blocks += line[i].blocks;
		sampled_error_add(&error, &line[i].error);
	}
	if (shown == entry->lines)
		return;
	put_entry_figures(out, list, t, bytes, blocks);
	fprintf(out, "  %" PRIu32 " other lines\n", entry->lines - shown);
	put_bounds_line(out, list, &error, bytes, blocks);
}

/* "        called by parse (a.c:3), main (a.c:9)" */
static void put_place_callers(FILE *out, const struct toplist *list, const struct top_entry *entry,
			      struct unbounded *u)
{
	const struct profile *p = list->filter->profile;
	struct position at = entry->at, last = at;
	int count = 0;

	while (at.left && position_step(p, &at)) {
		if (is_same_line(p, &at, &last))
			continue;
		last = at;
		if (count++ == CALLERS)
			break;
		if (count == 1)
			put_below_name(out, list, u, "called by ");
		else
			fputs(", ", out);
		frame_text_put_position(out, p, &at);
	}
	if (count)
		fputs(count > CALLERS ? ", ...\n" : "\n", out);
}

static struct label_list label_list_of(const struct toplist *list)
{
	return (struct label_list){ .filter = list->filter, .weight = list->weight,
				    .by_blocks = is_about_blocks(list),
				    .lacks_blocks = list->lacks_blocks,
				    .is_change = is_about_growth(list),
				    .distance = list->distance };
}

/* "        labels request=login 60.0%, no label 40.0%" */
static void put_place_labels(FILE *out, const struct toplist *list, const uint32_t *group,
			     const struct top_entry *entry, struct unbounded *u)
{
	const struct label_list labels = label_list_of(list);
	uint32_t count;
	struct label_sum *sum = group ? label_list_sum(&labels, group, group[entry->site], &count) :
					NULL;

	if (!sum)
		return;
	put_below_name(out, list, u, "labels ");
	label_list_put_shares(out, &labels, sum, count);
	putc('\n', out);
	free(sum);
}

/* "        lived 1.20 ms on average" */
static void put_mean_lifetime(FILE *out, const struct toplist *list, const struct top_entry *entry,
			      struct unbounded *u)
{
	double most = (double)INT64_MAX, ns;
	char text[UNITS_LENGTH];

	if (entry->lives == 0)
		return;
	ns = (double)entry->life / (double)entry->lives * SITES_TICK_NS;
	put_below_name(out, list, u, "");
	fprintf(out, "lived %s on average\n",
		units_time(text, (uint64_t)(ns < most ? ns : most)));
}

/* Prints one line with the sum of the entries from COUNT on. */
static void put_rest_of_list(FILE *out, const struct toplist *list, const struct top *t,
			     uint32_t count)
{
	struct sampled_error error = { .samples = 0 };
	int64_t bytes = 0, blocks = 0;

	for (uint32_t i = count; i < t->count; i++) {
		bytes += t->entry[i].bytes;
		blocks += t->entry[i].blocks;
		sampled_error_add(&error, &t->entry[i].error);
	}
	if (count == t->count)
		return;
	put_entry_figures(out, list, t, bytes, blocks);
	fprintf(out, "%" PRIu32 " other place%s\n", t->count - count,
		t->count - count == 1 ? "" : "s");
	put_bounds_line(out, list, &error, bytes, blocks);
}

/* "        in 8 processes: least 1.00 MiB, median ..." */
static void put_place_spread(FILE *out, const struct toplist *list,
			     const struct merge_spread *spread, struct unbounded *u)
{
	if (!spread || spread->with == 0)
		return;
	put_below_name(out, list, u, "");
	spread_text_put(out, list->merge, spread, is_about_blocks(list));
	putc('\n', out);
}

/* Data that several entries share. */
struct entry_context {
	const struct top *top;
	const uint32_t *group;		/* place of each site, if sites have labels; NULL */
	struct merge_spread *spread;	/* of each entry; NULL */
};

/* Prints what is below the name of an entry: bounds, lines, callers. */
static void put_entry_details(FILE *out, const struct toplist *list,
			      const struct entry_context *c, uint32_t number)
{
	const struct top *t = c->top;
	const struct top_entry *entry = &t->entry[number];
	const uint32_t *group = c->group;
	struct unbounded u = { .error = &entry->error, .bytes = entry->bytes,
			       .blocks = entry->blocks };

	if (list->group == TOP_BY_FUNCTION && entry->lines > 1) {
		put_bounds_line(out, list, u.error, u.bytes, u.blocks);
		u.error = NULL;
		put_function_lines(out, list, t, entry);
	}
	if (list->group == TOP_BY_LINE || list->group == TOP_BY_FUNCTION)
		put_place_callers(out, list, entry, &u);
	put_place_labels(out, list, group, entry, &u);
	if (list->lifetimes)
		put_mean_lifetime(out, list, entry, &u);
	put_place_spread(out, list, c->spread ? &c->spread[number] : NULL, &u);
	put_bounds_line(out, list, u.error, u.bytes, u.blocks);
}

/* Returns the place of each site, to be freed; NULL if none has labels. */
static uint32_t *group_labelled_sites(const struct toplist *list)
{
	const struct profile *p = list->filter->profile;
	uint32_t *group;

	if (!p->labels.count)
		return NULL;
	group = xcalloc((size_t)p->sites.count + 1, sizeof(*group));
	top_group_sites(group, list->filter, list->group);
	return group;
}

static void put_place_list(FILE *out, const struct toplist *list, const struct top *t)
{
	uint32_t count = list->count < t->count ? list->count : t->count;
	enum trend *trend = toplist_places_judge(list, t->entry, is_about_growth(list) ? count : 0);
	uint32_t *group = group_labelled_sites(list);
	const struct entry_context context = {
		.top = t, .group = group, .spread = toplist_places_compare(list, t->entry, count) };

	put_column_titles(out, list, is_about_ad_hoc(list) ? "made by" :
			  is_about_growth(list)		   ? "grown by" : "allocated by");
	for (uint32_t i = 0; i < count; i++) {
		const struct top_entry *entry = &t->entry[i];

		put_entry_figures(out, list, t, entry->bytes, entry->blocks);
		toplist_put_name(out, list, entry);
		if (is_about_growth(list) && trend_text(trend[i]))
			fprintf(out, ", %s", trend_text(trend[i]));
		putc('\n', out);
		put_entry_details(out, list, &context, i);
	}
	put_rest_of_list(out, list, t, count);
	free(context.spread);
	free(group);
	free(trend);
}

/* Prints a function without a line, because no line stands for all of it. Functions without a name
 * are one entry per module. */
static void put_function_name(FILE *out, const struct profile *p, const struct position *at)
{
	const struct symbols_level *level = position_level(p, at);
	uint32_t location = p->frame[at->frame].location;

	if (level && level->full)
		frame_text_put_function(out, p, location, level);
	else
		frame_text_put_nameless(out, p, location);
	putc('\n', out);
}

static void put_function_list(FILE *out, const struct toplist *list, const struct top *t)
{
	uint32_t count = list->count < t->count ? list->count : t->count;

	put_column_titles(out, list, "in a function and all that it called");
	for (uint32_t i = 0; i < count; i++) {
		const struct top_entry *entry = &t->entry[i];

		put_entry_figures(out, list, t, entry->bytes, entry->blocks);
		put_function_name(out, list->filter->profile, &entry->at);
		put_bounds_line(out, list, &entry->error, entry->bytes, entry->blocks);
	}
}

/* ---- growth ------------------------------------------------------------------------------- */

/* Takes what did not grow off the end of a list, and puts the sums of what shrank into *SHRUNK. */
static void split_shrunk_entries(struct top *t, struct top_entry *shrunk)
{
	*shrunk = (struct top_entry){ .stacks = 0 };
	for (; t->count > 0 && t->entry[t->count - 1].bytes <= 0; t->count--) {
		const struct top_entry *last = &t->entry[t->count - 1];

		t->blocks -= last->blocks;
		if (last->bytes == 0)
			continue;
		shrunk->bytes += last->bytes;
		shrunk->blocks += last->blocks;
		shrunk->stacks++;
		sampled_error_add(&shrunk->error, &last->error);
	}
	t->bytes -= shrunk->bytes;
	t->error = (struct sampled_error){ .samples = 0 };
	for (uint32_t i = 0; i < t->count; i++)
		sampled_error_add(&t->error, &t->entry[i].error);
}

static void put_shrunk_line(FILE *out, const struct toplist *list, const struct top_entry *shrunk)
{
	char a[UNITS_LENGTH + 1] = "-", b[UNITS_LENGTH + 1];

	if (shrunk->stacks == 0)
		return;
	units_bytes(a + 1, (uint64_t)-shrunk->bytes);
	fprintf(out, "%11s %6s %13s  " LAYOUT_TEXT "%" PRIu32 " place%s that shrank\n", a, "",
		format_blocks(b, shrunk->blocks), shrunk->stacks, shrunk->stacks == 1 ? "" : "s");
	put_bounds_line(out, list, &shrunk->error, shrunk->bytes, shrunk->blocks);
}

static void put_heap_change(FILE *out, const struct toplist *list, const struct top *grown,
			    const struct top_entry *shrunk)
{
	const int64_t bytes = grown->bytes + shrunk->bytes;
	struct sampled_error error = grown->error;
	char text[BOUNDS_LENGTH];

	sampled_error_add(&error, &shrunk->error);
	fprintf(out, "In all, the heap %s by %s.\n", bytes < 0 ? "shrank" : "grew",
		format_with_bounds(list, text, &error, llabs(bytes)));
}

struct toplist toplist_of_subject(const struct report_subject *s, enum metric_kind kind,
				  const struct settings *settings)
{
	return (struct toplist){
		.filter = &s->filter, .weight = s->weight, .kind = kind, .count = settings->top,
		.is_live = report_subject_is_live(s), .group = (enum top_kind)settings->group,
		.shows_runtime = !s->complete, .lifetimes = settings->lifetimes,
		.image = &s->image, .errors = s->errors,
		.by_bytes = report_subject_counts_bytes(s), .distance = s->distance,
		.unseen = s->unseen,
		.merge = s->recording->merge,
	};
}

void toplist_print(FILE *out, const struct toplist *list)
{
	struct top places, functions;
	struct top_entry shrunk = { .stacks = 0 }, unused;
	const struct label_list labels = label_list_of(list);
	const enum top_order order = is_about_blocks(list) ? TOP_BY_BLOCKS :
				     is_about_ad_hoc(list) ? TOP_BY_UNITS :
				     is_about_growth(list) ? TOP_BY_CHANGE : TOP_BY_BYTES;

	top_build(&places, list->filter, list->weight, list->group, order);
	top_build(&functions, list->filter, list->weight, TOP_FUNCTIONS, order);
	if (is_about_growth(list)) {
		split_shrunk_entries(&places, &shrunk);
		split_shrunk_entries(&functions, &unused);
		functions.bytes = places.bytes;
	}
	put_first_line(out, list, &places);
	put_growing_holder(out, list, &places);
	if (is_about_growth(list))
		put_heap_change(out, list, &places, &shrunk);
	if (places.count > 0) {
		put_place_list(out, list, &places);
		put_shrunk_line(out, list, &shrunk);
		put_function_list(out, list, &functions);
		label_list_put(out, &labels);
		toplist_note_put(out, list);
		if (list->group == TOP_BY_LINE || list->group == TOP_BY_FUNCTION)
			advice_print_names(out, list->filter->profile, &places,
					   order == TOP_BY_BLOCKS);
	}
	top_free(&places);
	top_free(&functions);
}
