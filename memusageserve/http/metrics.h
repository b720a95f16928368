/* metrics.h -- The figures of all processes for Prometheus.
 *
 * Source Prometheus, "Text-based format" 0.0.4; OpenMetrics 1.0.0.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "memusageserve/source/look.h"
#include "memusageserve/source/push_counts.h"

/* metrics_write -- Writes the figures of all processes of a look.
 *
 * l               with RUN_PLACES.
 * pushes          of --push; NULL: nothing is pushed.
 * is_openmetrics  in the form of OpenMetrics; otherwise in that of Prometheus.
 */
void metrics_write(FILE *out, const struct look *l, const struct push_counts *pushes,
		   bool is_openmetrics);
