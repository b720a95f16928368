/* massif_convert.h -- a massif.out in another format.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_EXPORT_MASSIF_CONVERT_H
#define MEMUSAGEPRINT_EXPORT_MASSIF_CONVERT_H

#include "memusageprint/reports.h"

/* massif_convert_print -- what --to asks for; a report_fn.
 *
 * Folded stacks and callgrind's format are of one moment, massif_peak()'s; JSON and massif.out
 * are of the whole run.
 */
int massif_convert_print(const struct report_job *job);

#endif
