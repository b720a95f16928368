/* dhat_text.c -- A profile of DHAT as text, with the content of DHAT's viewer.
 *
 * Source  dh_view.html of Valgrind 3.19, observed; tests/real/dhat_view.t compares.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/dhat/dhat_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/terminal.h"
#include "cli/xmalloc.h"
#include "memusageprint/export/dhat_export.h"
#include "memusageprint/dhat/dhat_metric.h"
#include "memusageprint/dhat/dhat_number.h"
#include "memusageprint/dhat/dhat_tree.h"

enum {
	DEPTH_MAX = 1000,	/* levels that are printed */
	PER_LINE = 32		/* access counts */
};

struct dhat_printer {
	FILE *out;
	struct dhat_tree tree;
	const struct dhat *d;
	enum dhat_metric metric;
	unsigned bold;
	char *lines;		/* the tree's lines before the text of a line */
	size_t length, room;
	uint32_t number[DEPTH_MAX + 1];	/* "1.2.3" of the node */
	uint32_t depth;
};

/* ---- pieces ------------------------------------------------------------------------------ */

static void put_number_with_unit(const struct dhat_printer *p, double value, const char *unit)
{
	char text[DHAT_NUMBER_LENGTH];

	fprintf(p->out, "%s ", dhat_number(text, value));
	terminal_put(p->out, unit);
}

static void put_percentage(const struct dhat_printer *p, double a, double b)
{
	char text[DHAT_NUMBER_LENGTH];

	fputs(dhat_percent(text, a, b), p->out);
}

/* "12 bytes (3.4%, 5.6/Minstr)"; the rate is optional. */
static void put_amount_of_whole(const struct dhat_printer *p, uint64_t value, uint64_t whole,
				const char *unit,
				bool has_rate)
{
	char text[DHAT_NUMBER_LENGTH];

	put_number_with_unit(p, (double)value, unit);
	fputs(" (", p->out);
	put_percentage(p, (double)value, (double)whole);
	if (has_rate) {
		fprintf(p->out, ", %s/", dhat_number(text, dhat_ratio(1e6 * (double)value,
								      (double)p->d->end_time)));
		terminal_put(p->out, p->d->time_mega);
	}
	putc(')', p->out);
}

static void put_average_size(const struct dhat_printer *p, uint64_t bytes, uint64_t blocks)
{
	fputs("avg size ", p->out);
	put_number_with_unit(p, dhat_ratio((double)bytes, (double)blocks), dhat_bytes_word(p->d));
}

/* Ends a line, and begins the next one with the tree's lines. */
static void put_line_end(const struct dhat_printer *p)
{
	putc('\n', p->out);
	fwrite(p->lines, 1, p->length, p->out);
}

/* ---- lines of a node ---------------------------------------------------------------------- */

static bool is_part_shown(const struct dhat_printer *p, bool is_self, unsigned bold)
{
	return is_self || p->bold & bold;
}

static void put_mean_lifetime(const struct dhat_printer *p, const struct dhat_point *sum)
{
	double mean = dhat_ratio((double)sum->lifetimes, (double)sum->total_blocks);

	fputs(", avg lifetime ", p->out);
	put_number_with_unit(p, mean, p->d->time_unit);
	fputs(" (", p->out);
	put_percentage(p, mean, (double)p->d->end_time);
	fputs(" of program duration)", p->out);
}

static void put_total_line(const struct dhat_printer *p, const struct dhat_point *sum, bool is_self)
{
	const struct dhat_point *root = &p->tree.node[0].sum;

	if (!is_part_shown(p, is_self, BOLD_TOTAL_BYTES | BOLD_TOTAL_BLOCKS))
		return;
	fputs("  Total:     ", p->out);
	if (is_part_shown(p, is_self, BOLD_TOTAL_BYTES))
		put_amount_of_whole(p, sum->total_bytes, root->total_bytes, dhat_bytes_word(p->d),
				    true);
	if (is_self)
		fputs(" in ", p->out);
	if (is_part_shown(p, is_self, BOLD_TOTAL_BLOCKS))
		put_amount_of_whole(p, sum->total_blocks, root->total_blocks,
				    dhat_blocks_word(p->d), true);
	if (is_part_shown(p, is_self, BOLD_SIZE)) {
		fputs(", ", p->out);
		put_average_size(p, sum->total_bytes, sum->total_blocks);
	}
	if (p->d->has_lifetimes && is_part_shown(p, is_self, BOLD_LIFETIME))
		put_mean_lifetime(p, sum);
	put_line_end(p);
}

