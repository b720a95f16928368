/* recorder_ranges.c -- a list of ranges is what a map of single pages would be.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lib/tap.h"

enum { PAGES = 1000, ROUNDS = 20000 };

static uint8_t site_of[PAGES]; /* 0: nothing there */

static void model_put(struct ranges *r, uint64_t start, uint64_t end, uint8_t site)
{
	struct range range = { start, end, site, 0 }, part;

	while (ranges_take(r, start, end, &part))
		;
	ranges_put(r, &range);
	memset(site_of + start, site, end - start);
}

/* Returns whether the parts that come out are what the model has there. */
static int model_take(struct ranges *r, uint64_t start, uint64_t end)
{
	struct range part;
	uint64_t at = start;
	int right = 1;

	while (ranges_take(r, start, end, &part)) {
		right &= part.start >= at && part.end <= end && part.start < part.end;
		for (uint64_t i = at; i < part.start; i++)
			right &= site_of[i] == 0;
		for (uint64_t i = part.start; i < part.end; i++)
			right &= site_of[i] == part.site;
		at = part.end;
	}
	for (uint64_t i = at; i < end; i++)
		right &= site_of[i] == 0;
	memset(site_of + start, 0, end - start);
	return right;
}

static int is_model(const struct ranges *r)
{
	uint64_t at = 0, sum = 0;
	int right = 1;

	for (uint64_t i = 0; i < r->count; i++) {
		const struct range *range = &r->range[i];
		right &= range->start >= at && range->start < range->end;
		for (; at < range->start; at++)
			right &= site_of[at] == 0;
		for (; at < range->end; at++)
			right &= site_of[at] == range->site;
		sum += range->end - range->start;
		/* Neighbours that are the same would be one. */
		right &= !i || r->range[i - 1].end < range->start ||
			 r->range[i - 1].site != range->site;
	}
	for (; at < PAGES; at++)
		right &= site_of[at] == 0;
	return right && sum == ranges_bytes(r);
}

static void check_random(void)
{
	struct ranges r = { .count = 0 };
	int taken = 1, equal = 1;

	srand(1);
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t start = (uint64_t)rand() % PAGES;
		uint64_t end = start + 1 + (uint64_t)rand() % (i % 2 ? 5 : 40);
		if (end > PAGES)
			end = PAGES;
		if (rand() % 2)
			model_put(&r, start, end, (uint8_t)(1 + rand() % 3));
		else
			taken &= model_take(&r, start, end);
		equal &= is_model(&r);
	}
	OK(taken, "what is taken out is what was there");
	OK(equal, "the list is what a map of pages is, after each change");
	ranges_free(&r);
	EQ_U(r.count, 0);
	EQ_U(ranges_bytes(&r), 0);
}

static void check_joining(void)
{
	struct ranges r = { .count = 0 };
	struct range part;

	for (uint64_t i = 0; i < 100; i++)
		ranges_put(&r, &(struct range){ i * 10, i * 10 + 10, 7, 0 });
	EQ_U(r.count, 1);
	EQ_U(r.range[0].end, 1000);
	OK(ranges_take(&r, 500, 510, &part), "a hole is made");
	EQ_U(r.count, 2);
	OK(ranges_put(&r, &(struct range){ 500, 510, 7, 1 }), "and filled by another");
	EQ_U(r.count, 3);
	OK(ranges_take(&r, 0, UINT64_MAX, &part), "the next part");
	EQ_U(part.end, 500);
	OK(ranges_take(&r, 0, UINT64_MAX, &part), "the next part");
	EQ_U(part.tag, 1);
	OK(ranges_take(&r, 0, UINT64_MAX, &part), "the next part");
	OK(!ranges_take(&r, 0, UINT64_MAX, &part), "nothing is left");
	OK(!ranges_take(&r, 5, 5, &part), "nor in an empty range");
	ranges_free(&r);
}

static void check_growing(void)
{
	struct ranges r = { .count = 0 };
	int right = 1;

	for (uint64_t i = 0; i < 5000; i++)
		right &= ranges_put(&r, &(struct range){ i * 2, i * 2 + 1, 0, 0 });
	OK(right, "it grows");
	EQ_U(r.count, 5000);
	EQ_U(ranges_after(&r, 0), 0);
	EQ_U(ranges_after(&r, 1), 1);
	EQ_U(ranges_after(&r, 9998), 4999);
	EQ_U(ranges_after(&r, 9999), 5000);
	OK(ranges_reserve(&r, 5000), "room is made");
	OK(r.room >= 10000, "... enough");
	ranges_free(&r);
}

int main(void)
{
	check_random();
	check_joining();
	check_growing();
	return done_testing();
}
