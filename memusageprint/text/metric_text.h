/* metric_text.h -- Words and percentages for metrics, in reports for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "profile/read/sites.h"

/* metric_text -- Returns words for the bytes of a metric: "live when the heap was largest". */
const char *metric_text(enum metric_kind kind);

/* metric_text_put_nothing -- Says that nothing is in a report, in a line.
 *
 * words   of the metric, as from metric_text().
 * unseen  as in struct toplist: blocks of which none was sampled may be there. 0: there are none.
 */
void metric_text_put_nothing(FILE *out, const char *words, double unseen);

/* metric_text_percent -- Returns PART of WHOLE in percent; 0 if WHOLE is 0. */
double metric_text_percent(int64_t part, int64_t whole);