static void put_maximum(const struct dhat_printer *p, const struct dhat_point *sum)
{
	fputs("  Max:       ", p->out);
	put_number_with_unit(p, (double)sum->max_bytes, dhat_bytes_word(p->d));
	fputs(" in ", p->out);
	put_number_with_unit(p, (double)sum->max_blocks, dhat_blocks_word(p->d));
	fputs(", ", p->out);
	put_average_size(p, sum->max_bytes, sum->max_blocks);
	put_line_end(p);
}

static void put_live_amount(const struct dhat_printer *p, const char *label,
			    const uint64_t value[2],
			    const uint64_t whole[2], bool is_self)
{
	fputs(label, p->out);
	put_amount_of_whole(p, value[0], whole[0], dhat_bytes_word(p->d), false);
	if (is_self) {
		fputs(" in ", p->out);
		put_amount_of_whole(p, value[1], whole[1], dhat_blocks_word(p->d), false);
		fputs(", ", p->out);
		put_average_size(p, value[0], value[1]);
	}
	put_line_end(p);
}

static void put_live_amounts(const struct dhat_printer *p, const struct dhat_node *n, bool is_self)
{
	const struct dhat_point *s = &n->sum, *root = &p->tree.node[0].sum;
	bool is_leaf = n->children == 0 && n->last - n->first == 1 && n != &p->tree.node[0];

	if (is_self && is_leaf)
		put_maximum(p, s);
	if (is_part_shown(p, is_self, BOLD_GMAX))
		put_live_amount(p, "  At t-gmax: ", (uint64_t[]){ s->peak_bytes, s->peak_blocks },
				(uint64_t[]){ root->peak_bytes, root->peak_blocks }, is_self);
	if (is_part_shown(p, is_self, BOLD_END))
		put_live_amount(p, "  At t-end:  ", (uint64_t[]){ s->end_bytes, s->end_blocks },
				(uint64_t[]){ root->end_bytes, root->end_blocks }, is_self);
}

static void put_access_line(const struct dhat_printer *p, const char *label, uint64_t bytes,
			    uint64_t whole,
			    uint64_t total, unsigned parts)
{
	char text[DHAT_NUMBER_LENGTH];

	fputs(label, p->out);
	if (parts & BOLD_READS)
		put_amount_of_whole(p, bytes, whole, dhat_bytes_word(p->d), true);
	if ((parts & (BOLD_READS | BOLD_READS_EACH)) == (BOLD_READS | BOLD_READS_EACH))
		fputs(", ", p->out);
	if (parts & BOLD_READS_EACH)
		fprintf(p->out, "%s/%s", dhat_number(text, dhat_ratio((double)bytes,
								      (double)total)),
			dhat_byte_word(p->d));
	put_line_end(p);
}

/* Returns which parts of an access line to print, as the bits of reads. */
static unsigned access_parts(const struct dhat_printer *p, bool is_self, unsigned bytes,
			     unsigned each)
{
	return (is_part_shown(p, is_self, bytes) ? BOLD_READS : 0) |
	       (is_part_shown(p, is_self, each) ? BOLD_READS_EACH : 0);
}

static void put_accesses(const struct dhat_printer *p, const struct dhat_point *s, bool is_self)
{
	const struct dhat_point *root = &p->tree.node[0].sum;
	unsigned reads = access_parts(p, is_self, BOLD_READS, BOLD_READS_EACH);
	unsigned writes = access_parts(p, is_self, BOLD_WRITES, BOLD_WRITES_EACH);

	if (reads)
		put_access_line(p, "  Reads:     ", s->read_bytes, root->read_bytes, s->total_bytes,
				reads);
	if (writes)
		put_access_line(p, "  Writes:    ", s->written_bytes, root->written_bytes,
				s->total_bytes, writes);
}

/* ---- access counts ------------------------------------------------------------------------ */

#define OR_MORE UINT64_MAX

