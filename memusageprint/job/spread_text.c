/* spread_text.c -- How the processes of a merge differ at a place, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/job/spread_text.h"

#include <inttypes.h>

#include "cli/message.h"
#include "cli/terminal.h"
#include "cli/units.h"

enum { NAMED = 4 };	/* outliers that are named */

static enum merge_figure figure_of_metric(enum metric_kind kind)
{
	return kind == METRIC_LIVE	  ? MERGE_AT_END :
	       kind == METRIC_TOTAL	  ? MERGE_OF_ALL :
	       kind == METRIC_TEMPORARY ? MERGE_TEMPORARY :
					    MERGE_AT_PEAK;
}

void spread_text_compute(struct merge *m, enum metric_kind kind, const uint32_t *place,
			 struct merge_spread *spread, uint32_t count)
{
	struct mu_error err;

	if (merge_spreads(m, figure_of_metric(kind), place, spread, count, &err) < 0)
		die("cannot read a temporary file: %s", err.text);
}

static const char *figure_text(char text[UNITS_LENGTH], int64_t value, bool by_blocks)
{
	const uint64_t worth = value > 0 ? (uint64_t)value : 0;

	return by_blocks ? units_grouped(text, worth) : units_bytes(text, worth);
}

static void put_outliers(FILE *out, const struct merge *m, const struct merge_spread *s)
{
	char text[MERGE_NAME_LENGTH];

	for (uint32_t i = 0; i < s->outliers && i < NAMED; i++) {
		fputs(i > 0 ? ", " : s->outliers == 1 ? "; outlier: " : "; outliers: ", out);
		terminal_put(out, merge_process_name(text, m, s->outlier[i]));
	}
	if (s->outliers > NAMED)
		fprintf(out, " and %" PRIu32 " more", s->outliers - NAMED);
}

void spread_text_put(FILE *out, const struct merge *m, const struct merge_spread *s,
		     bool by_blocks)
{
	char least[UNITS_LENGTH], median[UNITS_LENGTH], most[UNITS_LENGTH];

	if (s->with == s->processes)
		fprintf(out, "in %s%" PRIu32 " process%s", s->with > 1 ? "all " : "", s->with,
			s->with > 1 ? "es" : "");
	else
		fprintf(out, "in %" PRIu32 " of %" PRIu32 " processes", s->with, s->processes);
	fprintf(out, ": least %s, median %s, most %s", figure_text(least, s->least, by_blocks),
		figure_text(median, s->median, by_blocks), figure_text(most, s->most, by_blocks));
	put_outliers(out, m, s);
}
