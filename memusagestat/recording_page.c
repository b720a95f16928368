/* recording_page.c -- What the HTML page of a recording shows: the process that held most, and the
 * next ones, among which the reader chooses.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/recording_page.h"

#include <stdlib.h>

#include "cli/message.h"
#include "cli/xmalloc.h"
#include "formats/page/page_image.h"
#include "memusagestat/merged_file.h"
#include "memusagestat/recorded_process.h"

/* Each process costs a lookup of names and a part of the page's room. */
enum { PROCESSES = 8, LEAST_SHARE = 64 };

struct shown_process {
	struct recorded_process process;
	struct page_image image;
};

struct recording_page {
	uint32_t count;
	struct page_merge merge;	/* what the recording was made of */
	struct shown_process shown[PROCESSES];	/* the one that the page opens with is first */
};

static void load_shown_process(struct shown_process *p, const char *file, const struct settings *s)
{
	struct recorded_process *r = &p->process;

	recorded_process_open(r, file, s);
	p->image = (struct page_image){
		.export = &r->export, .segment = &r->segment.head, .result = &r->result,
		.slot = r->slot,
	};
	page_image_init(&p->image);
}

static int compare_peaks(const void *a, const void *b)
{
	const struct process_entry *x = *(const struct process_entry *const *)a;
	const struct process_entry *y = *(const struct process_entry *const *)b;

	if (x->own_peak != y->own_peak)
		return x->own_peak < y->own_peak ? 1 : -1;
	return x->slot < y->slot ? -1 : 1;
}

/* Loads the processes that held most besides the first one. */
static void load_next_processes(struct recording_page *p, const char *file,
				const struct settings *s)
{
	const struct process_list *list = &p->shown[0].process.processes;
	const struct process_entry *first = process_list_find(list, p->shown[0].image.slot);
	const struct process_entry **order = xcalloc((size_t)list->count + 1, sizeof(*order));
	uint32_t count = 0;

	for (uint32_t i = 0; first && i < list->count; i++) {
		const struct process_entry *e = &list->entry[i];

		if (e != first && e->is_last && e->own_peak > 0 &&
		    e->own_peak >= first->own_peak / LEAST_SHARE)
			order[count++] = e;
	}
	qsort(order, count, sizeof(*order), compare_peaks);
	for (uint32_t i = 0; i < count && p->count < PROCESSES; i++) {
		struct settings other = *s;

		other.pid = (unsigned long)order[i]->pid;
		load_shown_process(&p->shown[p->count++], file, &other);
	}
	free(order);
}

static void load_merge(struct recording_page *p, struct merged_file *m)
{
	struct page_image *image = &p->shown[0].image;
	struct mu_error err;

	p->merge = (struct page_merge){ .merge = &m->merge, .file = m->file };
	if (page_merge_init(&p->merge, &m->merge,
			    &image->export->filter->profile->sites, &image->stacks, &err) < 0)
		die("cannot read a temporary file: %s", err.text);
	image->merge = &p->merge;
}

struct recording_page *recording_page_open(const char *file, const struct settings *s)
{
	struct recording_page *p = xcalloc(1, sizeof(*p));

	load_shown_process(&p->shown[p->count++], file, s);
	p->shown[0].image.processes = &p->shown[0].process.processes;
	if (s->merged)
		load_merge(p, s->merged);
	if (s->pid == 0)
		load_next_processes(p, file, s);
	return p;
}

bool recording_page_is_cut(const struct recording_page *p)
{
	return p->shown[0].process.segment.missing > 0;
}

void recording_page_fill(struct page_json *j, const void *data, const struct page_budget *b)
{
	const struct recording_page *p = data;
	struct page_budget share = *b;

	page_image_fill(j, &p->shown[0].image, b);
	if (p->count == 1)
		return;
	share.nodes /= p->count;
	share.values /= p->count;
	share.points /= p->count;
	page_json_open(j, "others", '[');
	for (uint32_t i = 1; i < p->count; i++) {
		page_json_open(j, NULL, '{');
		page_image_fill(j, &p->shown[i].image, &share);
		page_json_close(j, '}');
	}
	page_json_close(j, ']');
}

void recording_page_free(struct recording_page *p)
{
	for (uint32_t i = 0; i < p->count; i++) {
		page_image_free(&p->shown[i].image);
		recorded_process_close(&p->shown[i].process);
	}
	page_merge_free(&p->merge);
	free(p);
}
