/* massif_export.c -- Converts a recording to a massif.out.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/export/massif_export.h"

#include <stdlib.h>

#include "cli/message.h"
#include "cli/xmalloc.h"
#include "formats/base/bounds.h"
#include "formats/massif.h"
#include "profile/base/number.h"
#include "profile/model/massif_lines.h"
#include "profile/model/tree.h"
#include "recording/points.h"

struct massif_exporter {
	FILE *out;
	struct filter filter;	/* with a limit of depth */
	struct report_subject *s;
	const struct settings *settings;
	const struct mu_config *config;
	uint64_t start_ns;	/* of the first snapshot */
	uint64_t number;	/* of the next one */
	bool subtracts_ignored;	/* --ignore-fn names places that the recorder counted */
};

/* ---- one snapshot ------------------------------------------------------------------------ */

/* Subtracts the blocks of ignored places from the figures of a snapshot. Extra bytes of single
 * blocks are unknown, so all blocks of a place count as equally large. */
static void subtract_ignored(const struct massif_exporter *e, struct mu_snapshot *shot)
{
	const struct sites *sites = &e->s->profile.sites;

	for (uint32_t i = 0; i < sites->count; i++) {
		const struct weight *w = &e->s->weight[i];
		uint64_t each;

		if (!w->is_there || w->bytes < 0 || w->blocks <= 0 ||
		    !filter_stack(&e->filter, sites->site[i].stack).is_ignored)
			continue;
		each = (uint64_t)w->bytes / (uint64_t)w->blocks;
		shot->heap -= w->bytes;
		shot->extra -= w->blocks *
			       (int64_t)((-each & 15) + e->config->heap_admin);
	}
}

static enum massif_unit recorded_unit(const struct mu_config *c)
{
	return c->time_unit == MU_UNIT_BYTES	    ? MASSIF_BYTES :
	       c->time_unit == MU_UNIT_INSTRUCTIONS ? MASSIF_INSTRUCTIONS :
						      MASSIF_MS;
}

static uint64_t snapshot_time(const struct massif_exporter *e, const struct mu_snapshot *shot)
{
	if (e->config->time_unit == MU_UNIT_BYTES)
		return shot->clock_bytes;
	if (e->config->time_unit == MU_UNIT_INSTRUCTIONS)
		return shot->instructions;
	return shot->mono_ns > e->start_ns ? (shot->mono_ns - e->start_ns) / 1000000 : 0;
}

static void write_tree_line(const struct massif_line *line, void *data)
{
	const struct massif_exporter *e = data;
	const struct massif_node node = { .bytes = line->bytes, .children = line->children,
					  .depth = line->depth };
	char *text;

	if (line->depth == 0) {
		massif_write_node(e->out, &node, e->config->flags & MU_CFG_PAGES
							 ? MASSIF_ROOT_PAGES
							 : MASSIF_ROOT);
		return;
	}
	text = xasprintf(" %s", line->text);
	massif_write_node(e->out, &node, text);
	free(text);
}

static void write_snapshot_tree(struct massif_exporter *e, struct massif_snapshot *to)
{
	const struct settings *settings = e->settings;
	const struct tree_options options = { .grouping = TREE_BY_ADDRESS,
					      .threshold = settings->threshold,
					      .other = to->extra + to->stacks };
	const struct massif_lines_options lines = {
		.threshold = settings->threshold,
		.strip = settings->fullpath_after.item,
		.strips = settings->fullpath_after.count,
		.no_inlines = settings->read_inlines == NO,
	};
	struct call_tree tree;

	tree_build(&tree, &e->filter, e->s->weight, &options);
	/* In a snapshot with a tree, Massif's figure is the sum of the tree. */
	to->heap = positive_or_zero(tree.node[0].bytes);
	massif_write_snapshot(e->out, to);
	massif_lines(&tree, &e->filter, &lines, write_tree_line, e);
	tree_free(&tree);
}

