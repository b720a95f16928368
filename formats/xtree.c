/* xtree.c -- the memory report that Valgrind's --xtree-memory writes: who holds, allocated, freed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/xtree.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/xmalloc.h"
#include "formats/base/bounds.h"
#include "formats/base/utf8.h"
#include "formats/massif.h"
#include "profile/model/massif_lines.h"
#include "profile/model/tree.h"

enum { EVENTS = 6, EVENTS_ALLOCS = 2, DEPTH_MORE = 49, CALLED = 4 };

/* As Valgrind's own reports have it, so that each place is shown. */
#define THRESHOLD 1e-14

static const struct xtree_event events[EVENTS] = {
	{ "curB", "currently allocated Bytes" }, { "curBk", "currently allocated Blocks" },
	{ "totB", "total allocated Bytes" }, { "totBk", "total allocated Blocks" },
	{ "totFdB", "total Freed Bytes" }, { "totFdBk", "total Freed Blocks" },
};

/* Frames that are no callers: what frees for the program, as operator new allocates for it. */
static const char *const freeing[] = {
	"operator delete(void*)", "operator delete[](void*)",
	"operator delete(void*, unsigned long)", "operator delete[](void*, unsigned long)",
	"operator delete(void*, std::nothrow_t const&)",
	"operator delete[](void*, std::nothrow_t const&)",
	"operator delete(void*, std::align_val_t)", "operator delete[](void*, std::align_val_t)",
	"operator delete(void*, unsigned long, std::align_val_t)",
	"operator delete[](void*, unsigned long, std::align_val_t)",
	"operator delete(void*, std::align_val_t, std::nothrow_t const&)",
	"operator delete[](void*, std::align_val_t, std::nothrow_t const&)",
};

struct xtree_writer {
	FILE *out;
	const struct export *e;
	const struct xtree_options *o;
	const struct profile *p;
	struct filter filter;
	const struct xtree_event *event;
	int events;
	uint32_t *file_number;	/* by string, function by string + 1: what was named, or 0 */
	uint32_t *function_number;
	struct {
		const char *name;
		uint32_t number;
	} called[CALLED];	/* likewise, functions without a file */
	uint32_t files, functions;
};

/* Computes the values that a site adds to the events. False if the report leaves it out. */
static bool event_values_of_site(const struct xtree_writer *w, const struct site *s,
				 int64_t value[EVENTS])
{
	bool is_free = s->flags & MU_SITE_FREE;

	memset(value, 0, EVENTS * sizeof(*value));
	if (s->flags & (MU_SITE_NESTED | MU_SITE_AD_HOC) || s->total_blocks == 0)
		return false;
	if (is_free) {
		value[4] = (int64_t)s->total_bytes;
		value[5] = (int64_t)s->total_blocks;
	} else {
		value[0] = s->live_bytes;
		value[1] = s->live_blocks;
		value[2] = (int64_t)s->total_bytes;
		value[3] = (int64_t)s->total_blocks;
	}
	return w->events == EVENTS || value[0] || value[1];
}

/* ---- callgrind form ---------------------------------------------------------------------- */

static int compare_stacks(const struct xtree_row *x, const struct xtree_row *y)
{
	if (x->stack.frame != y->stack.frame)
		return x->stack.frame < y->stack.frame ? -1 : 1;
	if (x->stack.count != y->stack.count)
		return x->stack.count < y->stack.count ? -1 : 1;
	if (!x->called || !y->called)
		return (x->called != NULL) - (y->called != NULL);
	return strcmp(x->called, y->called);
}

static int compare_row_orders(const void *a, const void *b)
{
	const struct xtree_row *x = a, *y = b;

	return (x->order > y->order) - (x->order < y->order);
}

static int compare_row_stacks(const void *a, const void *b)
{
	const int stacks = compare_stacks(a, b);

	return stacks ? stacks : compare_row_orders(a, b);
}

