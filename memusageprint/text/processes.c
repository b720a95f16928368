/* processes.c -- Texts about all processes of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/processes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/layout.h"
#include "cli/terminal.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "formats/base/bounds.h"

enum {
	COMMAND_BYTES = 200, DEPTH_MAX = 30,
	BYTES_WIDTH = 9, ESTIMATE_WIDTH = 21	/* "4.25 MiB", "4.25 MiB -4.14 +3.26" */
};

/* ---- the table ----------------------------------------------------------------------------- */

/* Processes as a tree: numbers of entries + 1, 0 is none. */
struct kinship {
	const struct process_list *list;
	uint32_t *child; /* of each entry the first one; [count]: the first without a parent */
	uint32_t *next;
};

/* Returns the first entry of the process PARENT that is not later than ENTRY. */
static uint32_t find_parent_entry(const struct process_list *list, uint32_t entry)
{
	const struct process_entry *e = &list->entry[entry];

	for (uint32_t i = entry; i-- > 0;) {
		if (list->entry[i].pid == e->pid)
			return i;
	}
	for (uint32_t i = 0; e->has_parent && i < entry; i++) {
		if (list->entry[i].pid == e->parent)
			return i;
	}
	return list->count;
}

/* A parent is never later than its child, so there is no cycle. */
static void link_children(struct kinship *k)
{
	for (uint32_t i = k->list->count; i-- > 0;) {
		uint32_t parent = find_parent_entry(k->list, i);

		k->next[i] = k->child[parent];
		k->child[parent] = i + 1;
	}
}

static void print_lifespan(FILE *out, const struct process_entry *e)
{
	char text[UNITS_LENGTH];

	if (e->end_ns > e->start_ns)
		fprintf(out, "  %10s", units_time(text, e->end_ns - e->start_ns));
	else
		fprintf(out, "  %10s", "-");
}

static void print_command(FILE *out, const struct process_entry *e, unsigned int depth)
{
	char *text = xasprintf("%.*s", COMMAND_BYTES, e->command[0] ? e->command : e->name);

	fprintf(out, "  " LAYOUT_TEXT "%*s", (int)(2 * depth), "");
	terminal_put(out, text);
	putc('\n', out);
	free(text);
}

/* Widths of columns. */
struct columns {
	int bytes, end;
};

static void print_bytes(FILE *out, const struct columns *c, const struct process_entry *e,
			uint64_t bytes, const struct sampled_error *error)
{
	char text[BOUNDS_LENGTH];

	fprintf(out, "  %*s", c->bytes,
		bounds_bytes_text(text, error, (int64_t)bytes, e->sample_distance));
}

static void print_row(FILE *out, const struct process_entry *e, unsigned int depth,
		      const struct columns *c)
{
	char end[IMAGE_END_TEXT];

	fprintf(out, "%8d %8d", (int)e->pid, (int)e->parent);
	print_bytes(out, c, e, e->peak, &e->peak_error);
	print_bytes(out, c, e, e->own_peak, &e->own_peak_error);
	print_bytes(out, c, e, e->own_live, &e->own_live_error);
	print_lifespan(out, e);
	fprintf(out, "  %-*s", c->end, image_end_text(e->end, end));
	print_command(out, e, depth);
}

static void print_rows(FILE *out, const struct kinship *k, const struct columns *c)
{
	uint32_t *stack = xcalloc((size_t)k->list->count + 1, sizeof(*stack)), depth = 0;

	stack[0] = k->child[k->list->count];
	for (;;) {
		uint32_t at = stack[depth];

		if (at == 0 && depth == 0)
			break;
		if (at == 0) {
			depth--;
			continue;
		}
		print_row(out, &k->list->entry[at - 1], depth < DEPTH_MAX ? depth : DEPTH_MAX, c);
		stack[depth] = k->next[at - 1];
		stack[++depth] = k->child[at - 1];
	}
	free(stack);
}

static int widest_end(const struct process_list *list)
{
	char end[IMAGE_END_TEXT];
	size_t width = 8;

	for (uint32_t i = 0; i < list->count; i++) {
		size_t length = strlen(image_end_text(list->entry[i].end, end));

		width = length > width ? length : width;
	}
	return (int)width;
}

void processes_print(FILE *out, const struct process_list *list)
{
	struct kinship k = {
		.list = list,
		.child = xcalloc((size_t)list->count + 1, sizeof(*k.child)),
		.next = xcalloc((size_t)list->count + 1, sizeof(*k.next)),
	};

	const struct columns c = { .bytes = list->is_estimated ? ESTIMATE_WIDTH : BYTES_WIDTH,
				   .end = widest_end(list) };

	link_children(&k);
	fprintf(out, "%8s %8s  %*s  %*s  %*s  %10s  %-*s  %s\n", "pid", "parent", c.bytes, "peak",
		c.bytes, "own peak", c.bytes, "own end", "lived", c.end, "end", "command");
	print_rows(out, &k, &c);
	fputs("\npeak: highest heap, with what a forked child got from its parent; own peak, own "
	      "end: without that,"
	      LAYOUT_NEWLINE "the latter live at the end of the process. A process that "
	      "executed another program has several rows.\n", out);
	if (list->is_estimated)
		fputs("Bytes are estimates from samples, within the bounds with a probability of "
		      "95 %.\n", out);
	free(k.child);
	free(k.next);
}

