/* callers.h -- The tree of the callers of one place in a live view.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "memusageprint/live/look.h"
#include "memusageprint/live/places.h"
#include "memusageprint/live/rows.h"

struct caller_node;

/* Zeroed, it has no place. Its nodes stay as they are until there are new sites. */
struct live_callers {
	uint32_t place;			/* key of its name in its grouping */
	enum top_kind group;
	enum top_kind names;		/* how callers are named: TOP_BY_LINE or TOP_BY_FUNCTION */
	/* Private. */
	struct caller_node *node;	/* the first is the place; parents stand before callers */
	uint32_t count, room;
	uint32_t *leaf;			/* per site: its outermost node and 1; 0: it is not of the
					 * place */
	uint32_t sites;
	uint32_t loads;			/* of the places from which they were made */
};

/* callers_choose -- Takes another place, or other names; the nodes are made by callers_build(). */
void callers_choose(struct live_callers *c, uint32_t place, enum top_kind group,
		    enum top_kind names);

/* callers_build -- Makes the rows: the place, and below it its callers, each before its own.
 *
 * r          overwritten; free with rows_free().
 * now, before, mark  zeroed: there is none.
 * seconds    as in struct live_sheets.
 * order      of the callers of each row; its filter does not matter.
 * Cost O(sites + nodes), and names when there are new sites. Dies without memory.
 */
void callers_build(struct live_rows *r, struct live_callers *c, struct places *places,
		   const struct look *now, const struct look *before, const struct look *mark,
		   double seconds, const struct live_order *order);

/* callers_free -- Releases memory. Accepts a zeroed struct, and a second call. */
void callers_free(struct live_callers *c);