/* The rows of the same stack become one. Returns how many are left. */
static uint32_t merge_equal_rows(const struct xtree_writer *w, struct xtree_row *row,
				 uint32_t count)
{
	uint32_t kept = 0;

	qsort(row, count, sizeof(*row), compare_row_stacks);
	for (uint32_t i = 0; i < count; i++) {
		struct xtree_row *last = kept ? &row[kept - 1] : NULL;

		if (!last || compare_stacks(last, &row[i]) != 0) {
			row[kept++] = row[i];
			continue;
		}
		for (int k = 0; k < w->events; k++)
			last->value[k] = (int64_t)((uint64_t)last->value[k] +
						   (uint64_t)row[i].value[k]);
	}
	qsort(row, kept, sizeof(*row), compare_row_orders);
	return kept;
}

/* Fills ROW, whose values are in VALUES. */
static uint32_t collect_site_rows(const struct xtree_writer *w, struct xtree_row *row,
				  int64_t *values)
{
	const struct sites *sites = &w->p->sites;
	uint32_t count = 0;

	for (uint32_t i = 0; i < sites->count; i++) {
		int64_t *value = &values[(size_t)count * EVENTS];

		if (!event_values_of_site(w, &sites->site[i], value))
			continue;
		row[count] = (struct xtree_row){
			.stack = filter_stack(&w->filter, sites->site[i].stack), .order = i,
			.value = value,
		};
		count++;
	}
	return count;
}

/* "fn=(3) name" the first time, "fn=(3)" from then on; or always "fn=name". */
static void write_compressed_name(struct xtree_writer *w, const char *key, const char *name,
				  uint32_t *number, uint32_t *last)
{
	bool is_new = *number == 0;

	fprintf(w->out, "%s=", key);
	if (!w->o->is_plain) {
		if (is_new)
			*number = ++*last;
		fprintf(w->out, "(%" PRIu32 ")%s", *number, is_new ? " " : "");
	}
	if (is_new || w->o->is_plain)
		utf8_put_clean(w->out, name);
	putc('\n', w->out);
}

/* The names of a frame, as "fl" and "fn" or "cfi" and "cfn". Returns its line. */
static uint32_t write_place_names(struct xtree_writer *w, uint32_t frame, const char *file_key,
				  const char *function_key)
{
	const struct symbols *symbols = &w->p->symbols;
	const struct symbols_level *level = NULL;
	uint32_t count = 0, file, function;
	const char *name;

	if (frame)
		level = profile_levels(w->p, w->p->frame[frame].location, &count);
	file = count ? level[0].file : 0;
	function = count ? level[count - 1].name : 0;
	name = function ? symbols_text(symbols, function) : "UnknownFn???";
	if (frame && filter_is_below_main(&w->filter, w->p->frame[frame].location))
		name = "(below main)";
	write_compressed_name(w, file_key, file ? symbols_text(symbols, file) : "UnknownFile???",
			      &w->file_number[file], &w->files);
	write_compressed_name(w, function_key, name, &w->function_number[function], &w->functions);
	return count && file ? level[0].line : 0;
}

static uint32_t line_of_frame(const struct xtree_writer *w, uint32_t frame)
{
	const struct symbols_level *level;
	uint32_t count;

	level = profile_levels(w->p, w->p->frame[frame].location, &count);
	return count && level[0].file ? level[0].line : 0;
}

static void write_row_values(struct xtree_writer *w, uint32_t line, const int64_t *value)
{
	fprintf(w->out, "%" PRIu32, line);
	for (int i = 0; i < w->events; i++)
		fprintf(w->out, " %" PRId64, value[i]);
	putc('\n', w->out);
}

/* The place of a function that was called; a new one gets no number yet. */
static uint32_t *number_of_called(struct xtree_writer *w, const char *name)
{
	int i = 0;

	while (i + 1 < CALLED && w->called[i].name && strcmp(w->called[i].name, name) != 0)
		i++;
	w->called[i].name = name;
	return &w->called[i].number;
}

static void write_called_names(struct xtree_writer *w, const char *name, const char *file_key,
			       const char *function_key)
{
	write_compressed_name(w, file_key, "UnknownFile???", &w->file_number[0], &w->files);
	write_compressed_name(w, function_key, name, number_of_called(w, name), &w->functions);
}

