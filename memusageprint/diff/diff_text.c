/* diff_text.c -- Figures and sentences that the texts of --diff share.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/diff/diff_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/layout.h"
#include "cli/terminal.h"
#include "memusageprint/text/bounds_note.h"
#include "memusageprint/text/metric_text.h"

enum { RENAMES = 5 };	/* listed */

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

const char *diff_text_amount(const struct difference *d, char text[UNITS_LENGTH], int64_t amount)
{
	return d->kind == METRIC_TEMPORARY ? units_grouped(text, magnitude(amount)) :
					     units_bytes(text, magnitude(amount));
}

const char *diff_text_change(const struct difference *d, char text[UNITS_LENGTH + 1],
			     int64_t change)
{
	text[0] = change < 0 ? '-' : '+';
	diff_text_amount(d, text + (change != 0), change);
	return text;
}

const char *diff_text_bounds(const struct difference *d, char text[BOUNDS_LENGTH], int64_t change,
			     const struct sampled_error *e)
{
	if (d->distance <= 0 || !e)
		return strcpy(text, "");
	/* Weights of blocks are in the fields of bytes (difference.h). */
	if (d->kind == METRIC_TEMPORARY) {
		const struct sampled_error swapped = { .samples = e->samples,
						       .block_variance = e->variance,
						       .is_sampled = e->is_sampled,
						       .is_change = e->is_change };

		return bounds_blocks(text, &swapped, change);
	}
	return bounds_bytes(text, e, change, d->distance);
}

const char *diff_text_metric(const struct difference *d)
{
	return d->kind == METRIC_TEMPORARY ? "temporary blocks" : metric_text(d->kind);
}

static struct sampled_error sum_errors(const struct difference *d)
{
	struct sampled_error sum = { .is_change = true };

	for (uint32_t i = 0; d->change_error && i < d->comparison.profile.sites.count; i++)
		sampled_error_add(&sum, &d->change_error[i]);
	return sum;
}

static void put_sums(FILE *out, const struct difference *d)
{
	const int64_t old = d->total[SIDE_OLD], new = d->total[SIDE_NEW];
	const struct sampled_error error = sum_errors(d);
	char a[UNITS_LENGTH], b[UNITS_LENGTH], change[UNITS_LENGTH + 1], bounds[BOUNDS_LENGTH];

	diff_text_amount(d, a, old);
	diff_text_amount(d, b, new);
	diff_text_bounds(d, bounds, new - old, &error);
	if (old == 0 && new == 0)
		return;
	if (old == new)
		fprintf(out, "In all %s were %s in both.\n", a, diff_text_metric(d));
	else
		fprintf(out, "In all %s became %s: %s%s%s", a, b,
			diff_text_change(d, change, new - old), *bounds ? " " : "", bounds);
	if (old != new && old > 0)
		fprintf(out, " (%+.1f%%)", 100.0 * (double)(new - old) / (double)old);
	if (old != new)
		fprintf(out, ", %s.\n", diff_text_metric(d));
}

/* Rounded down: 100 % is all. */
static double percent_down(double part)
{
	return floor(1000 * part + 1e-6) / 10;
}

static void put_share(FILE *out, const struct difference *d)
{
	const struct comparison_share s = comparison_matched(&d->comparison, d->weight[SIDE_OLD],
							     d->weight[SIDE_NEW]);

	if (!s.has_any)
		return;
	fprintf(out, "%.1f%% of %s at places that both have",
		percent_down(s.path + s.folded + s.moved),
		d->kind == METRIC_TEMPORARY ? "them were" : "it was");
	if (s.folded > 0)
		fprintf(out, ", %.1f%% inlined or split", 100 * s.folded);
	if (s.moved > 0)
		fprintf(out, ", %.1f%% below other callers", 100 * s.moved);
	fputs(".\n", out);
}

void diff_text_put_rename(FILE *out, const struct comparison_rename *r)
{
	fputs(LAYOUT_FRAME, out);
	terminal_put(out, r->new);
	fputs(LAYOUT_FRAME_END " was called " LAYOUT_FRAME, out);
	terminal_put(out, r->old);
	fputs(LAYOUT_FRAME_END, out);
}

static void put_renames(FILE *out, const struct comparison *c)
{
	for (uint32_t i = 0; i < c->renames && i < RENAMES; i++) {
		diff_text_put_rename(out, &c->rename[i]);
		fputs(".\n", out);
	}
	if (c->renames > RENAMES)
		fprintf(out, "%u more functions have another name.\n", c->renames - RENAMES);
}

void diff_text_put_summary(FILE *out, const struct difference *d)
{
	put_sums(out, d);
	put_share(out, d);
	put_renames(out, &d->comparison);
}

void diff_text_put_explanation(FILE *out, const struct difference *d)
{
	putc('\n', out);
	bounds_note_put(out, d->distance, sampled_bytes_unseen(d->distance));
	fputs("Places are matched by the names of functions and modules, whatever their lines "
	      "and" LAYOUT_NEWLINE "addresses. Lines are those of the new build.\n", out);
}
