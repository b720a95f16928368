/* recording_report.h -- Reports and exports of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusageprint/job/recording.h"
#include "memusageprint/job/report_job.h"

/* recording_report_print -- Makes every report and file that the settings ask for; a report_fn. */
int recording_report_print(const struct report_job *job);

/* recording_report_print_open -- Does the same for a recording that is open, without job->in.
 * Returns 0, or -1 after a warning. */
int recording_report_print_open(const struct report_job *job, const struct recording *r);