/* The function that the innermost frame, in LINE, calls; it has no line itself. */
static void write_called(struct xtree_writer *w, const struct xtree_row *row, uint32_t line)
{
	fprintf(w->out, "%" PRIu32 "\n", line);
	write_called_names(w, row->called, "cfi", "cfn");
	fputs("calls=0 0\n", w->out);
	write_row_values(w, line, row->value);
	write_called_names(w, row->called, "fl", "fn");
	write_row_values(w, 0, row->value);
}

/* From the outermost frame inward: the frames are chained the other way. */
static void write_stack_row(struct xtree_writer *w, const struct xtree_row *row, uint32_t *frame)
{
	uint32_t count = row->stack.count, at = row->stack.frame;

	for (uint32_t i = count; i-- > 0; at = w->p->frame[at].parent)
		frame[i] = at;
	if (count == 0) {
		count = 1;
		frame[0] = 0;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t line = write_place_names(w, frame[i], "fl", "fn");

		if (i + 1 < count) {
			fprintf(w->out, "%" PRIu32 "\n", line);
			write_place_names(w, frame[i + 1], "cfi", "cfn");
			fprintf(w->out, "calls=0 %" PRIu32 "\n", line_of_frame(w, frame[i + 1]));
		} else if (row->called) {
			write_called(w, row, line);
			continue;
		}
		write_row_values(w, line, row->value);
	}
	putc('\n', w->out);
}

static void write_file_head(struct xtree_writer *w)
{
	char text[BOUNDS_TEXT];

	fprintf(w->out, "# callgrind format\nversion: 1\ncreator: xtree-1\npid: %" PRIu32
		"\ncmd: ", w->e->pid);
	utf8_put_clean(w->out, w->e->command);
	putc('\n', w->out);
	if (*bounds_describe(text, &w->p->sites, w->e->image))
		fprintf(w->out, "desc: %s\n", text);
	fputs("\npositions: line\n", w->out);
	for (int i = 0; i < w->events; i++)
		fprintf(w->out, "event: %s : %s\n", w->event[i].name, w->event[i].text);
	fputs("events:", w->out);
	for (int i = 0; i < w->events; i++)
		fprintf(w->out, " %s ", w->event[i].name);
	putc('\n', w->out);
}

/* Valgrind prints an unset text when nothing was ever counted; it is kept for its readers. */
static void write_totals_line(struct xtree_writer *w, const struct xtree_row *row, uint32_t count)
{
	int64_t total[XTREE_EVENTS_MAX] = { 0 };
	bool is_zero = true;

	for (uint32_t i = 0; i < count; i++)
		for (int k = 0; k < w->events; k++) {
			total[k] = (int64_t)((uint64_t)total[k] + (uint64_t)row[i].value[k]);
			is_zero &= row[i].value[k] == 0;
		}
	fputs("totals:", w->out);
	for (int k = 0; k < w->events && !is_zero; k++)
		fprintf(w->out, " %" PRId64, total[k]);
	fputs(is_zero ? " (null)\n" : "\n", w->out);
}

static bool is_row_zero(const struct xtree_writer *w, const struct xtree_row *row)
{
	for (int i = 0; i < w->events; i++) {
		if (row->value[i])
			return false;
	}
	return true;
}

static void write_rows(struct xtree_writer *w, struct xtree_row *row, uint32_t count)
{
	uint32_t *frame = xcalloc(PROFILE_DEPTH_MAX + 1, sizeof(*frame));
	size_t strings = (size_t)w->p->symbols.strings.count + 1;

	w->file_number = xcalloc(strings, sizeof(*w->file_number));
	w->function_number = xcalloc(strings, sizeof(*w->function_number));
	write_file_head(w);
	count = merge_equal_rows(w, row, count);
	for (uint32_t i = 0; i < count; i++) {
		if (!is_row_zero(w, &row[i]))
			write_stack_row(w, &row[i], frame);
	}
	write_totals_line(w, row, count);
	free(w->file_number);
	free(w->function_number);
	free(frame);
}

