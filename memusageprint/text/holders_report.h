/* holders_report.h -- What holds the heap, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "memusageprint/job/report_subject.h"
#include "memusageprint/job/settings.h"

/* holders_print -- Prints which variables, threads and mappings retain most, with the way from
 * there to the blocks, and which places retain most; of the last moment that was examined.
 *
 * out  from layout_open().
 * Returns 0, or -1 after a warning: nothing was examined.
 */
int holders_print(FILE *out, struct report_subject *s, const struct settings *settings);