/* Returns the sums over a node's points, for the caller to free; NULL unless all points have blocks
 * of the same size. */
static uint64_t *sum_access_counts(const struct dhat_printer *p, const struct dhat_node *n,
				   uint32_t *counts)
{
	const struct dhat *d = p->d;
	uint64_t *sum;

	*counts = n->first < n->last ? d->point[p->tree.order[n->first]].counts : 0;
	for (uint32_t i = n->first; i < n->last; i++) {
		if (d->point[p->tree.order[i]].counts != *counts)
			*counts = 0;
	}
	if (*counts == 0)
		return NULL;
	sum = xcalloc(*counts, sizeof(*sum));
	for (uint32_t i = n->first; i < n->last; i++) {
		const uint16_t *add = d->access + d->point[p->tree.order[i]].first_count;

		for (uint32_t k = 0; k < *counts; k++) {
			if (add[k] == DHAT_COUNT_MAX || sum[k] == OR_MORE)
				sum[k] = OR_MORE;
			else
				sum[k] += add[k];
		}
	}
	return sum;
}

static void put_access_count(const struct dhat_printer *p, uint64_t count)
{
	if (count == 0)
		fputs("- ", p->out);
	else if (count == OR_MORE)
		fputs("\xe2\x88\x9e ", p->out);
	else
		fprintf(p->out, "%" PRIu64 " ", count);
}

static void put_access_counts(const struct dhat_printer *p, const struct dhat_node *n)
{
	uint32_t counts;
	uint64_t *sum = sum_access_counts(p, n, &counts);

	if (!sum)
		return;
	fputs("  Accesses: {", p->out);
	for (uint32_t i = 0; i < counts; i++) {
		if (i % PER_LINE == 0) {
			put_line_end(p);
			fprintf(p->out, "    [%3" PRIu32 "]  ", i);
			put_access_count(p, sum[i]);
		} else if (sum[i] && sum[i] == sum[i - 1]) {
			fputs("\xe3\x80\x83 ", p->out);
		} else {
			put_access_count(p, sum[i]);
		}
	}
	put_line_end(p);
	fputs("  }", p->out);
	put_line_end(p);
	free(sum);
}

/* ---- frames ------------------------------------------------------------------------------- */

static void put_node_frames(const struct dhat_printer *p, const struct dhat_node *n, bool is_self)
{
	bool is_root = n == &p->tree.node[0];
	uint32_t point = n->first < n->last ? p->tree.order[n->first] : 0;

	if (is_root) {
		fputs("    #0: [root]", p->out);
		put_line_end(p);
	}
	for (uint32_t i = is_self ? 0 : n->from; i < n->to; i++) {
		fprintf(p->out, "    %c%" PRIu32 ": ", i < n->from ? '^' : '#', i + 1);
		terminal_put(p->out, dhat_text(p->d, dhat_tree_frame(&p->tree, point, i)));
		put_line_end(p);
	}
}

/* ---- the tree ----------------------------------------------------------------------------- */

/* The nodes shown below a node: the significant ones, and one that sums up all the others. */
struct shown_children {
	struct dhat_node rest;
	uint32_t merged;	/* nodes that the rest sums up */
	uint32_t count;		/* nodes that are shown, with the rest */
	uint32_t place;		/* index of the rest among them */
};

static bool sorts_before(const struct dhat_printer *p, const struct dhat_node *a,
			 const struct dhat_node *b)
{
	double x = dhat_metric_value(p->metric, &a->sum), y = dhat_metric_value(p->metric, &b->sum);

	if (x != y)
		return x > y;
	if (a->sum.total_bytes != b->sum.total_bytes)
		return a->sum.total_bytes > b->sum.total_bytes;
	return a->birth < b->birth;
}

static void add_to_rest(struct dhat_node *rest, const struct dhat_node *n)
{
	rest->sum.total_bytes += n->sum.total_bytes;
	rest->sum.total_blocks += n->sum.total_blocks;
	rest->sum.lifetimes += n->sum.lifetimes;
	rest->sum.peak_bytes += n->sum.peak_bytes;
	rest->sum.end_bytes += n->sum.end_bytes;
	rest->sum.read_bytes += n->sum.read_bytes;
	rest->sum.written_bytes += n->sum.written_bytes;
	if (n->birth < rest->birth)
		rest->birth = n->birth;
}

