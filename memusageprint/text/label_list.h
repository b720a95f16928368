/* label_list.h -- How much was allocated under each set of labels (MEMUSAGE_LABEL).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "profile/model/filter.h"
#include "profile/read/site_errors.h"
#include "profile/read/sites.h"

struct label_list {
	const struct filter *filter;
	const struct weight *weight;	/* one per site */
	bool by_blocks;			/* order and shares by blocks instead of bytes */
	bool lacks_blocks;		/* they are not known: print none */
	bool is_change;			/* a weight below 0 is a loss, not an error */
	double distance;		/* mean bytes between two samples; 0: print no bounds */
};

/* The memory that was allocated under one set. */
struct label_sum {
	uint32_t set;
	int64_t bytes, blocks;
	struct sampled_error error;	/* of estimates */
};

/* label_list_sum -- add up the sites of each set of labels.
 *
 * group  numbers of the sites that count: those with group[site] == wanted; NULL: all.
 * count  set to the number of sums.
 * Returns sums above 0, largest first, to be freed; NULL if no site has labels.
 */
struct label_sum *label_list_sum(const struct label_list *list, const uint32_t *group,
				 uint32_t wanted, uint32_t *count);

/* label_list_put_shares -- Prints "request=login 60.0%, request=search 40.0%", without a line end.
 *
 * sum  COUNT of them, from label_list_sum(); the first four are named.
 */
void label_list_put_shares(FILE *out, const struct label_list *list, const struct label_sum *sum,
			   uint32_t count);

/* label_list_put -- Prints the list of all sets, and nothing if no site has labels.
 *
 * out  a layout_open() stream.
 */
void label_list_put(FILE *out, const struct label_list *list);
