/* toplist_places.h -- What is known of the places of a list beyond their sums.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusageprint/text/toplist.h"
#include "profile/merge/merge_spread.h"
#include "profile/model/trend.h"

/* toplist_places_judge -- Returns the trends of the first COUNT entries, to be freed. Without an
 * image there are none. */
enum trend *toplist_places_judge(const struct toplist *list, const struct top_entry *entry,
				 uint32_t count);

/* toplist_places_compare -- Returns how processes differ at each of the first COUNT entries, to be
 * freed; NULL if there is but one process, or the list is about something else. */
struct merge_spread *toplist_places_compare(const struct toplist *list,
					    const struct top_entry *entry, uint32_t count);
