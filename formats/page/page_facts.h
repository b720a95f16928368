/* page_facts.h -- what a report page says of a process in figures and words.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/page/page_subject.h"

/* page_put_facts -- write the members "run", "processes", "recorded", "totals", "counters",
 * "sizes", "threads", "memory", "notes" and "figures". */
void page_put_facts(struct page_json *j, const struct page_image *p);
