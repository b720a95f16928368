/* diff_list.c -- The places that grew or shrank from one run to another, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/diff/diff_list.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/layout.h"
#include "cli/xmalloc.h"
#include "memusageprint/diff/diff_text.h"
#include "memusageprint/text/frame_text.h"
#include "profile/model/top.h"

enum { CALLERS = 4, FIGURES = 37 };

/* A place with its sums on both sides. */
struct diff_entry {
	const struct top_entry *top;
	int64_t amount[SIDES], change;
	bool is_within_error;
};

struct diff_list {
	const struct difference *d;
	const struct settings *settings;
	struct top top;
	struct diff_entry *entry;	/* most grown first, most shrunk last */
	uint32_t count;
	uint32_t unclear;		/* entries within the error of their estimates */
	int64_t unclear_change;
};

/* ---- sums ---------------------------------------------------------------------------------- */

static const struct profile *list_profile(const struct diff_list *l)
{
	return &l->d->comparison.profile;
}

/* A place keeps what its sites have on both sides, those that did not change included. */
static void sum_up_entries(struct diff_list *l)
{
	const uint32_t sites = list_profile(l)->sites.count;
	uint32_t *group = xcalloc((size_t)sites + 1, sizeof(*group));
	const uint32_t groups = top_group_sites(group, &l->d->comparison.filter,
						(enum top_kind)l->settings->group);
	struct diff_entry *sum = xcalloc((size_t)groups + 1, sizeof(*sum));

	for (uint32_t i = 0; i < sites; i++) {
		for (int s = 0; s < SIDES && group[i] < groups; s++)
			sum[group[i]].amount[s] += l->d->weight[s][i].bytes;
	}
	l->entry = xcalloc((size_t)l->top.count + 1, sizeof(*l->entry));
	for (uint32_t i = 0; i < l->top.count; i++) {
		const struct top_entry *t = &l->top.entry[i];
		struct diff_entry e = sum[group[t->site]];

		e.top = t;
		e.change = e.amount[SIDE_NEW] - e.amount[SIDE_OLD];
		e.is_within_error = difference_is_within_error(l->d, e.change, &t->error);
		l->unclear += e.is_within_error && e.change != 0;
		l->unclear_change += e.is_within_error ? e.change : 0;
		if (e.change != 0 && !e.is_within_error)
			l->entry[l->count++] = e;
	}
	free(group);
	free(sum);
}

static uint32_t count_grown(const struct diff_list *l)
{
	uint32_t count = 0;

	while (count < l->count && l->entry[count].change > 0)
		count++;
	return count;
}

/* ---- places -------------------------------------------------------------------------------- */

static void put_name(FILE *out, const struct diff_list *l, const struct diff_entry *e)
{
	const struct profile *p = list_profile(l);

	if (l->settings->group == TOP_BY_FUNCTION && e->top->lines > 1)
		frame_text_put_place(out, p, &e->top->at, TOP_BY_FUNCTION);
	else
		frame_text_put_place(out, p, &e->top->at,
				     l->settings->group == TOP_BY_FUNCTION ?
					     TOP_BY_LINE : (enum top_kind)l->settings->group);
}

/* Returns whether there are any. */
static bool put_callers(FILE *out, const struct diff_list *l, const struct diff_entry *e)
{
	const struct profile *p = list_profile(l);
	struct position at = e->top->at;
	int count = 0;

	if (l->settings->group != TOP_BY_FUNCTION && l->settings->group != TOP_BY_LINE)
		return false;
	while (at.left && position_step(p, &at)) {
		if (count++ == CALLERS)
			break;
		fputs(count == 1 ? "called by " : ", ", out);
		frame_text_put_position(out, p, &at);
	}
	fputs(count > CALLERS ? ", ...\n" : count > 0 ? "\n" : "", out);
	return count > 0;
}

static void put_first_line(FILE *out, const struct diff_list *l, const struct diff_entry *e)
{
	char by[UNITS_LENGTH], a[UNITS_LENGTH], b[UNITS_LENGTH], bounds[BOUNDS_LENGTH];
	const struct difference *d = l->d;

	put_name(out, l, e);
	diff_text_bounds(d, bounds, e->change, &e->top->error);
	diff_text_amount(d, by, e->change);
	diff_text_amount(d, a, e->amount[SIDE_OLD]);
	diff_text_amount(d, b, e->amount[SIDE_NEW]);
	if (e->amount[SIDE_OLD] == 0)
		fprintf(out, " is new: " LAYOUT_STRONG "%s" LAYOUT_PLAIN "%s%s", b,
			*bounds ? " " : "", bounds);
	else if (e->amount[SIDE_NEW] == 0)
		fprintf(out, " is gone: it had " LAYOUT_STRONG "%s" LAYOUT_PLAIN "%s%s", a,
			*bounds ? " " : "", bounds);
	else
		fprintf(out, " %s by " LAYOUT_STRONG "%s" LAYOUT_PLAIN "%s%s, from %s to %s",
			e->change > 0 ? "grew" : "shrank", by, *bounds ? " " : "", bounds, a, b);
	fprintf(out, ", %s\n", diff_text_metric(d));
	put_callers(out, l, e);
}

/* A function that was split or inlined is a change of the program, though not of its memory. */
static void put_unchanged(FILE *out, const struct diff_list *l)
{
	const struct difference *d = l->d;
	const struct comparison_share s = comparison_matched(&d->comparison, d->weight[SIDE_OLD],
							     d->weight[SIDE_NEW]);

	if (d->kind == METRIC_TEMPORARY && d->total[SIDE_OLD] == 0 && d->total[SIDE_NEW] == 0)
		fputs("there were no temporary blocks in either\n", out);
	else if (s.folded > 0)
		fprintf(out, "nothing changed, though %.1f%% of it was inlined or split\n",
			100 * s.folded);
	else if (s.moved > 0)
		fprintf(out, "nothing changed, though %.1f%% of it is below other callers\n",
			100 * s.moved);
	else
		fputs("nothing changed\n", out);
}

