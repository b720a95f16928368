/* places.c -- the texts about who allocated, and the summary of an image.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/places.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "cli/message.h"
#include "cli/xmalloc.h"
#include "formats/memory.h"
#include "formats/summary.h"
#include "memusageprint/calltree.h"
#include "memusageprint/plot.h"
#include "memusageprint/spacetime_export.h"
#include "memusageprint/toplist.h"
#include "profile/result.h"

/* Only a recording that is still being written can be of a process that runs. */
static bool is_live(const struct subject *s)
{
	return s->recording->segment.head.kind != MU_KIND_KEPT &&
	       (kill(s->pid, 0) == 0 || errno != ESRCH);
}

static int judge(const struct subject *s, int result, const struct mu_error *err)
{
	if (result < 0)
		warn("%s: %s", s->recording->name, err->text);
	return result;
}

static int print_list(FILE *out, struct subject *s, enum metric_kind kind, unsigned count)
{
	const struct toplist list = { .filter = &s->filter, .weight = s->weight, .kind = kind,
				      .count = count, .is_live = is_live(s) };
	struct mu_error err;

	if (subject_weigh(s, kind, 0) < 0)
		return -1;
	putc('\n', out);
	return judge(s, toplist_print(out, &list, &err), &err);
}

static int print_tree(FILE *out, struct subject *s, const struct settings *settings)
{
	const struct calltree tree = {
		.filter = &s->filter,
		.weight = s->weight,
		.kind = settings_metric(settings),
		.threshold = settings->threshold,
		.depth = settings->depth,
		.is_live = is_live(s),
	};
	struct mu_error err;

	if (subject_weigh(s, tree.kind, settings->tree) < 0)
		return -1;
	putc('\n', out);
	return judge(s, calltree_print(out, &tree, &err), &err);
}

static void print_summary(FILE *out, const struct subject *s)
{
	struct result *result = xmalloc(sizeof(*result));
	struct image im = s->image;

	result_take(result, &im);
	summary_print(out, result, false,
		      s->recording->segment.head.config.flags & MU_CFG_MMAP);
	free(result);
}

/* How much of the memory that the process had is heap at all. */
static void print_memory(FILE *out, const struct subject *s)
{
	struct timeline t;

	if (timeline_load(&t, &s->image, NULL) == 0 && t.count > 0) {
		putc('\n', out);
		memory_print_timeline(out, "", &t);
	}
	timeline_free(&t);
}

int places_print(FILE *out, struct subject *s, const struct settings *settings)
{
	unsigned text = settings->text ? settings->text : TEXT_TOP;
	int result = 0;

	if (text & TEXT_SUMMARY)
		print_summary(out, s);
	if (text & TEXT_PLOT)
		result |= plot_recording(out, s, settings);
	if (text & TEXT_TOP)
		result |= print_list(out, s, METRIC_PEAK, settings->top);
	if (text & TEXT_TREE)
		result |= print_tree(out, s, settings);
	if (text & TEXT_LEAKS)
		result |= print_list(out, s, METRIC_LIVE, settings->top);
	if (text & TEXT_TEMPORARY)
		result |= print_list(out, s, METRIC_TEMPORARY, settings->top);
	if (text & TEXT_SPACETIME)
		result |= spacetime_summary(out, s, settings);
	if (text != TEXT_PLOT)
		print_memory(out, s);
	return result;
}
