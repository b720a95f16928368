/* page_of_now.c -- The HTML page of the processes that run now.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageserve/http/page_of_now.h"

#include <stdlib.h>

#include "cli/version.h"
#include "cli/xmalloc.h"
#include "formats/page/page_image.h"

/* Each process takes a part of the page's room. */
enum { PROCESSES = 8 };

struct shown_processes {
	struct page_image image[PROCESSES];	/* the one that the page opens with is first */
	size_t count;
};

static int compare_processes(const void *a, const void *b)
{
	const struct result *x = &(*(const struct look_process *const *)a)->result;
	const struct result *y = &(*(const struct look_process *const *)b)->result;

	if (x->own_peak != y->own_peak)
		return x->own_peak < y->own_peak ? 1 : -1;
	return 0;
}

static void choose_processes(struct shown_processes *s, const struct look *l)
{
	struct look_process **order = xcalloc(l->count, sizeof(*order));

	for (size_t i = 0; i < l->count; i++)
		order[i] = l->process[i];
	qsort(order, l->count, sizeof(*order), compare_processes);
	for (size_t i = 0; i < l->count && s->count < PROCESSES; i++) {
		s->image[s->count] = (struct page_image){
			.export = &order[i]->export,
			.segment = &l->segment.head,
			.result = &order[i]->result,
			.slot = order[i]->slot,
			.processes = s->count == 0 ? &l->list : NULL,
		};
		page_image_init(&s->image[s->count++]);
	}
	free(order);
}

static void fill_page(struct page_json *j, const void *data, const struct page_budget *b)
{
	const struct shown_processes *s = data;
	const uint32_t count = (uint32_t)s->count;
	struct page_budget share = *b;

	page_image_fill(j, &s->image[0], b);
	if (count == 1)
		return;
	share.nodes /= count;
	share.values /= count;
	share.points /= count;
	page_json_open(j, "others", '[');
	for (uint32_t i = 1; i < count; i++) {
		page_json_open(j, NULL, '{');
		page_image_fill(j, &s->image[i], &share);
		page_json_close(j, '}');
	}
	page_json_close(j, ']');
}

int page_of_now_write(FILE *out, const struct look *l, struct mu_error *err)
{
	struct shown_processes shown = { .count = 0 };
	const struct page page = {
		.fill = fill_page, .data = &shown, .kind = "recording",
		.version = MEMUSAGE_VERSION, .file = "now",
	};
	int result;

	choose_processes(&shown, l);
	result = page_write(out, &page, err);
	for (size_t i = 0; i < shown.count; i++)
		page_image_free(&shown.image[i]);
	return result;
}
