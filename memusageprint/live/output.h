/* output.h -- The last lines that the program of a live view has written.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OUTPUT_TAIL = 1 << 18 };	/* bytes at the end of the file that are shown */

/* Zeroed but for the descriptor, nothing was read. */
struct live_output {
	int fd;			/* of the file; -1: there is none. Borrowed */
	uint64_t size;		/* of the file when it was read */
	char **line;		/* without control characters, ended by NULL */
	uint32_t count;
	bool is_cut;		/* there is more before the first line */
};

/* output_read -- Brings the lines up to date. Returns whether they have changed.
 *
 * Cost as little as fstat() if the file is as long as before.
 */
bool output_read(struct live_output *o);

/* output_split -- Takes TEXT of SIZE bytes for the lines.
 *
 * Escape sequences are removed, a carriage return begins the line again, tabs become spaces, and
 * other control characters become question marks.
 */
void output_split(struct live_output *o, const char *text, size_t size);

/* output_free -- Releases the lines. Accepts a zeroed struct, and a second call. */
void output_free(struct live_output *o);