static void write_snapshot(struct massif_exporter *e, uint64_t i, struct mu_snapshot *shot)
{
	static const enum massif_kind kinds[] = { [MU_SNAPSHOT_NORMAL] = MASSIF_PLAIN,
						  [MU_SNAPSHOT_DETAILED] = MASSIF_DETAILED,
						  [MU_SNAPSHOT_PEAK] = MASSIF_PEAK };
	/* Above its limit of memory the recorder takes snapshots without values. */
	bool has_values = sites_weigh(&e->s->profile.sites, &e->s->image, METRIC_SNAPSHOT, i,
				      e->s->weight) == 0;
	bool is_detailed = shot->kind != MU_SNAPSHOT_NORMAL && e->settings->heap == YES &&
			   has_values;
	struct massif_snapshot to = { .time = snapshot_time(e, shot) };

	/* Only snapshots with values tell how much ignored places hold. The file leaves out the
	 * others, or the heap would seem to jump. */
	if (e->subtracts_ignored) {
		if (!has_values)
			return;
		subtract_ignored(e, shot);
	}
	to.number = e->number++;
	to.heap = positive_or_zero(shot->heap);
	to.extra = positive_or_zero(shot->extra);
	to.stacks = positive_or_zero(shot->stacks);
	if (is_detailed) {
		to.kind = kinds[shot->kind];
		write_snapshot_tree(e, &to);
	} else {
		massif_write_snapshot(e->out, &to);
	}
}

/* True if --ignore-fn names places that the recorder counted: the option was not given then, or
 * the recorder could not know their names (JIT). */
static bool names_recorded_sites(const struct massif_exporter *e)
{
	const struct sites *sites = &e->s->profile.sites;

	for (uint32_t i = 0; e->settings->ignore_fn.count > 0 && i < sites->count; i++)
		if (sites_is_counted(&sites->site[i]) &&
		    filter_stack(&e->filter, sites->site[i].stack).is_ignored)
			return true;
	return false;
}

/* ---- the file ---------------------------------------------------------------------------- */

/* Returns the options of a Massif that would have made this recording. */
static char *describe_options(const struct massif_exporter *e)
{
	const struct mu_config *c = e->config;

	if (e->settings->massif_desc)
		return xasprintf("%s\n", e->settings->massif_desc);
	return xasprintf(" --time-unit=%s --detailed-freq=%u --max-snapshots=%u --heap-admin=%u "
			 "--depth=%u --threshold=%g\n",
			 massif_unit_name(recorded_unit(c)), c->detailed_freq,
			 c->max_snapshots, c->heap_admin, e->settings->depth,
			 e->settings->threshold);
}

/* A second line of the description says how good estimates are. */
static void write_header(const struct massif_exporter *e)
{
	char *options = describe_options(e), *cmd = report_subject_command(e->s);
	char text[BOUNDS_TEXT], *desc;

	bounds_describe(text, &e->s->profile.sites, &e->s->image);
	desc = *text ? xasprintf("%s %s\n", options, text) : xstrdup(options);
	massif_write_header(e->out, desc, cmd, recorded_unit(e->config));
	free(options);
	free(desc);
	free(cmd);
}

/* Returns the start of the series: that of the image, or of the snapshot if only one was
 * requested. */
static uint64_t series_start(const struct image *im, const struct mu_snapshot *first)
{
	uint64_t start = im->head.process.start_mono_ns;

	return start > 0 && start < first->mono_ns ? start : first->mono_ns;
}

int massif_export(FILE *out, struct report_subject *s, const struct settings *settings)
{
	struct massif_exporter e = { .out = out, .s = s, .settings = settings, .filter = s->filter,
			      .config = &s->recording->segment.head.config };
	uint64_t count = image_count(&s->image, MU_SEC_SNAPSHOTS);
	struct mu_snapshot shot;

	e.filter.depth = settings->depth;
	e.subtracts_ignored = names_recorded_sites(&e);
	write_header(&e);
	/* With --heap=no Massif writes the first snapshot only. */
	if (settings->heap == NO && count > 1)
		count = 1;
	for (uint64_t i = 0; i < count && image_snapshot(&s->image, i, &shot); i++) {
		if (i == 0)
			e.start_ns = series_start(&s->image, &shot);
		if (shot.kind <= MU_SNAPSHOT_PEAK)
			write_snapshot(&e, i, &shot);
	}
	return 0;
}
