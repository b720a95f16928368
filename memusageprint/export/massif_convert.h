/* massif_convert.h -- Converts a massif.out to another format.
 *
 * Each function begins the report and writes it. A massif.out and JSON contain the whole run;
 * folded stacks and callgrind's format contain one moment, that of massif_peak(). Each returns 0,
 * or -1 after a warning.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_EXPORT_MASSIF_CONVERT_H
#define MEMUSAGEPRINT_EXPORT_MASSIF_CONVERT_H

#include "formats/massif.h"
#include "memusageprint/job/report_job.h"

/* massif_convert_to_massif -- Writes a massif.out without what the parser skips. */
int massif_convert_to_massif(const struct report_job *job, const struct massif_file *m);

/* massif_convert_to_json -- Writes JSON. */
int massif_convert_to_json(const struct report_job *job, const struct massif_file *m);

/* massif_convert_to_folded -- Writes folded stacks. */
int massif_convert_to_folded(const struct report_job *job, const struct massif_file *m);

/* massif_convert_to_callgrind -- Writes callgrind's format. */
int massif_convert_to_callgrind(const struct report_job *job, const struct massif_file *m);

#endif