static struct shown_children choose_children(const struct dhat_printer *p,
					     const struct dhat_node *n)
{
	const struct dhat_node *child = p->tree.node + n->child;
	struct shown_children s = { .rest = { .birth = UINT32_MAX } };

	for (uint32_t i = 0; i < n->children; i++) {
		if (child[i].weight == DHAT_NOT) {
			add_to_rest(&s.rest, &child[i]);
			s.merged++;
		} else {
			s.count++;
		}
	}
	for (uint32_t i = 0; s.merged && i < n->children; i++)
		s.place += child[i].weight != DHAT_NOT && sorts_before(p, &child[i], &s.rest);
	s.count += s.merged > 0;
	return s;
}

static void put_node_head(const struct dhat_printer *p, uint32_t siblings,
			  const struct shown_children *below)
{
	fputs(below->count ? "\xe2\x96\xbc PP " : "\xe2\x94\x80 PP ", p->out);
	for (uint32_t i = 0; i <= p->depth; i++)
		fprintf(p->out, "%s%" PRIu32, i ? "." : "", p->number[i]);
	fprintf(p->out, "/%" PRIu32 " ", siblings);
	if (below->count)
		fprintf(p->out, "(%" PRIu32 " children) ", below->count);
	putc('{', p->out);
	put_line_end(p);
}

static void put_allocation_verb(const struct dhat_printer *p)
{
	fputs("  ", p->out);
	terminal_put(p->out, p->d->verb);
	fputs(" at {", p->out);
	put_line_end(p);
}

/* MERGED is 0 for a real node. */
static void put_node_text(const struct dhat_printer *p, const struct dhat_node *n,
			  uint32_t siblings,
			  const struct shown_children *below, uint32_t merged)
{
	bool is_self = n->weight == DHAT_SELF;

	put_node_head(p, siblings, below);
	put_total_line(p, &n->sum, is_self);
	if (p->d->has_lifetimes)
		put_live_amounts(p, n, is_self);
	if (p->d->has_accesses)
		put_accesses(p, &n->sum, is_self);
	if (p->d->has_accesses && is_self && !merged)
		put_access_counts(p, n);
	put_allocation_verb(p);
	if (merged) {
		fprintf(p->out, "    [%" PRIu32 " insignificant]", merged);
		put_line_end(p);
	} else {
		put_node_frames(p, n, is_self);
	}
	fputs("  }", p->out);
	put_line_end(p);
	fputs("}\n", p->out);
}

/* Sets the lines of the tree for the next lines; the first line of a node has others. */
static void set_line_prefix(struct dhat_printer *p, size_t length, const char *more)
{
	size_t size = strlen(more);

	if (length + size + 1 > p->room)
		p->lines = xreallocarray(p->lines, p->room = 2 * (length + size + 1), 1);
	memcpy(p->lines + length, more, size);
	p->length = length + size;
}

static void put_subtree(struct dhat_printer *p, const struct dhat_node *n, uint32_t siblings);

static void put_children(struct dhat_printer *p, const struct dhat_node *n,
			 const struct shown_children *s)
{
	static const struct shown_children none;
	size_t length = p->length;

	for (uint32_t i = 0, next = 0; i < s->count; i++) {
		bool is_last = i + 1 == s->count;

		fwrite(p->lines, 1, length, p->out);
		fputs(is_last ? "\xe2\x94\x94\xe2\x94\x80" : "\xe2\x94\x9c\xe2\x94\x80", p->out);
		set_line_prefix(p, length, is_last ? "    " : "\xe2\x94\x82   ");
		p->number[p->depth] = i + 1;
		if (s->merged && i == s->place) {
			put_node_text(p, &s->rest, s->count, &none, s->merged);
			continue;
		}
		while (p->tree.node[n->child + next].weight == DHAT_NOT)
			next++;
		put_subtree(p, &p->tree.node[n->child + next++], s->count);
	}
	p->length = length;
}

static void put_subtree(struct dhat_printer *p, const struct dhat_node *n, uint32_t siblings)
{
	struct shown_children s = choose_children(p, n);

	put_node_text(p, n, siblings, &s, 0);
	if (p->depth == DEPTH_MAX || s.count == 0)
		return;
	p->depth++;
	put_children(p, n, &s);
	p->depth--;
}

