/* massif_export.c -- a recording as a massif.out.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/export/massif_export.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/xmalloc.h"
#include "formats/massif.h"
#include "profile/model/massif_lines.h"
#include "profile/model/tree.h"
#include "recording/points.h"

struct exporter {
	FILE *out;
	struct filter filter;	/* with a limit of depth */
	struct report_subject *s;
	const struct settings *settings;
	const struct mu_config *config;
	uint64_t start_ns;	/* of the first snapshot */
	uint64_t number;	/* of the next one */
	bool ignores_late;	/* places are to be ignored that were recorded like others */
};

/* ---- one snapshot ------------------------------------------------------------------------ */

static uint64_t positive(int64_t value)
{
	return value > 0 ? (uint64_t)value : 0;
}

/* What the blocks of ignored places have of the figures. Their extra bytes are not known one by
 * one: as if all blocks of a place had the same size. */
static void take_ignored(const struct exporter *e, struct mu_snapshot *shot)
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

static enum massif_unit unit_of(const struct mu_config *c)
{
	return c->time_unit == MU_UNIT_BYTES	    ? MASSIF_BYTES :
	       c->time_unit == MU_UNIT_INSTRUCTIONS ? MASSIF_INSTRUCTIONS :
						      MASSIF_MS;
}

static uint64_t time_of(const struct exporter *e, const struct mu_snapshot *shot)
{
	if (e->config->time_unit == MU_UNIT_BYTES)
		return shot->clock_bytes;
	if (e->config->time_unit == MU_UNIT_INSTRUCTIONS)
		return shot->instructions;
	return shot->mono_ns > e->start_ns ? (shot->mono_ns - e->start_ns) / 1000000 : 0;
}

static void put_line(const struct massif_line *line, void *data)
{
	const struct exporter *e = data;
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

static int put_tree(struct exporter *e, struct massif_snapshot *to, struct mu_error *err)
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
	struct tree tree;
	int result = tree_build(&tree, &e->filter, e->s->weight, &options, err);

	if (result == 0) {
		/* Massif's figure of a snapshot with a tree is what the tree adds up to. */
		to->heap = positive(tree.node[0].bytes);
		massif_write_snapshot(e->out, to);
		result = massif_lines(&tree, &e->filter, &lines, put_line, e, err);
	}
	tree_free(&tree);
	return result;
}

static int put_snapshot(struct exporter *e, uint64_t i, struct mu_snapshot *shot,
			struct mu_error *err)
{
	static const enum massif_kind kinds[] = { [MU_SNAPSHOT_NORMAL] = MASSIF_PLAIN,
						  [MU_SNAPSHOT_DETAILED] = MASSIF_DETAILED,
						  [MU_SNAPSHOT_PEAK] = MASSIF_PEAK };
	/* Beyond a limit of memory a snapshot has no values. */
	bool has_values = sites_weigh(&e->s->profile.sites, &e->s->image, METRIC_SNAPSHOT, i,
				      e->s->weight) == 0;
	bool is_detailed = shot->kind != MU_SNAPSHOT_NORMAL && e->settings->heap == YES &&
			   has_values;
	struct massif_snapshot to = { .time = time_of(e, shot) };

	/* What was not recorded as ignored is known of snapshots with values only: the others
	 * are left out, or the heap would seem to jump. */
	if (e->ignores_late) {
		if (!has_values)
			return 0;
		take_ignored(e, shot);
	}
	to.number = e->number++;
	to.heap = positive(shot->heap);
	to.extra = positive(shot->extra);
	to.stacks = positive(shot->stacks);
	if (is_detailed) {
		to.kind = kinds[shot->kind];
		return put_tree(e, &to, err);
	}
	massif_write_snapshot(e->out, &to);
	return 0;
}

/* Whether --ignore-fn names places that the recorder took for others: it was not asked then, or
 * could not know their names (JIT). */
static bool ignores_late(const struct exporter *e)
{
	const struct sites *sites = &e->s->profile.sites;

	for (uint32_t i = 0; e->settings->ignore_fn.count > 0 && i < sites->count; i++)
		if (sites_is_counted(&sites->site[i]) &&
		    filter_stack(&e->filter, sites->site[i].stack).is_ignored)
			return true;
	return false;
}

/* ---- the file ---------------------------------------------------------------------------- */

/* What Massif would have been told, as far as the recording knows. */
static char *describe(const struct exporter *e)
{
	const struct mu_config *c = e->config;

	if (e->settings->massif_desc)
		return xasprintf("%s\n", e->settings->massif_desc);
	return xasprintf(" --time-unit=%s --detailed-freq=%u --max-snapshots=%u --heap-admin=%u "
			 "--depth=%u --threshold=%g\n",
			 massif_unit_name(unit_of(c)), c->detailed_freq,
			 c->max_snapshots, c->heap_admin, e->settings->depth,
			 e->settings->threshold);
}

static void put_header(const struct exporter *e)
{
	char *desc = describe(e), *cmd = report_subject_command(e->s);

	massif_write_header(e->out, desc, cmd, unit_of(e->config));
	free(desc);
	free(cmd);
}

/* The series begins with the image. A snapshot that was asked for stands alone. */
static uint64_t start_of(const struct image *im, const struct mu_snapshot *first)
{
	uint64_t start = im->head.process.start_mono_ns;

	return start > 0 && start < first->mono_ns ? start : first->mono_ns;
}

int massif_export(FILE *out, struct report_subject *s, const struct settings *settings)
{
	struct exporter e = { .out = out, .s = s, .settings = settings, .filter = s->filter,
			      .config = &s->recording->segment.head.config };
	uint64_t count = image_count(&s->image, MU_SEC_SNAPSHOTS);
	struct mu_snapshot shot;
	struct mu_error err;

	e.filter.depth = settings->depth;
	e.ignores_late = ignores_late(&e);
	put_header(&e);
	/* Without the heap nothing ever happens. */
	if (settings->heap == NO && count > 1)
		count = 1;
	for (uint64_t i = 0; i < count && image_snapshot(&s->image, i, &shot); i++) {
		if (i == 0)
			e.start_ns = start_of(&s->image, &shot);
		if (shot.kind > MU_SNAPSHOT_PEAK)
			continue;
		if (put_snapshot(&e, i, &shot, &err) < 0) {
			warn("%s: %s", s->recording->name, err.text);
			return -1;
		}
	}
	return 0;
}
