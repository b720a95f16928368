/* recording_report.h -- reports of a recording, and what it is converted to.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_RECORDING_REPORT_H
#define MEMUSAGEPRINT_RECORDING_REPORT_H

#include "memusageprint/reports.h"

/* recording_print -- make everything of a recording that the settings ask for; a report_fn. */
int recording_print(const struct report_job *job);

#endif
