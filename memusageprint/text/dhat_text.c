/* dhat_text.c -- a profile of DHAT as text: what its viewer shows.
 *
 * Source  dh_view.html of Valgrind 3.19, observed; tests/real/dhat_view.t compares.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/dhat_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/terminal.h"
#include "cli/xmalloc.h"
#include "memusageprint/export/dhat_export.h"
#include "memusageprint/text/dhat_metric.h"
#include "memusageprint/text/dhat_number.h"
#include "memusageprint/text/dhat_tree.h"

enum {
	DEPTH_MAX = 1000,	/* levels that are printed */
	PER_LINE = 32		/* access counts */
};

struct printer {
	FILE *out;
	struct dhat_tree tree;
	const struct dhat *d;
	enum dhat_metric metric;
	unsigned bold;
	char *lines;		/* the tree's lines in front of what is printed */
	size_t length, room;
	uint32_t number[DEPTH_MAX + 1];	/* "1.2.3" of the node */
	uint32_t depth;
};

/* ---- pieces ------------------------------------------------------------------------------ */

static void put_number(const struct printer *p, double value, const char *unit)
{
	char text[DHAT_NUMBER_LENGTH];

	fprintf(p->out, "%s ", dhat_number(text, value));
	terminal_put(p->out, unit);
}

static void put_percent(const struct printer *p, double a, double b)
{
	char text[DHAT_NUMBER_LENGTH];

	fputs(dhat_percent(text, a, b), p->out);
}

/* "12 bytes (3.4%, 5.6/Minstr)"; without the rate if it says nothing. */
static void put_part(const struct printer *p, uint64_t value, uint64_t whole, const char *unit,
		     bool has_rate)
{
	char text[DHAT_NUMBER_LENGTH];

	put_number(p, (double)value, unit);
	fputs(" (", p->out);
	put_percent(p, (double)value, (double)whole);
	if (has_rate) {
		fprintf(p->out, ", %s/", dhat_number(text, dhat_ratio(1e6 * (double)value,
								      (double)p->d->end_time)));
		terminal_put(p->out, p->d->time_mega);
	}
	putc(')', p->out);
}

static void put_size(const struct printer *p, uint64_t bytes, uint64_t blocks)
{
	fputs("avg size ", p->out);
	put_number(p, dhat_ratio((double)bytes, (double)blocks), dhat_bytes_word(p->d));
}

/* The end of a line, and the tree's lines in front of the next one. */
static void next_line(const struct printer *p)
{
	putc('\n', p->out);
	fwrite(p->lines, 1, p->length, p->out);
}

/* ---- lines of a node ---------------------------------------------------------------------- */

static bool shows(const struct printer *p, bool is_self, unsigned bold)
{
	return is_self || p->bold & bold;
}

static void put_lifetime(const struct printer *p, const struct dhat_point *sum)
{
	double mean = dhat_ratio((double)sum->lifetimes, (double)sum->total_blocks);

	fputs(", avg lifetime ", p->out);
	put_number(p, mean, p->d->time_unit);
	fputs(" (", p->out);
	put_percent(p, mean, (double)p->d->end_time);
	fputs(" of program duration)", p->out);
}

static void put_total(const struct printer *p, const struct dhat_point *sum, bool is_self)
{
	const struct dhat_point *root = &p->tree.node[0].sum;

	if (!shows(p, is_self, BOLD_TOTAL_BYTES | BOLD_TOTAL_BLOCKS))
		return;
	fputs("  Total:     ", p->out);
	if (shows(p, is_self, BOLD_TOTAL_BYTES))
		put_part(p, sum->total_bytes, root->total_bytes, dhat_bytes_word(p->d), true);
	if (is_self)
		fputs(" in ", p->out);
	if (shows(p, is_self, BOLD_TOTAL_BLOCKS))
		put_part(p, sum->total_blocks, root->total_blocks, dhat_blocks_word(p->d), true);
	if (shows(p, is_self, BOLD_SIZE)) {
		fputs(", ", p->out);
		put_size(p, sum->total_bytes, sum->total_blocks);
	}
	if (p->d->has_lifetimes && shows(p, is_self, BOLD_LIFETIME))
		put_lifetime(p, sum);
	next_line(p);
}

