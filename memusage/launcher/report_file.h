/* report_file.h -- Open the destination of the report.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/record/session.h"

/* report_file_open -- Opens the file of --output, or a copy of standard error, for report and text
 * of S, whose settings are set.
 *
 * Dies with a message if the file cannot be written.
 */
void report_file_open(struct session *s);
