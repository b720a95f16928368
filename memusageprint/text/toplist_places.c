/* toplist_places.c -- What is known of the places of a list beyond their sums.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/toplist_places.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "memusageprint/job/spread_text.h"
#include "profile/model/place_trends.h"

/* Numbers the first COUNT entries, and gives each site the number of its entry. */
static void number_sites_of_entries(uint32_t *place, const struct toplist *list,
				    const struct top_entry *entry, uint32_t count)
{
	const uint32_t sites = list->filter->profile->sites.count;
	uint32_t *group = xcalloc((size_t)sites + 1, sizeof(*group));
	uint32_t groups = top_group_sites(group, list->filter, list->group);
	uint32_t *number = xreallocarray(NULL, (size_t)groups + 1, sizeof(*number));

	memset(number, 0xff, groups * sizeof(*number));
	for (uint32_t i = 0; i < count; i++) {
		if (group[entry[i].site] < groups)
			number[group[entry[i].site]] = i;
	}
	for (uint32_t i = 0; i < sites; i++)
		place[i] = group[i] < groups ? number[group[i]] : PLACE_NONE;
	free(number);
	free(group);
}

enum trend *toplist_places_judge(const struct toplist *list, const struct top_entry *entry,
				 uint32_t count)
{
	const struct sites *sites = &list->filter->profile->sites;
	enum trend *trend = xcalloc((size_t)count + 1, sizeof(*trend));
	uint32_t *place;

	if (!list->image || count == 0)
		return trend;
	place = xcalloc((size_t)sites->count + 1, sizeof(*place));
	number_sites_of_entries(place, list, entry, count);
	place_trends_judge(trend, place, count, sites, list->image, list->errors, list->by_bytes);
	free(place);
	return trend;
}

struct merge_spread *toplist_places_compare(const struct toplist *list,
					    const struct top_entry *entry, uint32_t count)
{
	const uint32_t sites = list->filter->profile->sites.count;
	struct merge_spread *spread;
	uint32_t *place;

	if (!list->merge || list->merge->processes < 2 || list->kind == METRIC_AD_HOC ||
	    list->kind == METRIC_GROWTH)
		return NULL;
	spread = xcalloc((size_t)count + 1, sizeof(*spread));
	place = xcalloc((size_t)sites + 1, sizeof(*place));
	number_sites_of_entries(place, list, entry, count);
	spread_text_compute(list->merge, list->kind, place, spread, count);
	free(place);
	return spread;
}