static void put_max(const struct printer *p, const struct dhat_point *sum)
{
	fputs("  Max:       ", p->out);
	put_number(p, (double)sum->max_bytes, dhat_bytes_word(p->d));
	fputs(" in ", p->out);
	put_number(p, (double)sum->max_blocks, dhat_blocks_word(p->d));
	fputs(", ", p->out);
	put_size(p, sum->max_bytes, sum->max_blocks);
	next_line(p);
}

static void put_live(const struct printer *p, const char *label, const uint64_t value[2],
		     const uint64_t whole[2], bool is_self)
{
	fputs(label, p->out);
	put_part(p, value[0], whole[0], dhat_bytes_word(p->d), false);
	if (is_self) {
		fputs(" in ", p->out);
		put_part(p, value[1], whole[1], dhat_blocks_word(p->d), false);
		fputs(", ", p->out);
		put_size(p, value[0], value[1]);
	}
	next_line(p);
}

static void put_lives(const struct printer *p, const struct dhat_node *n, bool is_self)
{
	const struct dhat_point *s = &n->sum, *root = &p->tree.node[0].sum;
	bool is_leaf = n->children == 0 && n->last - n->first == 1 && n != &p->tree.node[0];

	if (is_self && is_leaf)
		put_max(p, s);
	if (shows(p, is_self, BOLD_GMAX))
		put_live(p, "  At t-gmax: ", (uint64_t[]){ s->peak_bytes, s->peak_blocks },
			 (uint64_t[]){ root->peak_bytes, root->peak_blocks }, is_self);
	if (shows(p, is_self, BOLD_END))
		put_live(p, "  At t-end:  ", (uint64_t[]){ s->end_bytes, s->end_blocks },
			 (uint64_t[]){ root->end_bytes, root->end_blocks }, is_self);
}

static void put_reads(const struct printer *p, const char *label, uint64_t bytes, uint64_t whole,
		      uint64_t total, unsigned parts)
{
	char text[DHAT_NUMBER_LENGTH];

	fputs(label, p->out);
	if (parts & BOLD_READS)
		put_part(p, bytes, whole, dhat_bytes_word(p->d), true);
	if ((parts & (BOLD_READS | BOLD_READS_EACH)) == (BOLD_READS | BOLD_READS_EACH))
		fputs(", ", p->out);
	if (parts & BOLD_READS_EACH)
		fprintf(p->out, "%s/%s", dhat_number(text, dhat_ratio((double)bytes,
								      (double)total)),
			dhat_byte_word(p->d));
	next_line(p);
}

/* The bits of writes, as those of reads. */
static unsigned parts_of(const struct printer *p, bool is_self, unsigned bytes, unsigned each)
{
	return (shows(p, is_self, bytes) ? BOLD_READS : 0) |
	       (shows(p, is_self, each) ? BOLD_READS_EACH : 0);
}

static void put_accessed(const struct printer *p, const struct dhat_point *s, bool is_self)
{
	const struct dhat_point *root = &p->tree.node[0].sum;
	unsigned reads = parts_of(p, is_self, BOLD_READS, BOLD_READS_EACH);
	unsigned writes = parts_of(p, is_self, BOLD_WRITES, BOLD_WRITES_EACH);

	if (reads)
		put_reads(p, "  Reads:     ", s->read_bytes, root->read_bytes, s->total_bytes,
			  reads);
	if (writes)
		put_reads(p, "  Writes:    ", s->written_bytes, root->written_bytes,
			  s->total_bytes, writes);
}

/* ---- access counts ------------------------------------------------------------------------ */

#define OR_MORE UINT64_MAX

/* The sum over a node's points, if all have blocks of one size; to be freed. */
static uint64_t *sum_counts(const struct printer *p, const struct dhat_node *n, uint32_t *counts)
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

