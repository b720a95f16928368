/* massif_text.h -- Prints a massif.out as text, byte for byte as ms_print does: graph, table and
 * trees.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusageprint/job/report_job.h"

/* massif_text_print -- Prints the report; a report_fn. */
int massif_text_print(const struct report_job *job);
