/* page_processes.c -- What a report page says of all processes of its recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_processes.h"

#include <stdlib.h>

#include "cli/xmalloc.h"

enum { COMMAND_BYTES = 400 };

void page_put_end(struct page_json *j, struct image_end end)
{
	char text[IMAGE_END_TEXT];

	page_json_text(j, "exit", image_end_word(end));
	if (image_end_has_status(end))
		page_json_uint(j, "status", end.status);
	page_json_text(j, "ended", image_end_text(end, text));
}

static void write_process(struct page_json *j, const struct process_entry *e, uint64_t first_ns,
			  bool is_shown)
{
	page_json_open(j, NULL, '{');
	page_json_int(j, "pid", e->pid);
	page_json_int(j, "parent", e->parent);
	page_json_bool(j, "has_parent", e->has_parent);
	page_json_text(j, "name", e->name);
	page_json_text_cut(j, "command", e->command, COMMAND_BYTES);
	page_json_bool(j, "forked", e->is_forked);
	page_json_bool(j, "last", e->is_last);
	page_json_uint(j, "start", e->start_ns - first_ns);
	if (e->end_ns > e->start_ns)
		page_json_uint(j, "end", e->end_ns - first_ns);
	page_json_uint(j, "peak", e->peak);
	page_json_uint(j, "live", e->live);
	page_json_uint(j, "own_peak", e->own_peak);
	page_json_uint(j, "own_live", e->own_live);
	page_put_end(j, e->end);
	page_json_bool(j, "shown", is_shown);
	page_json_close(j, '}');
}

static int compare_downwards(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

/* Returns the peak that the smallest of the PAGE_PROCESSES largest has. */
static uint64_t smallest_shown_peak(const struct process_list *list)
{
	uint64_t *peak, smallest = 0;

	if (list->count <= PAGE_PROCESSES)
		return 0;
	peak = xreallocarray(NULL, list->count, sizeof(*peak));
	for (uint32_t i = 0; i < list->count; i++)
		peak[i] = list->entry[i].own_peak;
	qsort(peak, list->count, sizeof(*peak), compare_downwards);
	smallest = peak[PAGE_PROCESSES - 1];
	free(peak);
	return smallest;
}

void page_put_processes(struct page_json *j, const struct process_list *list, uint32_t slot)
{
	const uint64_t smallest = smallest_shown_peak(list);
	uint32_t room = PAGE_PROCESSES;

	page_json_open(j, "processes", '[');
	for (uint32_t i = 0; i < list->count; i++) {
		const struct process_entry *e = &list->entry[i];

		if (e->slot != slot && (room == 0 || e->own_peak < smallest))
			continue;
		write_process(j, e, list->entry[0].start_ns, e->slot == slot);
		room -= room > 0;
	}
	page_json_close(j, ']');
	page_json_uint(j, "process_count", list->count);
	page_json_uint(j, "own_peaks", list->own_peaks);
	page_json_uint(j, "own_lives", list->own_lives);
}
