/* massif_text.c -- a massif.out as text: graph, table and trees, to the byte as ms_print's.
 *
 * ms_print takes a '#' and what follows it on a line for a comment, in names and command lines
 * too (Rust's {closure#0}); so texts are cut there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/massif_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/units.h"
#include "cli/xmalloc.h"
#include "memusageprint/job/massif_load.h"
#include "memusageprint/text/amount.h"
#include "memusageprint/text/graph.h"

static const char dashes[] =
	"----------------------------------------"
	"----------------------------------------\n";

/* A text, or the first line of several, up to the comment. */
static void put_text(FILE *out, const char *text)
{
	fwrite(text, 1, strcspn(text, "#\n"), out);
}

static void print_preamble(FILE *out, const struct report_job *job, const struct massif_file *m)
{
	char *arguments = settings_arguments(job->settings, job->file);

	fputs(dashes, out);
	fputs("Command:            ", out);
	put_text(out, m->cmd);
	fputs("\nMassif arguments:  ", out);
	for (const char *line = m->desc; *line; line += strcspn(line, "\n") + 1) {
		put_text(out, line);
		putc('\n', out);
	}
	fprintf(out, "ms_print arguments: %s\n", arguments);
	fputs(dashes, out);
	fputs("\n\n", out);
	free(arguments);
}

/* Snapshots are counted here, whatever their numbers are. */
static void print_summary(FILE *out, const struct massif_file *m)
{
	const char *comma = "";
	const struct massif_snapshot *peak = NULL;

	for (size_t i = 0; i < m->count; i++) {
		if (m->snapshots[i].kind == MASSIF_PEAK)
			peak = &m->snapshots[i];
	}
	fprintf(out, "\nNumber of snapshots: %zu\n Detailed snapshots: [", m->count);
	for (size_t i = 0; i < m->count; i++) {
		if (m->snapshots[i].kind == MASSIF_PLAIN)
			continue;
		fprintf(out, "%s%zu%s", comma, i, peak && peak->number == i ? " (peak)" : "");
		comma = ", ";
	}
	fputs("]\n\n", out);
}

/* ---- trees ------------------------------------------------------------------------------- */

/* The prefix holds what stands before the names of a level: "| | ". */
struct tree {
	FILE *out;
	const struct massif_file *m;
	uint64_t total;		/* bytes of the snapshot */
	double threshold;
	char prefix[2 * MASSIF_DEPTH_MAX + 1];
};

static void print_percent(struct tree *t, uint64_t bytes)
{
	char number[UNITS_LENGTH];

	fprintf(t->out, "%05.2f%% (%sB)", amount_percent(bytes, t->total),
		units_grouped(number, bytes));
}

static bool is_shown(const struct tree *t, const struct massif_node *node)
{
	if (node->depth == 0 || t->threshold == 0)
		return true;
	return t->total > 0 && amount_percent(node->bytes, t->total) >= t->threshold;
}

static void print_hidden(struct tree *t, unsigned count, uint64_t bytes)
{
	fprintf(t->out, "%s->", t->prefix);
	print_percent(t, bytes);
	fprintf(t->out, " in %u+ places, all below ms_print's threshold (%05.2f%%)\n%s\n", count,
		t->threshold, t->prefix);
}

static void print_node(struct tree *t, const struct massif_node *node, bool is_visible);

/* What is hidden may still have children that are shown, when a damaged tree gives a child more
 * than its parent. */
static void print_children(struct tree *t, const struct massif_node *node, bool is_visible)
{
	size_t length = strlen(t->prefix);
	const struct massif_node *child = node + 1;
	uint64_t hidden_bytes = 0;
	unsigned hidden = 0;

	for (uint32_t left = node->children; left > 0; left--, child += child->size) {
		bool is_child_visible = is_shown(t, child);

		if (is_child_visible)
			fprintf(t->out, "%s->", t->prefix);
		hidden += !is_child_visible;
		hidden_bytes += is_child_visible ? 0 : child->bytes;
		strcpy(t->prefix + length, left == 1 ? "  " : "| ");
		print_node(t, child, is_child_visible);
		t->prefix[length] = '\0';
	}
	if (is_visible && hidden > 0)
		print_hidden(t, hidden, hidden_bytes);
	else if (is_visible && node->children == 0)
		fprintf(t->out, "%s\n", t->prefix);
}

/* The arrow has been printed; the prefix is that of the children. */
static void print_node(struct tree *t, const struct massif_node *node, bool is_visible)
{
	if (is_visible) {
		print_percent(t, node->bytes);
		put_text(t->out, massif_text(t->m, node));
		putc('\n', t->out);
	}
	print_children(t, node, is_visible);
}

/* ---- the table --------------------------------------------------------------------------- */

static void print_columns(FILE *out, const char *const column[6])
{
	fprintf(out, "%3s %14s %16s %16s %13s %12s\n", column[0], column[1], column[2], column[3],
		column[4], column[5]);
}

static void print_head(FILE *out, enum massif_unit unit)
{
	char time[16];

	snprintf(time, sizeof(time), "time(%s)", massif_unit_name(unit));
	fputs(dashes, out);
	print_columns(out, (const char *const[]){ "n", time, "total(B)", "useful-heap(B)",
						  "extra-heap(B)", "stacks(B)" });
	fputs(dashes, out);
}

static void print_row(FILE *out, const struct massif_snapshot *s)
{
	const uint64_t value[6] = { s->number, s->time, massif_total(s), s->heap, s->extra,
				    s->stacks };
	char text[6][UNITS_LENGTH];
	const char *column[6];

	for (int i = 0; i < 6; i++)
		column[i] = units_grouped(text[i], value[i]);
	print_columns(out, column);
}

static void print_table(FILE *out, double threshold, const struct massif_file *m)
{
	struct tree *t = xmalloc(sizeof(*t));

	*t = (struct tree){ .out = out, .m = m, .threshold = threshold };
	print_head(out, m->unit);
	for (size_t i = 0; i < m->count; i++) {
		const struct massif_snapshot *s = &m->snapshots[i];

		print_row(out, s);
		if (s->kind == MASSIF_PLAIN)
			continue;
		t->total = massif_total(s);
		print_node(t, massif_tree(m, s), true);
		if (i + 1 < m->count)
			print_head(out, m->unit);
	}
	free(t);
}

int massif_text_print(const struct report_job *job)
{
	const struct settings *settings = job->settings;
	struct massif_file m;
	int result = massif_load(&m, job->in);

	if (m.count > 0) {
		FILE *out = report_job_begin(job);

		print_preamble(out, job, &m);
		graph_print(out, &m, settings->columns, settings->rows);
		print_summary(out, &m);
		print_table(out, settings->threshold, &m);
	}
	massif_free(&m);
	return result;
}
