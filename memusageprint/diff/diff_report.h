/* diff_report.h -- The reports of --diff.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cli/output.h"
#include "memusageprint/job/settings.h"

/* diff_report_print -- Compares the two files of the command line and prints what the settings ask
 * for.
 *
 * The output is opened when both files have turned out to be good.
 * Returns 0, or -1 after a warning.
 */
int diff_report_print(const struct settings *settings, struct output *output);
