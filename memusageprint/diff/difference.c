/* difference.c -- What --diff compares: two files, matched, with the weights of a metric.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/diff/difference.h"

#include <stdlib.h>

#include "cli/xmalloc.h"

static void allocate_weights(struct difference *d)
{
	const size_t room = (size_t)d->comparison.profile.sites.count + 1;

	for (int i = 0; i < SIDES; i++)
		d->weight[i] = xcalloc(room, sizeof(*d->weight[i]));
	d->change = xcalloc(room, sizeof(*d->change));
	if (d->distance <= 0)
		return;
	for (int i = 0; i < SIDES; i++)
		d->error[i] = xcalloc(room, sizeof(*d->error[i]));
	d->change_error = xcalloc(room, sizeof(*d->change_error));
}

/* The blocks of both sides tell stacks apart that could be each other's: what was allocated in all,
 * or what the file has instead. */
static int weigh_for_match(struct diff_side *s, enum metric_kind kind, int snapshot)
{
	if (diff_side_knows(s, METRIC_TOTAL))
		return diff_side_weigh(s, METRIC_TOTAL, 0);
	return diff_side_weigh(s, kind, snapshot);
}

int difference_open(struct difference *d, const struct settings *settings, enum metric_kind kind,
		    bool hides_runtime)
{
	struct compare_side side[SIDES];

	*d = (struct difference){ .kind = kind };
	for (int i = 0; i < SIDES; i++) {
		if (diff_side_open(&d->side[i], settings->files[i], kind, hides_runtime,
				   settings) < 0 ||
		    weigh_for_match(&d->side[i], kind, settings->tree) < 0)
			return -1;
		side[i] = (struct compare_side){ .filter = d->side[i].filter,
						 .weight = d->side[i].weight };
		if (d->side[i].distance > d->distance)
			d->distance = d->side[i].distance;
	}
	comparison_init(&d->comparison, side);
	allocate_weights(d);
	return 0;
}

int difference_weigh(struct difference *d, enum metric_kind kind, int snapshot)
{
	const struct comparison *c = &d->comparison;

	d->kind = kind;
	for (int i = 0; i < SIDES; i++) {
		if (diff_side_weigh(&d->side[i], kind, snapshot) < 0)
			return -1;
		comparison_weigh(c, i, d->side[i].weight, d->weight[i], d->error[i]);
		d->total[i] = 0;
		for (uint32_t k = 0; k < c->profile.sites.count; k++) {
			if (kind == METRIC_TEMPORARY)
				sampled_error_swap(&d->weight[i][k],
						   d->error[i] ? &d->error[i][k] : NULL);
			d->total[i] += d->weight[i][k].bytes;
		}
	}
	comparison_change(c, d->weight[SIDE_OLD], d->weight[SIDE_NEW], d->change,
			  d->change_error);
	return 0;
}

bool difference_is_within_error(const struct difference *d, int64_t change,
				const struct sampled_error *e)
{
	struct sampled_interval i;

	if (d->distance <= 0 || !e)
		return false;
	/* No block of the place was sampled, though some may have been there. */
	if (e->samples <= 0)
		return (double)llabs(change) <= sampled_bytes_unseen(d->distance);
	i = sampled_bytes_interval(e, (double)change, d->distance);
	return i.low <= 0 && i.high >= 0;
}

void difference_close(struct difference *d)
{
	comparison_free(&d->comparison);
	for (int i = 0; i < SIDES; i++) {
		free(d->weight[i]);
		free(d->error[i]);
	}
	for (int i = 0; i < SIDES; i++)
		diff_side_close(&d->side[i]);
	free(d->change);
	free(d->change_error);
	*d = (struct difference){ .kind = METRIC_PEAK };
}
