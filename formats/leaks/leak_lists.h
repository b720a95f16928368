/* leak_lists.h -- What Memcheck's monitor commands block_list and who_points_at print.
 *
 * Source  Valgrind 3.19: its manual, section 4.6, and what it printed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/leaks/leak_line.h"
#include "formats/leaks/leak_records.h"

/* leak_lists_write_blocks -- Writes the blocks of some loss records, with those that are lost with
 * them.
 *
 * r     of the check whose records have the numbers that the list names.
 * list  all blocks of the process, each with kinds as of R.
 * Returns false if there is no record of the first number.
 */
bool leak_lists_write_blocks(FILE *out, const struct leak_report *r,
			     const struct mu_leak_list *list);

/* leak_lists_write_pointers -- Writes what points into a range of memory. */
void leak_lists_write_pointers(FILE *out, const struct leak_report *r,
			       const struct mu_leak_list *list);

/* leak_report_put_record -- Writes a loss record with its call stack. In leak_report.c. */
void leak_report_put_record(const struct leak_writer *w, const struct leak_record *r, size_t number,
			    size_t count);
