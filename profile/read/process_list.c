/* process_list.c -- All processes of a recording, with the figures that compare them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/process_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/read/result.h"

/* The least with which an image from before an exec is reported instead of the last one. */
enum { LEAST_BYTES = 1 << 20, LEAST_CALLS = 10000 };

/* Data to sort the images and to find their parents. */
struct birth {
	uint64_t start_ns;
	pid_t own, own_parent; /* as the process saw them */
	uint32_t number;
};

/* Returns false if the image cannot be read. */
static bool fill_entry(struct process_entry *e, struct birth *b, const struct segment *s,
		       uint32_t slot, struct result *r)
{
	struct mu_slot entry;
	struct image im;

	if (!segment_slot(s, slot, &entry) || segment_image(s, slot, &im, NULL) < 0)
		return false;
	result_take_figures(r, &im);
	result_take_estimates(r, &im);
	*e = (struct process_entry){
		.slot = slot,
		.pid = (pid_t)(entry.pid ? entry.pid : r->process.pid),
		.parent = (pid_t)r->process.ppid,
		.is_forked = r->process.fork_mono_ns != 0,
		.has_pages = im.head.pages != 0,
		.has_holders = im.head.holders != 0,
		.start_ns = r->process.fork_mono_ns ? r->process.fork_mono_ns :
						      r->process.start_mono_ns,
		.end_ns = r->process.exit_mono_ns,
		.peak = r->fork_peak, .live = r->heap_now,
		.own_peak = r->own_peak, .own_live = r->own_now,
		.own_calls = r->own_calls,
		.sample_distance = r->sample_distance,
		.peak_error = r->errors.peak,
		.own_peak_error = r->own_peak_error, .own_live_error = r->own_now_error,
		.end = r->end,
		.command = xcheck(image_command(&im)),
	};
	snprintf(e->name, sizeof(e->name), "%s", r->name);
	*b = (struct birth){ e->start_ns, (pid_t)r->process.pid, (pid_t)r->process.ppid, slot };
	return true;
}

