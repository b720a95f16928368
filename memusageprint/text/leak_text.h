/* leak_text.h -- The leak checks of a process, as Memcheck prints them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "memusageprint/job/report_subject.h"

/* leak_text_print -- Prints the results of all leak checks of an image, in the order of time.
 *
 * Returns 0, or -1 after a warning: there was no check.
 */
int leak_text_print(FILE *out, struct report_subject *s, const struct settings *settings);

/* leak_text_errors -- Returns how many loss records of all reports so far count as errors. */
unsigned int leak_text_errors(void);
