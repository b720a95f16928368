/* import_report.h -- Lists and trees of places of a massif.out and of a profile of DHAT.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusageprint/job/report_job.h"

/* import_report_massif -- Prints --plot, --top, --tree and --leaks of a massif.out; a report_fn.
 *
 * It refuses other reports of places, with what the file lacks. A massif.out does not count blocks.
 */
int import_report_massif(const struct report_job *job);

/* import_report_dhat -- Prints --top, --tree and --leaks of a profile of DHAT; a report_fn. */
int import_report_dhat(const struct report_job *job);
