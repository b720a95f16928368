/* reports.h -- Chooses the report for a file.
 *
 * A new report is a report_fn, a row in the table of reports.c, and an option in command_line.c
 * (see CONTRIBUTING.md, "How to add a report").
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusageprint/job/report_job.h"

/* reports_print -- Prints the report that the settings ask for. Returns 0, or -1 after a
 * warning. */
int reports_print(const struct report_job *job);