static int compare_starts(const void *a, const void *b)
{
	const struct process_entry *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static int compare_births(const void *a, const void *b)
{
	const struct birth *x = a, *y = b;

	if (x->own != y->own)
		return x->own < y->own ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Returns the last birth of process OWN that is not after START_NS, or NULL. */
static const struct birth *find_birth(const struct birth *birth, uint32_t count, pid_t own,
				      uint64_t start_ns)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (birth[middle].own < own ||
		    (birth[middle].own == own && birth[middle].start_ns <= start_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && birth[low - 1].own == own ? &birth[low - 1] : NULL;
}

/* In the order of starts. */
static void find_parents(struct process_list *list, struct birth *birth, const pid_t *own_parent)
{
	qsort(birth, list->count, sizeof(*birth), compare_births);
	for (uint32_t i = 0; i < list->count; i++) {
		struct process_entry *e = &list->entry[i];
		const struct birth *b = find_birth(birth, list->count, own_parent[i], e->start_ns);

		e->has_parent = b && b->number != i && list->entry[b->number].pid != e->pid;
		if (e->has_parent)
			e->parent = list->entry[b->number].pid;
	}
}

static void mark_last_images(struct process_list *list, const struct birth *birth)
{
	for (uint32_t i = 0; i < list->count; i++) {
		struct process_entry *e = &list->entry[birth[i].number];

		e->is_last = i + 1 == list->count || birth[i + 1].own != birth[i].own ||
			     list->entry[birth[i + 1].number].pid != e->pid;
		list->processes += e->is_last;
		list->own_peaks += e->own_peak;
		list->own_lives += e->own_live;
		list->own_calls += e->own_calls;
	}
}

/* The births follow the entries in their new order. */
static void sort_and_link(struct process_list *list, struct birth *birth)
{
	const uint32_t slots = list->count ? list->entry[list->count - 1].slot + 1 : 0;
	struct birth *of_slot = xcalloc((size_t)slots + 1, sizeof(*of_slot));
	pid_t *own_parent = xcalloc((size_t)list->count + 1, sizeof(*own_parent));

	for (uint32_t i = 0; i < list->count; i++)
		of_slot[birth[i].number] = birth[i];
	qsort(list->entry, list->count, sizeof(*list->entry), compare_starts);
	for (uint32_t i = 0; i < list->count; i++) {
		birth[i] = of_slot[list->entry[i].slot];
		birth[i].number = i;
		own_parent[i] = birth[i].own_parent;
	}
	find_parents(list, birth, own_parent);
	mark_last_images(list, birth);
	free(of_slot);
	free(own_parent);
}

void process_list_load(struct process_list *list, const struct segment *s)
{
	const uint32_t slots = s->head.slot_count;
	struct birth *birth = xcalloc((size_t)slots + 1, sizeof(*birth));
	struct result *r = xmalloc(sizeof(*r));

	*list = (struct process_list){
		.entry = xcalloc((size_t)slots + 1, sizeof(*list->entry)),
		.is_estimated = (s->head.config.flags & MU_CFG_SAMPLE) != 0,
	};
	for (uint32_t k = 0; k < slots; k++) {
		struct process_entry *e = &list->entry[list->count];

		if (fill_entry(e, &birth[list->count], s, k, r))
			list->count++;
	}
	sort_and_link(list, birth);
	free(birth);
	free(r);
}

void process_list_free(struct process_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		free(list->entry[i].command);
	free(list->entry);
	*list = (struct process_list){ .entry = NULL };
}

uint64_t process_figure_of(const struct process_entry *e, enum process_figure figure)
{
	switch (figure) {
	case PROCESS_LIVE:
		return e->own_live;
	case PROCESS_CALLS:
		return e->own_calls;
	case PROCESS_PAGES:
		return e->has_pages ? e->own_live : 0;
	case PROCESS_HOLDERS:
		return e->has_holders ? e->own_live : 0;
	default:
		return e->own_peak;
	}
}

bool process_is_clearly_larger(uint64_t earlier, uint64_t last, enum process_figure figure)
{
	const uint64_t least = figure == PROCESS_CALLS ? LEAST_CALLS : LEAST_BYTES;

	return earlier >= least && earlier / 2 >= last;
}

static const struct process_entry *find_largest_last(const struct process_list *list,
						     uint32_t first, enum process_figure figure)
{
	const struct process_entry *best = NULL;
	uint64_t most = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct process_entry *e = &list->entry[i];
		uint64_t value = process_figure_of(e, figure);

		if (!e->is_last)
			continue;
		if (!best || value > most || (value == most && e->slot == first)) {
			best = e;
			most = value;
		}
	}
	return best;
}

const struct process_entry *process_list_earlier(const struct process_list *list, pid_t pid,
						 enum process_figure figure)
{
	const struct process_entry *best = NULL;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct process_entry *e = &list->entry[i];

		if (!e->is_last && (pid == 0 || e->pid == pid) &&
		    (!best || process_figure_of(e, figure) > process_figure_of(best, figure)))
			best = e;
	}
	return best;
}

const struct process_entry *process_list_largest(const struct process_list *list, uint32_t first,
						 enum process_figure figure)
{
	const struct process_entry *last = find_largest_last(list, first, figure);
	const struct process_entry *earlier = process_list_earlier(list, 0, figure);

	if (last && earlier &&
	    process_is_clearly_larger(process_figure_of(earlier, figure),
				      process_figure_of(last, figure), figure))
		return earlier;
	return last;
}

const struct process_entry *process_list_next_image(const struct process_list *list,
						    const struct process_entry *e)
{
	const struct process_entry *end = list->entry + list->count;

	for (const struct process_entry *next = e + 1; !e->is_last && next < end; next++)
		if (next->pid == e->pid)
			return next;
	return NULL;
}

const struct process_entry *process_list_last_image(const struct process_list *list,
						    const struct process_entry *e)
{
	const struct process_entry *next;

	while ((next = process_list_next_image(list, e)))
		e = next;
	return e;
}

const struct process_entry *process_list_find(const struct process_list *list, uint32_t slot)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (list->entry[i].slot == slot)
			return &list->entry[i];
	return NULL;
}

void process_list_name_all(const struct process_list *list, char *text, size_t size)
{
	enum { NAMED = 12 };
	uint32_t named = 0;
	size_t used = 0;

	*text = '\0';
	for (uint32_t i = 0; i < list->count && named < NAMED && used < size; i++) {
		const struct process_entry *e = &list->entry[i];

		if (!e->is_last)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%d (%s)",
					 named > 0 ? ", " : "", (int)e->pid, e->name);
		named++;
	}
	if (list->processes > named && used < size)
		snprintf(text + used, size - used, " and %u more", list->processes - named);
}
