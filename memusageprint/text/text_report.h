/* text_report.h -- Texts about an image of a recording: summary, places, marks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "memusageprint/job/report_subject.h"

/* text_report_print -- Prints texts about one process.
 *
 * text  bits of enum text_report, not TEXT_PROCESSES.
 * Returns 0, or -1 after a warning.
 */
int text_report_print(FILE *out, struct report_subject *s, const struct settings *settings,
		      unsigned text);