/* ---- the share of one ---------------------------------------------------------------------- */

/* "12 make", or "12 sh before it executed make". */
static void print_name(FILE *out, const struct process_list *list, const struct process_entry *e)
{
	const struct process_entry *next = process_list_next_image(list, e);

	fprintf(out, "%d ", (int)e->pid);
	terminal_put(out, e->name);
	if (!next)
		return;
	fputs(" before it executed ", out);
	terminal_put(out, next->name);
}

/* Returns the image of another process that has most. */
static const struct process_entry *find_second(const struct process_list *list,
					       const struct process_entry *first,
					       enum process_figure figure)
{
	const struct process_entry *second = NULL;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct process_entry *e = &list->entry[i];

		if (e->pid != first->pid &&
		    (!second || process_figure_of(e, figure) > process_figure_of(second, figure)))
			second = e;
	}
	return second;
}

/* "4.00 KiB", or a number of calls. */
static const char *figure_text(char text[UNITS_LENGTH], uint64_t value, enum process_figure figure)
{
	return figure == PROCESS_CALLS ? units_grouped(text, value) : units_bytes(text, value);
}

/* Tells whether a report has been made of what was live at the end. */
static bool is_examined(enum process_figure figure)
{
	return figure == PROCESS_PAGES || figure == PROCESS_HOLDERS;
}

static uint64_t sum_of_figure(const struct process_list *list, enum process_figure figure)
{
	return figure == PROCESS_LIVE || is_examined(figure) ? list->own_lives :
	       figure == PROCESS_CALLS			     ? list->own_calls :
							       list->own_peaks;
}

static void print_last_program(FILE *out, const struct process_list *list,
			       const struct process_entry *e, enum process_figure figure,
			       bool is_run)
{
	const struct process_entry *last = process_list_last_image(list, e);
	char own[UNITS_LENGTH];

	fprintf(out, "its last program: %s%s (",
		figure_text(own, process_figure_of(last, figure), figure),
		figure == PROCESS_CALLS ? " calls" : "");
	terminal_put(out, last->name);
	if (is_run)
		fputs("); --record=FILE keeps it for memusageprint --pid=PID\n", out);
	else
		fprintf(out, "); --pid=%d reports on that\n", (int)e->pid);
}

static void print_others(FILE *out, const struct process_list *list,
			 const struct process_entry *second, enum process_figure figure,
			 bool is_run)
{
	char own[UNITS_LENGTH];

	figure_text(own, process_figure_of(second, figure), figure);
	if (list->processes > 2)
		fprintf(out, "%u others: at most %s each (process ", list->processes - 1, own);
	else
		fprintf(out, "the other: %s (process ", own);
	print_name(out, list, second);
	fputs(is_run ? "); --record=FILE keeps all for memusageprint --processes\n" :
		       "); --processes lists all, --pid=PID reports on another\n", out);
}

void processes_print_share(FILE *out, const struct process_list *list,
			   const struct process_entry *e, enum process_figure figure, bool is_run)
{
	const struct process_entry *second = find_second(list, e, figure);
	const char *what = figure == PROCESS_LIVE  ? "were not freed" :
			   figure == PROCESS_CALLS ? "calls were made" :
			   is_examined(figure)	   ? "were live at the end, held" :
						     "were held";
	char end[IMAGE_END_TEXT], own[UNITS_LENGTH], sum[UNITS_LENGTH];

	fprintf(out, "\n" LAYOUT_STRONG "%s of %s%s %s by process ",
		figure_text(own, process_figure_of(e, figure), figure),
		figure_text(sum, sum_of_figure(list, figure), figure),
		list->is_estimated && figure != PROCESS_CALLS ? " (estimates)" : "", what);
	print_name(out, list, e);
	if (e->is_last)
		fprintf(out, " (%s)", image_end_text(e->end, end));
	fputs(LAYOUT_PLAIN "\n", out);
	if (!e->is_last)
		print_last_program(out, list, e, figure, is_run);
	if (second)
		print_others(out, list, second, figure, is_run);
}

void processes_print_earlier(FILE *out, const struct process_list *list, pid_t pid)
{
	const struct process_entry *earlier = process_list_earlier(list, pid, PROCESS_PEAK);
	const struct process_entry *last = earlier ? process_list_last_image(list, earlier) : NULL;
	char own[UNITS_LENGTH];

	if (!last || !process_is_clearly_larger(earlier->own_peak, last->own_peak, PROCESS_PEAK))
		return;
	fputs("\nprocess ", out);
	print_name(out, list, earlier);
	fprintf(out, " held %s: %s\n", units_bytes(own, earlier->own_peak),
		process_list_largest(list, last->slot, PROCESS_PEAK) == earlier ?
			"--top without --pid reports on that" :
			"--processes lists what each of its programs held");
}
