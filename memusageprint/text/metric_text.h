/* metric_text.h -- Words and percentages for metrics, in reports for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "profile/read/sites.h"

/* metric_text -- Returns words for the bytes of a metric: "live when the heap was largest". */
const char *metric_text(enum metric_kind kind);

/* metric_text_percent -- Returns PART of WHOLE in percent; 0 if WHOLE is 0. */
double metric_text_percent(int64_t part, int64_t whole);
