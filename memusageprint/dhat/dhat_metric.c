/* dhat_metric.c -- The fourteen metrics of DHAT's viewer, with their filters and thresholds.
 *
 * Source  dh_view.js of Valgrind 3.19, observed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/dhat/dhat_metric.h"

#include <stddef.h>

#include "memusageprint/dhat/dhat_number.h"

enum {
	TINY = 16,		/* bytes of a block */
	HIGH = 1000		/* accesses per byte */
};
static const double low = 0.4;	/* accesses per byte */

enum metric_filter { ALL, SMALL, YOUNG, UNUSED, LOW, MUCH };

static const struct {
	const char *label;	/* in the text of the threshold */
	size_t offset;		/* of the field, in struct dhat_point */
	enum metric_filter filter;
	bool is_blocks;
	bool needs_lifetimes, needs_accesses;
	unsigned bold;
} metrics[DHAT_METRICS] = {
#define AT(field) offsetof(struct dhat_point, field)
	[DHAT_TOTAL_BYTES] = { "total", AT(total_bytes), ALL, false, false, false,
			       BOLD_TOTAL_BYTES },
	[DHAT_TOTAL_BLOCKS] = { "total", AT(total_blocks), ALL, true, false, false,
				BOLD_TOTAL_BLOCKS },
	[DHAT_TINY] = { "total", AT(total_blocks), SMALL, true, false, false,
			BOLD_TOTAL_BLOCKS | BOLD_SIZE },
	[DHAT_SHORT_LIVED] = { "total", AT(total_blocks), YOUNG, true, true, false,
			       BOLD_TOTAL_BLOCKS | BOLD_LIFETIME },
	[DHAT_UNUSED_BYTES] = { "total", AT(total_bytes), UNUSED, false, false, true,
				BOLD_TOTAL_BYTES | BOLD_READS | BOLD_WRITES },
	[DHAT_UNUSED_BLOCKS] = { "total", AT(total_blocks), UNUSED, true, false, true,
				 BOLD_TOTAL_BLOCKS | BOLD_READS | BOLD_WRITES },
	[DHAT_LOW_BYTES] = { "total", AT(total_bytes), LOW, false, false, true,
			     BOLD_TOTAL_BYTES | BOLD_READS_EACH | BOLD_WRITES_EACH },
	[DHAT_LOW_BLOCKS] = { "total", AT(total_blocks), LOW, true, false, true,
			      BOLD_TOTAL_BLOCKS | BOLD_READS_EACH | BOLD_WRITES_EACH },
	[DHAT_GMAX] = { "at-t-gmax", AT(peak_bytes), ALL, false, true, false, BOLD_GMAX },
	[DHAT_END] = { "at-t-end", AT(end_bytes), ALL, false, true, false, BOLD_END },
	[DHAT_READS] = { "reads", AT(read_bytes), ALL, false, false, true, BOLD_READS },
	[DHAT_HIGH_READS] = { "reads", AT(read_bytes), MUCH, false, false, true,
			      BOLD_READS | BOLD_READS_EACH },
	[DHAT_WRITES] = { "writes", AT(written_bytes), ALL, false, false, true, BOLD_WRITES },
	[DHAT_HIGH_WRITES] = { "writes", AT(written_bytes), MUCH, false, false, true,
			       BOLD_WRITES | BOLD_WRITES_EACH },
};

bool dhat_metric_is_there(enum dhat_metric metric, const struct dhat *d)
{
	return (d->has_lifetimes || !metrics[metric].needs_lifetimes) &&
	       (d->has_accesses || !metrics[metric].needs_accesses);
}

unsigned dhat_metric_bold(enum dhat_metric metric)
{
	return metrics[metric].bold;
}

double dhat_metric_value(enum dhat_metric metric, const struct dhat_point *p)
{
	return (double)*(const uint64_t *)((const char *)p + metrics[metric].offset);
}

const char *dhat_bytes_word(const struct dhat *d)
{
	return d->bytes ? d->bytes : "bytes";
}

const char *dhat_blocks_word(const struct dhat *d)
{
	return d->blocks ? d->blocks : "blocks";
}

const char *dhat_byte_word(const struct dhat *d)
{
	return d->byte ? d->byte : "byte";
}

static double threshold_fraction(enum dhat_metric metric, double threshold)
{
	return (metrics[metric].filter == ALL ? 0.01 : 0.005) * threshold;
}

bool dhat_metric_matters(enum dhat_metric metric, const struct dhat_point *p,
			 const struct dhat_point *root, const struct dhat *d, double threshold)
{
	double reads = dhat_ratio((double)p->read_bytes, (double)p->total_bytes);
	double writes = dhat_ratio((double)p->written_bytes, (double)p->total_bytes);
	double blocks = (double)p->total_blocks;

	if (!(dhat_metric_value(metric, p) >=
	      threshold_fraction(metric, threshold) * dhat_metric_value(metric, root)))
		return false;
	switch (metrics[metric].filter) {
	case SMALL:
		return dhat_ratio((double)p->total_bytes, blocks) <= TINY;
	case YOUNG:
		return dhat_ratio((double)p->lifetimes, blocks) <= (double)d->short_lived;
	case UNUSED:
		return p->read_bytes == 0 || p->written_bytes == 0;
	case LOW:
		return p->read_bytes != 0 && p->written_bytes != 0 &&
		       (reads <= low || writes <= low);
	case MUCH:
		return reads >= HIGH || writes >= HIGH;
	default:
		return true;
	}
}

static void put_filter_text(FILE *out, enum metric_filter filter, const struct dhat *d)
{
	const char *bytes = dhat_bytes_word(d), *byte = dhat_byte_word(d);
	char number[DHAT_NUMBER_LENGTH];

	switch (filter) {
	case SMALL:
		fprintf(out, " && (avg size <= %d %s)", TINY, bytes);
		break;
	case YOUNG:
		fprintf(out, " && (avg lifetime <= %s %s)",
			dhat_number(number, (double)d->short_lived), d->time_unit);
		break;
	case UNUSED:
		fprintf(out, " && ((reads == 0 %s) || (writes == 0 %s))", bytes, bytes);
		break;
	case LOW:
		fprintf(out, " && (reads != 0 %s) && (writes != 0 %s) && ((reads <= %s/%s)", bytes,
			bytes, dhat_number(number, low), byte);
		fprintf(out, " || (writes <= %s/%s))", number, byte);
		break;
	case MUCH:
		fprintf(out, " && ((reads >= 1,000/%s) || (writes >= 1,000/%s))", byte, byte);
		break;
	default:
		break;
	}
}

void dhat_metric_put_threshold(FILE *out, enum dhat_metric metric, const struct dhat_point *root,
			       const struct dhat *d, double threshold)
{
	bool is_plain = metrics[metric].filter == ALL;
	double whole = dhat_metric_value(metric, root);
	double part = threshold_fraction(metric, threshold) * whole;
	char number[DHAT_NUMBER_LENGTH], percent[DHAT_NUMBER_LENGTH];

	fprintf(out, "%s%s >= %s %s (%s)", is_plain ? "" : "(", metrics[metric].label,
		dhat_number(number, part),
		metrics[metric].is_blocks ? dhat_blocks_word(d) : dhat_bytes_word(d),
		dhat_percent(percent, part, whole));
	if (is_plain)
		return;
	putc(')', out);
	put_filter_text(out, metrics[metric].filter, d);
}
