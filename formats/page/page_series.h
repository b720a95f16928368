/* page_series.h -- the curves of a report page: samples of a recording, and marks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/page/page_json.h"
#include "profile/read/image.h"

/* page_put_series -- write the members "samples" and "marks".
 *
 * points  most samples; of more, each stands for several and has their largest figures.
 */
void page_put_series(struct page_json *j, const struct image *im, uint32_t points);
