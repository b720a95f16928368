/* diff_exports.c -- A comparison in the formats of other programs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/diff/diff_exports.h"

#include <stdlib.h>
#include <string.h>

#include "cli/version.h"
#include "cli/xmalloc.h"
#include "formats/diff.h"
#include "formats/pprof/pprof.h"

static const struct {
	const char *name;
	void (*write)(FILE *out, const struct diff_export *e);
	bool has_one_metric;
} formats[] = {
	{ "json", diff_write_json, false },
	{ "folded", diff_write_folded, true },
	{ "pprof", pprof_write_diff, false },
};

enum { FORMATS = sizeof(formats) / sizeof(*formats) };

static size_t find_format(const char *name)
{
	size_t i = 0;

	while (i < FORMATS && strcmp(formats[i].name, name) != 0)
		i++;
	return i;
}

bool diff_exports_has(const char *format)
{
	return find_format(format) < FORMATS;
}

static void *copy_sites(const struct difference *d, const void *of, size_t size)
{
	void *copy = xcalloc((size_t)d->comparison.profile.sites.count + 1, size);

	memcpy(copy, of, d->comparison.profile.sites.count * size);
	return copy;
}

/* Blocks and bytes of temporary blocks are the other way round (difference.h). */
static struct weight *copy_weights(const struct difference *d, enum side side)
{
	struct weight *copy = copy_sites(d, d->weight[side], sizeof(*copy));

	for (uint32_t i = 0; i < d->comparison.profile.sites.count; i++) {
		copy[i].error = NULL;
		if (d->kind == METRIC_TEMPORARY) {
			copy[i].bytes = d->weight[side][i].blocks;
			copy[i].blocks = d->weight[side][i].bytes;
		}
	}
	return copy;
}

/* Returns 0, or -1 after a warning. */
static int take_metric(struct diff_export *e, struct difference *d, enum metric_kind kind,
		       int snapshot)
{
	struct diff_metric *m = &e->metric[e->metrics];

	if (difference_weigh(d, kind, snapshot) < 0)
		return -1;
	m->kind = kind;
	for (int s = 0; s < SIDES; s++)
		m->weight[s] = copy_weights(d, s);
	if (d->change_error && kind != METRIC_TEMPORARY)
		m->error = copy_sites(d, d->change_error, sizeof(*m->error));
	e->metrics++;
	return 0;
}

static int take_all_metrics(struct diff_export *e, struct difference *d)
{
	static const enum metric_kind kinds[] = { METRIC_PEAK, METRIC_LIVE, METRIC_TOTAL,
						  METRIC_TEMPORARY };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (diff_side_knows(&d->side[SIDE_OLD], kinds[i]) &&
		    diff_side_knows(&d->side[SIDE_NEW], kinds[i]) &&
		    take_metric(e, d, kinds[i], 0) < 0)
			return -1;
	}
	return 0;
}

static void free_metrics(struct diff_export *e)
{
	for (uint32_t i = 0; i < e->metrics; i++) {
		for (int s = 0; s < SIDES; s++)
			free((void *)e->metric[i].weight[s]);
		free((void *)e->metric[i].error);
	}
}

int diff_exports_write(FILE *out, struct difference *d, const struct settings *settings)
{
	const size_t format = find_format(settings->format);
	struct diff_export e = { .comparison = &d->comparison, .version = MEMUSAGE_VERSION,
				 .has_blocks = true, .distance = d->distance };
	int result;

	for (int s = 0; s < SIDES; s++) {
		e.file[s] = d->side[s].name;
		e.process[s] = d->side[s].what;
		e.has_blocks &= d->side[s].has_blocks;
	}
	result = formats[format].has_one_metric ?
			 take_metric(&e, d, settings_metric(settings), settings->tree) :
			 take_all_metrics(&e, d);
	if (result == 0)
		formats[format].write(out, &e);
	free_metrics(&e);
	return result;
}
