/* merge_course.c -- What all processes together held at each place, at moments in equal distances.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/merge/merge_course.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"
#include "profile/base/number.h"

void merge_course_begin(struct merge_course *c, uint32_t processes)
{
	c->which = xcalloc((size_t)processes * MERGE_MOMENTS + 1, sizeof(*c->which));
}

void merge_course_reserve(struct merge_course *c, uint32_t sites)
{
	const uint32_t before = c->room;

	array_reserve(&c->place, &c->room, sites, sizeof(*c->place));
	memset(c->place + before, 0, (c->room - before) * sizeof(*c->place));
	c->places = sites;
}

int32_t merge_course_at(const struct merge_course *c, uint32_t process, uint32_t i)
{
	return c->which[(size_t)process * MERGE_MOMENTS + i];
}

void merge_course_add(struct merge_course *c, uint32_t site, uint32_t first, uint32_t end,
		      int64_t bytes, int64_t blocks)
{
	struct merge_place_course *p = &c->place[site];

	for (uint32_t i = first; i < end; i++) {
		p->bytes[i] = wrapping_sum(p->bytes[i], bytes);
		p->blocks[i] = wrapping_sum(p->blocks[i], blocks);
	}
}

int64_t merge_course_sum(const struct merge_course *c, uint32_t i)
{
	int64_t sum = 0;

	for (uint32_t k = 0; k < c->places; k++)
		sum = wrapping_sum(sum, c->place[k].bytes[i]);
	return sum;
}

void merge_course_free(struct merge_course *c)
{
	free(c->place);
	free(c->which);
	*c = (struct merge_course){ .places = 0 };
}
