/* merged_report.h -- The reports of --merge: all processes of all files as one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cli/output.h"
#include "memusageprint/job/settings.h"

/* merged_report_print -- Merges the recordings of the command line and prints the reports that the
 * settings ask for.
 *
 * output  opened when something is printed.
 * Returns 0, or -1 after a warning: a file could not be read, though the report has the others.
 */
int merged_report_print(const struct settings *settings, struct output *output);
