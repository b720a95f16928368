/* curve.c -- The course of heap and resident memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/live/curve.h"

#include <math.h>

static void halve_points(struct live_curve *c)
{
	for (size_t i = 0; i + 1 < c->count; i += 2) {
		const struct live_point *a = &c->point[i], *b = &c->point[i + 1];

		c->point[i / 2] = (struct live_point){ .ns = b->ns,
						       .heap = fmax(a->heap, b->heap),
						       .rss = fmax(a->rss, b->rss) };
	}
	c->count /= 2;
}

void curve_append(struct live_curve *c, const struct live_point *point)
{
	if (c->count > 0 && point->ns <= c->point[c->count - 1].ns)
		c->count--;
	if (c->count == LIVE_POINTS)
		halve_points(c);
	c->point[c->count++] = *point;
}

uint64_t curve_fit(const struct live_curve *c, double *heap, double *rss, unsigned int columns)
{
	struct live_point last = { .heap = -1, .rss = -1 };
	uint64_t all = c->count > 0 ? c->point[c->count - 1].ns : 0;
	size_t at = 0;

	for (unsigned int i = 0; i < columns; i++) {
		double end = (double)all * (i + 1) / columns;

		heap[i] = last.heap;
		rss[i] = last.rss;
		while (at < c->count && ((double)c->point[at].ns <= end || i + 1 == columns)) {
			last = c->point[at++];
			heap[i] = fmax(heap[i], last.heap);
			rss[i] = fmax(rss[i], last.rss);
		}
	}
	return all;
}

double curve_scale(const struct live_curve *c, bool *has_rss)
{
	double heap = 0, rss = 0;

	for (size_t i = 0; i < c->count; i++) {
		heap = fmax(heap, c->point[i].heap);
		rss = fmax(rss, c->point[i].rss);
	}
	*has_rss = rss > 0 && heap * 2 >= rss;
	return *has_rss ? fmax(heap, rss) : heap;
}
