/* massif_text.c -- Prints a massif.out as text, byte for byte as ms_print does: graph, table and
 * trees.
 *
 * For ms_print a '#' begins a comment even in names and command lines (Rust's {closure#0}). These
 * functions cut texts there, too.
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
#include "memusageprint/job/amount.h"
#include "memusageprint/text/graph.h"

static const char dashes[] =
	"----------------------------------------"
	"----------------------------------------\n";

/* Prints the first line of a text up to the comment. */
static void put_until_comment(FILE *out, const char *text)
{
	fwrite(text, 1, strcspn(text, "#\n"), out);
}

static void print_preamble(FILE *out, const struct report_job *job, const struct massif_file *m)
{
	char *arguments = settings_arguments(job->settings, job->file);

	fputs(dashes, out);
	fputs("Command:            ", out);
	put_until_comment(out, m->cmd);
	fputs("\nMassif arguments:  ", out);
	for (const char *line = m->desc; *line; line += strcspn(line, "\n") + 1) {
		put_until_comment(out, line);
		putc('\n', out);
	}
	fprintf(out, "ms_print arguments: %s\n", arguments);
	fputs(dashes, out);
	fputs("\n\n", out);
	free(arguments);
}

/* ms_print counts snapshots and does not use their numbers. */
static void print_snapshot_list(FILE *out, const struct massif_file *m)
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

struct massif_tree {
	FILE *out;
	const struct massif_file *m;
	uint64_t total;		/* bytes of the snapshot */
	double threshold;
	char prefix[2 * MASSIF_DEPTH_MAX + 1];	/* before the names of a level: "| | " */
};

static void print_percentage(struct massif_tree *t, uint64_t bytes)
{
	char number[UNITS_LENGTH];

	fprintf(t->out, "%05.2f%% (%sB)", amount_percent(bytes, t->total),
		units_grouped(number, bytes));
}

static bool is_node_shown(const struct massif_tree *t, const struct massif_node *node)
{
	if (node->depth == 0 || t->threshold == 0)
		return true;
	return t->total > 0 && amount_percent(node->bytes, t->total) >= t->threshold;
}

static void print_hidden_nodes(struct massif_tree *t, unsigned count, uint64_t bytes)
{
	fprintf(t->out, "%s->", t->prefix);
	print_percentage(t, bytes);
	fprintf(t->out, " in %u+ places, all below ms_print's threshold (%05.2f%%)\n%s\n", count,
		t->threshold, t->prefix);
}

static void print_tree_node(struct massif_tree *t, const struct massif_node *node, bool is_visible);

/* A hidden node has visible children if a damaged tree gives a child more than its parent. */
static void print_child_nodes(struct massif_tree *t, const struct massif_node *node,
			      bool is_visible)
{
	size_t length = strlen(t->prefix);
	const struct massif_node *child = node + 1;
	uint64_t hidden_bytes = 0;
	unsigned hidden = 0;

	for (uint32_t left = node->children; left > 0; left--, child += child->size) {
		bool is_child_visible = is_node_shown(t, child);

		if (is_child_visible)
			fprintf(t->out, "%s->", t->prefix);
		hidden += !is_child_visible;
		hidden_bytes += is_child_visible ? 0 : child->bytes;
		strcpy(t->prefix + length, left == 1 ? "  " : "| ");
		print_tree_node(t, child, is_child_visible);
		t->prefix[length] = '\0';
	}
	if (is_visible && hidden > 0)
		print_hidden_nodes(t, hidden, hidden_bytes);
	else if (is_visible && node->children == 0)
		fprintf(t->out, "%s\n", t->prefix);
}

/* The arrow has been printed; the prefix is that of the children. */
static void print_tree_node(struct massif_tree *t, const struct massif_node *node, bool is_visible)
{
	if (is_visible) {
		print_percentage(t, node->bytes);
		put_until_comment(t->out, massif_text(t->m, node));
		putc('\n', t->out);
	}
	print_child_nodes(t, node, is_visible);
}

/* ---- the table --------------------------------------------------------------------------- */

static void print_columns(FILE *out, const char *const column[6])
{
	fprintf(out, "%3s %14s %16s %16s %13s %12s\n", column[0], column[1], column[2], column[3],
		column[4], column[5]);
}

static void print_table_head(FILE *out, enum massif_unit unit)
{
	char time[16];

	snprintf(time, sizeof(time), "time(%s)", massif_unit_name(unit));
	fputs(dashes, out);
	print_columns(out, (const char *const[]){ "n", time, "total(B)", "useful-heap(B)",
						  "extra-heap(B)", "stacks(B)" });
	fputs(dashes, out);
}

static void print_table_row(FILE *out, const struct massif_snapshot *s)
{
	const uint64_t value[6] = { s->number, s->time, massif_total(s), s->heap, s->extra,
				    s->stacks };
	char text[6][UNITS_LENGTH];
	const char *column[6];

	for (int i = 0; i < 6; i++)
		column[i] = units_grouped(text[i], value[i]);
	print_columns(out, column);
}

static void print_snapshot_table(FILE *out, double threshold, const struct massif_file *m)
{
	struct massif_tree *t = xmalloc(sizeof(*t));

	*t = (struct massif_tree){ .out = out, .m = m, .threshold = threshold };
	print_table_head(out, m->unit);
	for (size_t i = 0; i < m->count; i++) {
		const struct massif_snapshot *s = &m->snapshots[i];

		print_table_row(out, s);
		if (s->kind == MASSIF_PLAIN)
			continue;
		t->total = massif_total(s);
		print_tree_node(t, massif_tree(m, s), true);
		if (i + 1 < m->count)
			print_table_head(out, m->unit);
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
		print_snapshot_list(out, &m);
		print_snapshot_table(out, settings->threshold, &m);
	}
	massif_free(&m);
	return result;
}