static void put_count(const struct printer *p, uint64_t count)
{
	if (count == 0)
		fputs("- ", p->out);
	else if (count == OR_MORE)
		fputs("\xe2\x88\x9e ", p->out);
	else
		fprintf(p->out, "%" PRIu64 " ", count);
}

static void put_counts(const struct printer *p, const struct dhat_node *n)
{
	uint32_t counts;
	uint64_t *sum = sum_counts(p, n, &counts);

	if (!sum)
		return;
	fputs("  Accesses: {", p->out);
	for (uint32_t i = 0; i < counts; i++) {
		if (i % PER_LINE == 0) {
			next_line(p);
			fprintf(p->out, "    [%3" PRIu32 "]  ", i);
			put_count(p, sum[i]);
		} else if (sum[i] && sum[i] == sum[i - 1]) {
			fputs("\xe3\x80\x83 ", p->out);
		} else {
			put_count(p, sum[i]);
		}
	}
	next_line(p);
	fputs("  }", p->out);
	next_line(p);
	free(sum);
}

/* ---- frames ------------------------------------------------------------------------------- */

static void put_frames(const struct printer *p, const struct dhat_node *n, bool is_self)
{
	bool is_root = n == &p->tree.node[0];
	uint32_t point = n->first < n->last ? p->tree.order[n->first] : 0;

	if (is_root) {
		fputs("    #0: [root]", p->out);
		next_line(p);
	}
	for (uint32_t i = is_self ? 0 : n->from; i < n->to; i++) {
		fprintf(p->out, "    %c%" PRIu32 ": ", i < n->from ? '^' : '#', i + 1);
		terminal_put(p->out, dhat_text(p->d, dhat_tree_frame(&p->tree, point, i)));
		next_line(p);
	}
}

/* ---- the tree ----------------------------------------------------------------------------- */

/* What is shown below a node: those that matter, and one that stands for all the others. */
struct shown {
	struct dhat_node rest;
	uint32_t merged;	/* how many it stands for */
	uint32_t count;		/* of all that is shown */
	uint32_t place;		/* of the rest among them */
};

static bool comes_first(const struct printer *p, const struct dhat_node *a,
			const struct dhat_node *b)
{
	double x = dhat_metric_value(p->metric, &a->sum), y = dhat_metric_value(p->metric, &b->sum);

	if (x != y)
		return x > y;
	if (a->sum.total_bytes != b->sum.total_bytes)
		return a->sum.total_bytes > b->sum.total_bytes;
	return a->birth < b->birth;
}

static void add_rest(struct dhat_node *rest, const struct dhat_node *n)
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

static struct shown show(const struct printer *p, const struct dhat_node *n)
{
	const struct dhat_node *child = p->tree.node + n->child;
	struct shown s = { .rest = { .birth = UINT32_MAX } };

	for (uint32_t i = 0; i < n->children; i++) {
		if (child[i].weight == DHAT_NOT) {
			add_rest(&s.rest, &child[i]);
			s.merged++;
		} else {
			s.count++;
		}
	}
	for (uint32_t i = 0; s.merged && i < n->children; i++)
		s.place += child[i].weight != DHAT_NOT && comes_first(p, &child[i], &s.rest);
	s.count += s.merged > 0;
	return s;
}

static void put_head(const struct printer *p, uint32_t siblings, const struct shown *below)
{
	fputs(below->count ? "\xe2\x96\xbc PP " : "\xe2\x94\x80 PP ", p->out);
	for (uint32_t i = 0; i <= p->depth; i++)
		fprintf(p->out, "%s%" PRIu32, i ? "." : "", p->number[i]);
	fprintf(p->out, "/%" PRIu32 " ", siblings);
	if (below->count)
		fprintf(p->out, "(%" PRIu32 " children) ", below->count);
	putc('{', p->out);
	next_line(p);
}

static void put_verb(const struct printer *p)
{
	fputs("  ", p->out);
	terminal_put(p->out, p->d->verb);
	fputs(" at {", p->out);
	next_line(p);
}

