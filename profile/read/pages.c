/* pages.c -- What held the resident memory of a process, in a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/pages.h"

#include <stdlib.h>
#include <string.h>

/* Copies all bytes, from our own memory or from the image. Returns NULL if they are not there. */
static struct mu_pages *copy_all(const struct image *im)
{
	struct mu_pages head, *all;

	if (im->pages)
		head = *im->pages;
	else if (!im->head.pages || !image_copy(im, im->head.pages, &head, sizeof(head)))
		return NULL;
	if (head.bytes < sizeof(head) || (!im->pages && head.bytes > im->size))
		return NULL;
	all = malloc(head.bytes);
	if (!all)
		return NULL;
	if (im->pages)
		memcpy(all, im->pages, head.bytes);
	else if (!image_copy(im, im->head.pages, all, head.bytes))
		all->bytes = 0;
	if (all->bytes == head.bytes)
		return all;
	free(all);
	return NULL;
}

/* Places the tables behind the header. Counts have 32 bits, so no sum overflows. */
static bool find_tables(struct pages *p)
{
	const struct mu_pages *h = p->head;
	const uint64_t sites = h->sites * (uint64_t)sizeof(*p->site);
	const uint64_t groups = h->groups * (uint64_t)sizeof(*p->group);
	const uint64_t uses = h->uses * (uint64_t)sizeof(*p->use);
	const uint64_t heaps = h->heaps * (uint64_t)sizeof(*p->heap);
	const uint8_t *at = (const uint8_t *)(h + 1);

	if (h->bytes != sizeof(*h) + sites + groups + uses + heaps)
		return false;
	p->site = (const struct mu_page_site *)at;
	p->group = (const struct mu_page_group *)(at + sites);
	p->use = (const struct mu_page_use *)(at + sites + groups);
	p->heap = (const struct mu_heap_part *)(at + sites + groups + uses);
	return true;
}

static bool are_groups_sound(const struct pages *p)
{
	for (uint32_t i = 0; i < p->head->groups; i++) {
		const struct mu_page_group *g = &p->group[i];

		if (g->count == 0 || (uint64_t)g->first + g->count > p->head->uses)
			return false;
	}
	return p->head->page_bytes > 0;
}

bool pages_load(struct pages *p, const struct image *im)
{
	*p = (struct pages){ .head = copy_all(im) };
	if (!p->head)
		return false;
	if (find_tables(p) && are_groups_sound(p))
		return true;
	pages_free(p);
	return false;
}

void pages_free(struct pages *p)
{
	free(p->head);
	*p = (struct pages){ .head = NULL };
}
