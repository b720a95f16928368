/* diff.c -- Writes a comparison of two files for programs and for other tools.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/diff.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cli/xmalloc.h"
#include "formats/base/stacklist.h"
#include "formats/base/utf8.h"
#include "formats/json.h"

static const char *metric_name(enum metric_kind kind)
{
	return kind == METRIC_PEAK ? "peak" : kind == METRIC_LIVE ? "end" :
	       kind == METRIC_TOTAL ? "total" : "temporary";
}

static bool is_there(const struct diff_export *e, enum side side, uint32_t site)
{
	for (uint32_t i = 0; i < e->metrics; i++) {
		if (e->metric[i].weight[side][site].is_there)
			return true;
	}
	return false;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void write_sides(FILE *out, const struct diff_export *e)
{
	for (int s = 0; s < SIDES; s++) {
		fputs(s == SIDE_OLD ? "\"old\":{" : "\"new\":{", out);
		json_put_field(out, "file", e->file[s]);
		fputs("\"process\":", out);
		json_put_string(out, e->process[s]);
		fputs("},\n", out);
	}
}

static void write_renames(FILE *out, const struct comparison *c)
{
	fputs("\"renamed\":[", out);
	for (uint32_t i = 0; i < c->renames; i++) {
		fputs(i ? ",{" : "{", out);
		json_put_field(out, "old", c->rename[i].old);
		fputs("\"new\":", out);
		json_put_string(out, c->rename[i].new);
		putc('}', out);
	}
	fputs("],\n", out);
}

static void write_blocks(FILE *out, const struct diff_export *e, int64_t blocks)
{
	if (e->has_blocks)
		fprintf(out, "%" PRId64, blocks);
	else
		fputs("null", out);
}

static void write_metric_sums(FILE *out, const struct diff_export *e, const struct diff_metric *m)
{
	const struct comparison_share share = comparison_matched(e->comparison, m->weight[SIDE_OLD],
								 m->weight[SIDE_NEW]);
	static const char *const names[SIDES] = { "old", "new" };

	fprintf(out, "{\"metric\":\"%s\"", metric_name(m->kind));
	for (int s = 0; s < SIDES; s++) {
		int64_t bytes = 0, blocks = 0;

		for (uint32_t i = 0; i < e->comparison->profile.sites.count; i++) {
			bytes += m->weight[s][i].bytes;
			blocks += m->weight[s][i].blocks;
		}
		fprintf(out, ",\"%s_bytes\":%" PRId64 ",\"%s_blocks\":", names[s], bytes, names[s]);
		write_blocks(out, e, blocks);
	}
	fprintf(out, ",\"matched\":%.6f,\"folded\":%.6f,\"moved\":%.6f}",
		share.has_any ? share.path + share.folded + share.moved : 1, share.folded,
		share.moved);
}

static void write_locations(FILE *out, const struct profile *p)
{
	fputs("\"locations\":[", out);
	for (uint32_t i = 0; i < p->location_count; i++) {
		fputs(i ? ",\n {" : "\n {", out);
		json_put_field(out, "object", profile_object(p, i));
		json_put_levels(out, p, i);
	}
	fputs("],\n", out);
}

static const char *match_name(const struct diff_export *e, uint32_t site)
{
	static const char *const names[] = { [MATCH_PATH] = "path", [MATCH_FOLDED] = "folded",
					     [MATCH_MOVED] = "moved" };

	if (e->comparison->match[site] != MATCH_NONE)
		return names[e->comparison->match[site]];
	return is_there(e, SIDE_NEW, site) ? "new" : "old";
}

static void write_stack_metric(FILE *out, const struct diff_export *e, const struct diff_metric *m,
			       uint32_t site)
{
	const struct weight *old = &m->weight[SIDE_OLD][site], *new = &m->weight[SIDE_NEW][site];
	struct sampled_interval i;

	fprintf(out, ",\"%s\":[%" PRId64 ",", metric_name(m->kind), old->bytes);
	write_blocks(out, e, old->blocks);
	fprintf(out, ",%" PRId64 ",", new->bytes);
	write_blocks(out, e, new->blocks);
	putc(']', out);
	if (!m->error || e->distance <= 0)
		return;
	i = sampled_bytes_interval(&m->error[site], (double)(new->bytes - old->bytes), e->distance);
	fprintf(out, ",\"%s_change_95\":[%.0f,%.0f]", metric_name(m->kind), floor(i.low),
		ceil(i.high));
}

static void write_stacks(FILE *out, const struct diff_export *e)
{
	const struct profile *p = &e->comparison->profile;
	bool is_first = true;

	fputs("\"stacks\":[", out);
	for (uint32_t i = 0; i < p->sites.count; i++) {
		if (!is_there(e, SIDE_OLD, i) && !is_there(e, SIDE_NEW, i))
			continue;
		fputs(is_first ? "\n {\"stack\":[" : ",\n {\"stack\":[", out);
		for (uint32_t f = p->stack[i].frame, n = 0; f; f = p->frame[f].parent, n++)
			fprintf(out, "%s%" PRIu32, n ? "," : "", p->frame[f].location);
		fprintf(out, "],\"match\":\"%s\"", match_name(e, i));
		for (uint32_t k = 0; k < e->metrics; k++)
			write_stack_metric(out, e, &e->metric[k], i);
		putc('}', out);
		is_first = false;
	}
	fputs("]", out);
}

void diff_write_json(FILE *out, const struct diff_export *e)
{
	fputs("{\"format\":\"memusage-diff\",\"version\":1,", out);
	json_put_field(out, "creator", e->version);
	putc('\n', out);
	write_sides(out, e);
	write_renames(out, e->comparison);
	fputs("\"metrics\":[", out);
	for (uint32_t i = 0; i < e->metrics; i++) {
		fputs(i ? ",\n " : "\n ", out);
		write_metric_sums(out, e, &e->metric[i]);
	}
	fputs("],\n", out);
	write_locations(out, &e->comparison->profile);
	write_stacks(out, e);
	fputs("}\n", out);
}

/* ---- folded stacks ------------------------------------------------------------------------- */

static void write_names(FILE *out, const struct profile *p, const struct stacklist *list)
{
	char unknown[256];

	if (list->count == 0)
		fputs("[unknown]", out);
	for (size_t i = list->count; i > 0; i--) {
		char *name = utf8_clean(stacklist_name(p, &list->item[i - 1], unknown), ";");

		fputs(name, out);
		fputs(i > 1 ? ";" : "", out);
		free(name);
	}
}

void diff_write_folded(FILE *out, const struct diff_export *e)
{
	const struct profile *p = &e->comparison->profile;
	const struct diff_metric *m = &e->metric[0];
	struct stacklist list = { .count = 0 };

	for (uint32_t i = 0; i < p->sites.count; i++) {
		const int64_t old = m->weight[SIDE_OLD][i].bytes;
		const int64_t new = m->weight[SIDE_NEW][i].bytes;
		const struct filtered stack = filter_stack(&e->comparison->filter,
							   p->sites.site[i].stack);

		if (old == 0 && new == 0)
			continue;
		stacklist_set(&list, p, &stack);
		write_names(out, p, &list);
		fprintf(out, " %" PRId64 " %" PRId64 "\n", old, new);
	}
	stacklist_free(&list);
}
