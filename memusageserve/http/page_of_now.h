/* page_of_now.h -- The HTML page of the processes that run now.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "memusageserve/source/look.h"
#include "profile/base/error.h"

/* page_of_now_write -- Writes the page: it opens with the process that holds most.
 *
 * l  with RUN_ALL and names.
 * Returns 0, or -1 with ERR: no page was built.
 */
int page_of_now_write(FILE *out, const struct look *l, struct mu_error *err);
