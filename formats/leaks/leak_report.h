/* leak_report.h -- The result of a leak check as Memcheck prints it.
 *
 * Every line begins with "==PID== ". A *loss record* is the blocks of one call stack that can be
 * reached in one way. The order of records, the words and the places of blanks are Memcheck's, so
 * that what reads its reports reads these.
 *
 * Source  Valgrind 3.19: its manual, section 4.2.9, and reports that it wrote.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "formats/leaks/leak_input.h"

/* leak_report_write -- Writes the report. Returns how many records count as errors. */
unsigned int leak_report_write(FILE *out, const struct leak_report *r);
