/* page_labels.h -- the member "labels" of a page: the values of the sites by set of labels.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/page/page_json.h"
#include "formats/page/page_tree.h"
#include "profile/model/profile.h"

/* page_put_labels -- write the values of each set of labels, and of what has none.
 *
 * s  as for page_put_sites(): its sites are those of P. Without labels nothing is written. The
 *    largest sets are members of their own, all others are one, so that the sum stays true.
 */
void page_put_labels(struct page_json *j, const struct profile *p, const struct page_cut *c,
		     const struct page_sites *s);
