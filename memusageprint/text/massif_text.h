/* massif_text.h -- a massif.out as text: graph, table and trees, to the byte as ms_print's.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_TEXT_MASSIF_TEXT_H
#define MEMUSAGEPRINT_TEXT_MASSIF_TEXT_H

#include "memusageprint/job/report_job.h"

/* massif_text_print -- the report of a massif.out; a report_fn. */
int massif_text_print(const struct report_job *job);

#endif