/* ---- before and after the tree ------------------------------------------------------------ */

static void put_invocation(const struct dhat_printer *p, const char *grep)
{
	fputs("Invocation {\n  Mode:    ", p->out);
	terminal_put(p->out, p->d->mode);
	fputs("\n  Command: ", p->out);
	terminal_put(p->out, p->d->command);
	fprintf(p->out, "\n  PID:     %" PRIu64 "\n}\n\n", p->d->pid);
	if (grep) {
		fprintf(p->out, "Only %" PRIu32 " of %" PRIu32 " stacks, with \"", p->tree.points,
			p->d->count);
		terminal_put(p->out, grep);
		fputs("\" in a frame\n\n", p->out);
	}
}

static void put_run_times(const struct dhat_printer *p)
{
	fputs("Times {\n", p->out);
	if (p->d->has_lifetimes) {
		fputs("  t-gmax: ", p->out);
		put_number_with_unit(p, (double)p->d->peak_time, p->d->time_unit);
		fputs(" (", p->out);
		put_percentage(p, (double)p->d->peak_time, (double)p->d->end_time);
		fputs(" of program duration)\n", p->out);
	}
	fputs("  t-end:  ", p->out);
	put_number_with_unit(p, (double)p->d->end_time, p->d->time_unit);
	fputs("\n}\n\n", p->out);
}

/* Prints the entries of the viewer's legend that the profile needs. */
static void put_legend(const struct dhat_printer *p)
{
	fputs("\nLegend:\n", p->out);
	if (p->d->has_lifetimes)
		fputs("  t-gmax: time of the heap's maximum, in bytes\n", p->out);
	fputs("  t-end: time of the program's end\n", p->out);
	fputs("  /", p->out);
	terminal_put(p->out, p->d->time_mega);
	fputs(": per million ", p->out);
	terminal_put(p->out, p->d->time_unit);
	fputs("\n  PP: program point; avg: average\n", p->out);
	fputs("  ^: a frame of the node above; #: one of its own\n", p->out);
	if (p->d->has_accesses)
		fputs("  in accesses: - none, \xe3\x80\x83 as the one before, \xe2\x88\x9e 65535 "
		      "or more\n", p->out);
}

int dhat_text_put(FILE *out, const struct dhat *d, const struct settings *settings,
		  const char *name)
{
	struct dhat_printer p = { .out = out, .d = d, .metric = (enum dhat_metric)settings->sort };

	if (!dhat_metric_is_there(p.metric, d)) {
		warn("%s: holds no %s: --sort needs another metric", name,
		     d->has_lifetimes ? "reads and writes" : "lifetimes, reads and writes");
		return -1;
	}
	p.bold = dhat_metric_bold(p.metric);
	dhat_tree_build(&p.tree, d, settings->invert, settings->grep);
	dhat_tree_weigh(&p.tree, p.metric, settings->threshold);
	put_invocation(&p, settings->grep);
	put_run_times(&p);
	p.number[0] = 1;
	set_line_prefix(&p, 0, "  ");
	put_subtree(&p, &p.tree.node[0], 1);
	fputs("\nPP significance threshold: ", out);
	dhat_metric_put_threshold(out, p.metric, &p.tree.node[0].sum, d, settings->threshold);
	putc('\n', out);
	put_legend(&p);
	dhat_tree_free(&p.tree);
	free(p.lines);
	return 0;
}

int dhat_text_print(const struct report_job *job)
{
	struct mu_error err;
	struct dhat d;
	int result = -1;

	if (dhat_read(&d, &job->in->text, &err) < 0)
		warn("%s: %s", job->in->name, err.text);
	else
		result = dhat_text_put(report_job_begin(job), &d, job->settings, job->in->name);
	dhat_free(&d);
	return result;
}

int dhat_text_print_image(FILE *out, struct report_subject *s, const struct settings *settings)
{
	struct dhat d;
	int result = dhat_export_load(&d, s, settings);

	if (result == 0)
		result = dhat_text_put(out, &d, settings, s->recording->name);
	dhat_free(&d);
	return result;
}