static void write_callgrind(struct xtree_writer *w)
{
	const size_t sites = (size_t)w->p->sites.count + 1;
	struct xtree_row *row = xcalloc(sites, sizeof(*row));
	int64_t *values = xcalloc(sites, EVENTS * sizeof(*values));

	write_rows(w, row, collect_site_rows(w, row, values));
	free(values);
	free(row);
}

void xtree_write_rows(FILE *out, const struct export *e, const struct xtree_options *o,
		      const struct xtree_rows *rows)
{
	struct xtree_writer w = { .out = out, .e = e, .o = o, .p = e->filter->profile,
				  .event = rows->event, .events = rows->events };
	const struct filter_options filter = { .show_below_main = o->show_below_main };

	filter_init(&w.filter, w.p, &filter);
	write_rows(&w, rows->row, rows->count);
	filter_free(&w.filter);
}

/* ---- Massif form ------------------------------------------------------------------------- */

struct line_data {
	struct xtree_writer *w;
	const char *root;
};

static void write_massif_line(const struct massif_line *line, void *data)
{
	const struct line_data *d = data;
	const struct massif_node node = { .bytes = line->bytes, .children = line->children,
					  .depth = line->depth };
	char *text = xasprintf(" %s", line->depth ? line->text : d->root);

	massif_write_node(d->w->out, &node, text);
	free(text);
}

static void write_event_tree(struct xtree_writer *w, int event, struct weight *weight)
{
	const struct tree_options options = { .grouping = TREE_BY_ADDRESS,
					      .threshold = THRESHOLD };
	const struct massif_lines_options lines = { .threshold = THRESHOLD };
	struct massif_snapshot shot = { .number = (uint64_t)event, .time = w->o->time_ms,
					.kind = MASSIF_DETAILED };
	char root[64];
	struct line_data data = { w, root };
	struct call_tree tree;

	for (uint32_t i = 0; i < w->p->sites.count; i++) {
		int64_t value[EVENTS];

		weight[i].is_there = event_values_of_site(w, &w->p->sites.site[i], value);
		weight[i].bytes = weight[i].is_there ? value[event] : 0;
	}
	snprintf(root, sizeof(root), "%s : %s", events[event].name, events[event].text);
	tree_build(&tree, &w->filter, weight, &options);
	shot.heap = tree.node[0].bytes > 0 ? (uint64_t)tree.node[0].bytes : 0;
	massif_write_snapshot(w->out, &shot);
	massif_lines(&tree, &w->filter, &lines, write_massif_line, &data);
	tree_free(&tree);
}

static void write_massif_tree(struct xtree_writer *w)
{
	char text[BOUNDS_TEXT], desc[BOUNDS_TEXT + 32];
	struct weight *weight = xcalloc((size_t)w->p->sites.count + 1, sizeof(*weight));

	bounds_describe(text, &w->p->sites, w->e->image);
	snprintf(desc, sizeof(desc), " xtree.produce_report\n%s%s%s", *text ? " " : "", text,
		 *text ? "\n" : "");
	massif_write_header(w->out, desc, w->e->command, MASSIF_MS);
	for (int i = 0; i < w->events; i++)
		write_event_tree(w, i, weight);
	free(weight);
}

void xtree_write(FILE *out, const char *name, const struct export *e,
		 const struct xtree_options *o)
{
	const struct filter_options filter = {
		.alloc_fn = freeing,
		.alloc_fns = sizeof(freeing) / sizeof(*freeing),
		.depth = o->depth ? o->depth + DEPTH_MORE : 0,
		.show_below_main = o->show_below_main,
	};
	struct xtree_writer w = { .out = out, .e = e, .o = o, .p = e->filter->profile,
				  .event = events,
				  .events = o->kind == XTREE_FULL ? EVENTS : EVENTS_ALLOCS };

	filter_init(&w.filter, w.p, &filter);
	if (xtree_is_massif(name))
		write_massif_tree(&w);
	else
		write_callgrind(&w);
	filter_free(&w.filter);
}
