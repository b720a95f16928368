/* page_trends.h -- Verdicts on the places of a page: a place grows, has settled, or churns.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/export.h"
#include "formats/page/page.h"
#include "formats/page/page_stacks.h"
#include "profile/read/site_errors.h"

/* page_put_trends -- Writes the member "trends": for each grouping of lists (line, function, file,
 * object) the nodes of the page that have a verdict, as pairs of a node and enum trend.
 *
 * j  between two members of the page.
 * s  the stacks of E. errors  of its sites, NULL: they are exact
 * c  of the tree of S. The verdicts are of whole places, also of their nodes that C leaves out.
 * If there are more than 4096 sites, only places with a thousandth of the heap's peak are judged.
 * Cost O(sites + nodes), and that of place_trends_judge() for each grouping.
 */
void page_put_trends(struct page_json *j, const struct export *e, const struct page_stacks *s,
		     const struct site_errors *errors, const struct page_cut *c);
