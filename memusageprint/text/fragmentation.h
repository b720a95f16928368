/* fragmentation.h -- What keeps the heap resident, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "memusageprint/job/report_subject.h"

/* fragmentation_print -- Prints what the pages of the heap are resident for.
 *
 * out  a stream of layout_open().
 * Returns 0, or -1 after a warning: the pages of this process were not examined.
 */
int fragmentation_print(FILE *out, struct report_subject *s, const struct settings *settings);