/* A rename alone is a change, too, if it is all that changed. */
static void put_answer(FILE *out, const struct diff_list *l)
{
	const struct comparison *c = &l->d->comparison;

	if (count_grown(l) > 0) {
		put_first_line(out, l, &l->entry[0]);
	} else if (l->count > 0) {
		fputs("nothing grew; ", out);
		put_first_line(out, l, &l->entry[l->count - 1]);
	} else if (l->unclear > 0) {
		fputs("nothing changed by more than the error of the estimates\n", out);
	} else if (c->renames > 0) {
		fputs(c->renames == 1 ? "nothing changed but a name: " :
					"nothing changed but names: ", out);
		diff_text_put_rename(out, &c->rename[0]);
		putc('\n', out);
	} else {
		put_unchanged(out, l);
	}
}

static void put_figures(FILE *out, const struct difference *d, int64_t change, int64_t old,
			int64_t new)
{
	char text[UNITS_LENGTH + 1], a[UNITS_LENGTH], b[UNITS_LENGTH];

	fprintf(out, "%11s %11s %11s  " LAYOUT_TEXT, diff_text_change(d, text, change),
		diff_text_amount(d, a, old), diff_text_amount(d, b, new));
}

static void put_entry(FILE *out, const struct diff_list *l, const struct diff_entry *e)
{
	char bounds[BOUNDS_LENGTH], *callers = NULL;
	size_t size = 0;
	FILE *below;

	put_figures(out, l->d, e->change, e->amount[SIDE_OLD], e->amount[SIDE_NEW]);
	put_name(out, l, e);
	putc('\n', out);
	diff_text_bounds(l->d, bounds, e->change, &e->top->error);
	below = xopen_memstream(&callers, &size);
	put_callers(below, l, e);
	xclose_memstream(below);
	if (size > 0)
		fprintf(out, "%11s%*s" LAYOUT_TEXT "%s", bounds, FIGURES - 11, "", callers);
	else if (*bounds)
		fprintf(out, "%11s\n", bounds);
	free(callers);
}

/* Prints one line with the sum of COUNT entries. */
static void put_others(FILE *out, const struct diff_list *l, const struct diff_entry *e,
		       uint32_t count)
{
	int64_t amount[SIDES] = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		for (int s = 0; s < SIDES; s++)
			amount[s] += e[i].amount[s];
	}
	if (count == 0)
		return;
	put_figures(out, l->d, amount[SIDE_NEW] - amount[SIDE_OLD], amount[SIDE_OLD],
		    amount[SIDE_NEW]);
	fprintf(out, "%" PRIu32 " other place%s\n", count, count == 1 ? "" : "s");
}

static void put_titles(FILE *out, const char *what)
{
	fprintf(out, "\n" LAYOUT_TITLE "%11s %11s %11s  " LAYOUT_TEXT "%s\n", "change", "old",
		"new", what);
}

static void put_grown(FILE *out, const struct diff_list *l)
{
	const uint32_t grown = count_grown(l);
	const uint32_t shown = l->settings->top < grown ? l->settings->top : grown;

	if (grown == 0)
		return;
	put_titles(out, "grown by");
	for (uint32_t i = 0; i < shown; i++)
		put_entry(out, l, &l->entry[i]);
	put_others(out, l, l->entry + shown, grown - shown);
}

static void put_shrunk(FILE *out, const struct diff_list *l)
{
	const uint32_t grown = count_grown(l), shrunk = l->count - grown;
	const uint32_t shown = l->settings->top < shrunk ? l->settings->top : shrunk;

	if (shrunk == 0)
		return;
	put_titles(out, "shrunk by");
	for (uint32_t i = 0; i < shown; i++)
		put_entry(out, l, &l->entry[l->count - 1 - i]);
	put_others(out, l, l->entry + grown, shrunk - shown);
}

static void put_unclear(FILE *out, const struct diff_list *l)
{
	char text[UNITS_LENGTH + 1];

	if (l->unclear > 0)
		fprintf(out, "\n%11s %24s" LAYOUT_TEXT "%" PRIu32 " place%s changed "
			     "by less than the error of the estimates\n",
			diff_text_change(l->d, text, l->unclear_change), "", l->unclear,
			l->unclear == 1 ? "" : "s");
}

static void init_list(struct diff_list *l, const struct difference *d,
		      const struct settings *settings)
{
	*l = (struct diff_list){ .d = d, .settings = settings };
	top_build(&l->top, &d->comparison.filter, d->change, (enum top_kind)settings->group,
		  TOP_BY_CHANGE);
	sum_up_entries(l);
}

static void free_list(struct diff_list *l)
{
	top_free(&l->top);
	free(l->entry);
}

void diff_list_put_answer(FILE *out, const struct difference *d, const struct settings *settings)
{
	struct diff_list l;

	init_list(&l, d, settings);
	put_answer(out, &l);
	free_list(&l);
}

void diff_list_print(FILE *out, const struct difference *d, const struct settings *settings)
{
	struct diff_list l;

	init_list(&l, d, settings);
	put_answer(out, &l);
	diff_text_put_summary(out, d);
	put_grown(out, &l);
	put_shrunk(out, &l);
	put_unclear(out, &l);
	diff_text_put_explanation(out, d);
	free_list(&l);
}