/* `merged` is 0 for a real node. */
static void put_node(const struct printer *p, const struct dhat_node *n, uint32_t siblings,
		     const struct shown *below, uint32_t merged)
{
	bool is_self = n->weight == DHAT_SELF;

	put_head(p, siblings, below);
	put_total(p, &n->sum, is_self);
	if (p->d->has_lifetimes)
		put_lives(p, n, is_self);
	if (p->d->has_accesses)
		put_accessed(p, &n->sum, is_self);
	if (p->d->has_accesses && is_self && !merged)
		put_counts(p, n);
	put_verb(p);
	if (merged) {
		fprintf(p->out, "    [%" PRIu32 " insignificant]", merged);
		next_line(p);
	} else {
		put_frames(p, n, is_self);
	}
	fputs("  }", p->out);
	next_line(p);
	fputs("}\n", p->out);
}

/* Lines of the tree in front of what follows: the first line of a node has others. */
static void set_lines(struct printer *p, size_t length, const char *more)
{
	size_t size = strlen(more);

	if (length + size + 1 > p->room)
		p->lines = xreallocarray(p->lines, p->room = 2 * (length + size + 1), 1);
	memcpy(p->lines + length, more, size);
	p->length = length + size;
}

static void put_tree(struct printer *p, const struct dhat_node *n, uint32_t siblings);

static void put_below(struct printer *p, const struct dhat_node *n, const struct shown *s)
{
	static const struct shown none;
	size_t length = p->length;

	for (uint32_t i = 0, next = 0; i < s->count; i++) {
		bool is_last = i + 1 == s->count;

		fwrite(p->lines, 1, length, p->out);
		fputs(is_last ? "\xe2\x94\x94\xe2\x94\x80" : "\xe2\x94\x9c\xe2\x94\x80", p->out);
		set_lines(p, length, is_last ? "    " : "\xe2\x94\x82   ");
		p->number[p->depth] = i + 1;
		if (s->merged && i == s->place) {
			put_node(p, &s->rest, s->count, &none, s->merged);
			continue;
		}
		while (p->tree.node[n->child + next].weight == DHAT_NOT)
			next++;
		put_tree(p, &p->tree.node[n->child + next++], s->count);
	}
	p->length = length;
}

static void put_tree(struct printer *p, const struct dhat_node *n, uint32_t siblings)
{
	struct shown s = show(p, n);

	put_node(p, n, siblings, &s, 0);
	if (p->depth == DEPTH_MAX || s.count == 0)
		return;
	p->depth++;
	put_below(p, n, &s);
	p->depth--;
}

/* ---- around it ---------------------------------------------------------------------------- */

static void put_invocation(const struct printer *p, const char *grep)
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

static void put_times(const struct printer *p)
{
	fputs("Times {\n", p->out);
	if (p->d->has_lifetimes) {
		fputs("  t-gmax: ", p->out);
		put_number(p, (double)p->d->peak_time, p->d->time_unit);
		fputs(" (", p->out);
		put_percent(p, (double)p->d->peak_time, (double)p->d->end_time);
		fputs(" of program duration)\n", p->out);
	}
	fputs("  t-end:  ", p->out);
	put_number(p, (double)p->d->end_time, p->d->time_unit);
	fputs("\n}\n\n", p->out);
}

/* Of the viewer's legend what the profile needs. */
static void put_legend(const struct printer *p)
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
	struct printer p = { .out = out, .d = d, .metric = (enum dhat_metric)settings->sort };

	if (!dhat_metric_is_there(p.metric, d)) {
		warn("%s: holds no %s: --sort needs another metric", name,
		     d->has_lifetimes ? "reads and writes" : "lifetimes, reads and writes");
		return -1;
	}
	p.bold = dhat_metric_bold(p.metric);
	dhat_tree_build(&p.tree, d, settings->invert, settings->grep);
	dhat_tree_weigh(&p.tree, p.metric, settings->threshold);
	put_invocation(&p, settings->grep);
	put_times(&p);
	p.number[0] = 1;
	set_lines(&p, 0, "  ");
	put_tree(&p, &p.tree.node[0], 1);
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
