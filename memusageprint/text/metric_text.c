/* metric_text.c -- Words and percentages for metrics, in reports for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/metric_text.h"

#include "cli/units.h"

const char *metric_text(enum metric_kind kind)
{
	switch (kind) {
	case METRIC_PEAK:
		return "live when the heap was largest";
	case METRIC_LIVE:
		return "live at the end";
	case METRIC_TOTAL:
		return "allocated in all";
	case METRIC_TEMPORARY:
		return "temporary";
	case METRIC_AD_HOC:
		return "units";
	case METRIC_SNAPSHOT:
		return "live at the snapshot";
	case METRIC_GROWTH:
		return "what grew";
	}
	return "";
}

void metric_text_put_nothing(FILE *out, const char *words, double unseen)
{
	char most[UNITS_LENGTH];

	if (unseen > 0)
		fprintf(out, "no sampled block was %s; others had at most %s (97.5 %%)\n", words,
			units_bytes(most, units_whole(unseen)));
	else
		fprintf(out, "nothing was %s\n", words);
}

double metric_text_percent(int64_t part, int64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}
