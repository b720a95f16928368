/* text_report.h -- who allocated: texts about the places of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_TEXT_TEXT_REPORT_H
#define MEMUSAGEPRINT_TEXT_TEXT_REPORT_H

#include <stdio.h>

#include "memusageprint/job/report_subject.h"

/* text_report_print -- print the reports that settings->text asks for; --top without any.
 *
 * Returns 0, or -1 after a warning.
 */
int text_report_print(FILE *out, struct report_subject *s, const struct settings *settings);

#endif
