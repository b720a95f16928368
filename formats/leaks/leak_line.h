/* leak_line.h -- Lines of Memcheck's reports: text, and call stacks.
 *
 * Private to this room.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/leaks/leak_input.h"

struct leak_writer {
	FILE *out;
	const struct leak_report *r;
	bool has_delta; /* changes since the check before are printed */
};

/* leak_line_begin -- Writes "==PID== ". */
void leak_line_begin(const struct leak_writer *w);

/* leak_line_put -- Writes that, a text as printf() does, and the end of the line. */
__attribute__((format(printf, 2, 3))) void leak_line_put(const struct leak_writer *w,
							 const char *format, ...);

/* leak_line_put_stack -- Writes the call stack of a site, a line for each function. */
void leak_line_put_stack(const struct leak_writer *w, uint32_t site);

/* leak_line_allocating_function -- Returns the name of the recorder's function that made the blocks
 * of a site, with its address; NULL if there is none, or if the first frame of the stack counts as
 * that one. */
const char *leak_line_allocating_function(const struct leak_report *r, uint32_t site,
					  uint64_t *address);
