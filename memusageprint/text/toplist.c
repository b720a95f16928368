/* toplist.c -- A list of the places that hold the most memory, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/toplist.h"

#include <inttypes.h>
#include <string.h>

#include "cli/terminal.h"
#include "cli/units.h"
#include "memusageprint/text/frame_text.h"
#include "memusageprint/text/metric_text.h"

enum { CALLERS = 4 };	/* shown below a place */

static bool is_about_blocks(const struct toplist *list)
{
	return list->kind == METRIC_TEMPORARY;
}

static bool is_about_ad_hoc(const struct toplist *list)
{
	return list->kind == METRIC_AD_HOC;
}

/* Formats bytes, or the units of ad hoc events, whose meaning only the program knows. */
static const char *format_amount(const struct toplist *list, char *text, int64_t bytes)
{
	return is_about_ad_hoc(list) ? units_grouped(text, (uint64_t)bytes) :
				 units_bytes(text, (uint64_t)bytes);
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

static void put_object_path(FILE *out, const struct profile *p, const struct position *at)
{
	const char *object = profile_object(p, p->frame[at->frame].location);

	terminal_put(out, *object ? object : "code made at run time");
}

/* Prints the name of a place in the grouping of the list. */
static void put_place_name(FILE *out, const struct toplist *list, const struct position *at)
{
	const struct profile *p = list->filter->profile;
	const struct symbols_level *level = at->left ? position_level(p, at) : NULL;

	if (list->group == TOP_HOLDERS || !at->left) {
		frame_text_put_position(out, p, at);
	} else if (list->group == TOP_BY_FUNCTION && level && level->full) {
		frame_text_put_function(out, p, p->frame[at->frame].location, level);
	} else if (list->group == TOP_BY_FILE && level && level->file) {
		terminal_put(out, symbols_text(&p->symbols, level->file));
	} else {
		fputs(list->group == TOP_BY_OBJECT ? "" :
		      list->group == TOP_BY_FILE   ? "[no source file] " : "[no name] ", out);
		put_object_path(out, p, at);
	}
}

/* ---- the first line ------------------------------------------------------------------------ */

static void put_first_line(FILE *out, const struct toplist *list, const struct top *t)
{
	int64_t all = rank_value(list, t->bytes, t->blocks);
	char text[UNITS_LENGTH];

	if (t->count == 0 && is_about_ad_hoc(list)) {
		fputs("there were no ad hoc events\n", out);
		return;
	}
	if (t->count == 0) {
		fprintf(out, "nothing was %s\n", list_metric_text(list));
		return;
	}
	put_place_name(out, list, &t->entry[0].at);
	fprintf(out, " %s %.1f%% of the ", is_about_ad_hoc(list) ? "made" : "allocated",
		metric_text_percent(rank_value(list, t->entry[0].bytes, t->entry[0].blocks), all));
	if (is_about_blocks(list))
		fprintf(out, "%s block%s that %s temporary\n",
			units_grouped(text, (uint64_t)all), all == 1 ? "" : "s",
			all == 1 ? "was" : "were");
	else
		fprintf(out, "%s %s\n", format_amount(list, text, all), list_metric_text(list));
}

/* ---- lists --------------------------------------------------------------------------------- */

static void put_column_titles(FILE *out, const struct toplist *list, const char *what)
{
	const bool is_temporary = is_about_blocks(list);

	fprintf(out, "\n%11s %6s %13s  %s\n",
		is_temporary ? "temporary" : is_about_ad_hoc(list) ? "units" : "bytes", "%",
		is_temporary ? "of all bytes" : is_about_ad_hoc(list) ? "events" : "blocks", what);
}

static void put_entry_figures(FILE *out, const struct toplist *list, const struct top *t,
			      int64_t bytes,
			      int64_t blocks)
{
	double percent = metric_text_percent(rank_value(list, bytes, blocks),
					rank_value(list, t->bytes, t->blocks));
	char a[UNITS_LENGTH], b[UNITS_LENGTH];

	format_amount(list, a, bytes);
	units_grouped(b, (uint64_t)blocks);
	fprintf(out, "%11s %5.1f%% %13s  ", is_about_blocks(list) ? b : a, percent,
		is_about_blocks(list) ? a : b);
}

/* True if two positions have the same text. Without this, recursion would fill the line. */
static bool is_same_line(const struct profile *p, const struct position *a,
			 const struct position *b)
{
	const struct symbols_level *x = position_level(p, a), *y = position_level(p, b);

	return x && y && x->full == y->full && x->file == y->file && x->line == y->line;
}

/* "        called by parse (a.c:3), main (a.c:9)" */
static void put_place_callers(FILE *out, const struct profile *p, const struct top_entry *entry)
{
	struct position at = entry->at, last = at;
	int count = 0;

	while (at.left && position_step(p, &at)) {
		if (is_same_line(p, &at, &last))
			continue;
		last = at;
		if (count++ == CALLERS)
			break;
		fputs(count == 1 ? "                                   called by " : ", ", out);
		frame_text_put_position(out, p, &at);
	}
	if (count)
		fputs(count > CALLERS ? ", ...\n" : "\n", out);
}

/* "        lived 1.20 ms on average" */
static void put_mean_lifetime(FILE *out, const struct top_entry *entry)
{
	double most = (double)INT64_MAX, ns;
	char text[UNITS_LENGTH];

	if (entry->lives == 0)
		return;
	ns = (double)entry->life / (double)entry->lives * SITES_TICK_NS;
	fprintf(out, "                                   lived %s on average\n",
		units_time(text, (uint64_t)(ns < most ? ns : most)));
}

/* Prints one line with the sum of the entries from COUNT on. */
static void put_rest_of_list(FILE *out, const struct toplist *list, const struct top *t,
			     uint32_t count)
{
	int64_t bytes = 0, blocks = 0;

	for (uint32_t i = count; i < t->count; i++) {
		bytes += t->entry[i].bytes;
		blocks += t->entry[i].blocks;
	}
	if (count == t->count)
		return;
	put_entry_figures(out, list, t, bytes, blocks);
	fprintf(out, "%" PRIu32 " other place%s\n", t->count - count,
		t->count - count == 1 ? "" : "s");
}

static void put_place_list(FILE *out, const struct toplist *list, const struct top *t)
{
	uint32_t count = list->count < t->count ? list->count : t->count;

	put_column_titles(out, list, is_about_ad_hoc(list) ? "made by" : "allocated by");
	for (uint32_t i = 0; i < count; i++) {
		const struct top_entry *entry = &t->entry[i];

		put_entry_figures(out, list, t, entry->bytes, entry->blocks);
		put_place_name(out, list, &entry->at);
		putc('\n', out);
		if (list->group == TOP_HOLDERS)
			put_place_callers(out, list->filter->profile, entry);
		if (list->lifetimes)
			put_mean_lifetime(out, entry);
	}
	put_rest_of_list(out, list, t, count);
}

/* Prints a function without a line, because no line stands for all of it. Functions without a name
 * are one entry per module. */
static void put_function_name(FILE *out, const struct profile *p, const struct position *at)
{
	const struct symbols_level *level = position_level(p, at);
	uint32_t location = p->frame[at->frame].location;
	const char *object = profile_object(p, location), *slash = strrchr(object, '/');

	if (level && level->full) {
		frame_text_put_function(out, p, location, level);
	} else if (*object) {
		fputs("functions without a name in ", out);
		terminal_put(out, slash ? slash + 1 : object);
	} else {
		fputs("functions without a name, made at run time", out);
	}
	putc('\n', out);
}

static void put_function_list(FILE *out, const struct toplist *list, const struct top *t)
{
	uint32_t count = list->count < t->count ? list->count : t->count;

	put_column_titles(out, list, "in a function and all that it called");
	for (uint32_t i = 0; i < count; i++) {
		put_entry_figures(out, list, t, t->entry[i].bytes, t->entry[i].blocks);
		put_function_name(out, list->filter->profile, &t->entry[i].at);
	}
}

/* ---- the explanation ----------------------------------------------------------------------- */

static void put_explanation(FILE *out, const struct toplist *list)
{
	const char *place = list->group == TOP_HOLDERS	   ? "a line of " :
			    list->group == TOP_BY_FUNCTION ? "" :
			    list->group == TOP_BY_FILE	   ? "the source file of " :
							     "the program or library of ";

	putc('\n', out);
	if (list->kind == METRIC_LIVE && !list->is_live)
		fputs("Not all of this need be a leak: what a program keeps to its end is here "
		      "too.\n",
		      out);
	if (list->kind == METRIC_TEMPORARY)
		fputs("Temporary blocks were freed by the thread that allocated them, before it "
		      "allocated again.\n", out);
	if (is_about_ad_hoc(list))
		fputs("Units are the weights that the program gave its events; places whose events "
		      "have none are\nleft out. ", out);
	else
		fputs("Bytes are those that were asked for. ", out);
	fprintf(out, "A place is %sthe innermost function\nthat neither wraps malloc, by its name, "
		"nor belongs to a language's run-time.\n", place);
	if (list->lifetimes)
		fputs("Lifetimes are those of all blocks that the stacks in this list ever "
		      "allocated, known to\na millisecond; a block that was not freed lived to "
		      "the end.\n", out);
}

int toplist_print(FILE *out, const struct toplist *list, struct mu_error *err)
{
	struct attribution h;
	struct top places, functions = { .count = 0 };
	int result = -1;

	places = functions;
	if (attribution_init(&h, list->filter, err) < 0 ||
	    top_build(&places, &h, list->weight, list->group, is_about_blocks(list), err) < 0 ||
	    top_build(&functions, &h, list->weight, TOP_FUNCTIONS, is_about_blocks(list), err) < 0)
		goto out;
	put_first_line(out, list, &places);
	if (places.count > 0) {
		put_place_list(out, list, &places);
		put_function_list(out, list, &functions);
		put_explanation(out, list);
	}
	result = 0;
out:
	top_free(&places);
	top_free(&functions);
	attribution_free(&h);
	return result;
}
