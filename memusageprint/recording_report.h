/* recording_report.h -- Reports and exports of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusageprint/job/report_job.h"

/* recording_report_print -- Makes every report and file that the settings ask for; a report_fn. */
int recording_report_print(const struct report_job *job);
