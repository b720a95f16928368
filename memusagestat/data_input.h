/* data_input.h -- Reads the data file of a run.
 *
 * data_input_open() reads the whole file once, so that peaks and times are known before the first
 * pixel; data_input_read() then reads its events again.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

#include "cli/progress.h"
#include "formats/dat.h"

struct data_input {
	const char *name;	/* for messages; borrowed */
	struct dat_reader dat;	/* its info is final; events may lie outside of start and end */
	/* private */
	struct progress progress;
	int fd;
};

/* data_input_open -- Opens a data file and reads it once.
 *
 * in    not to be moved until data_input_close().
 * name  "-" is standard input. A pipe is copied to a nameless temporary file first. The file is
 *       only read: it may be read-only, and is never repaired in place.
 * Warns of everything that is repaired in memory. Dies, with the offset of the byte, if it is no
 * data file. A terminal shows the progress if reading takes more than a second.
 */
void data_input_open(struct data_input *in, const char *name);

/* data_input_read -- Reads the next events, in the order of the file.
 *
 * Returns how many of MAX were stored, 0 at the end. Dies if the file can no longer be read.
 */
size_t data_input_read(struct data_input *in, struct dat_record *batch, size_t max);

/* data_input_close -- Releases the input. */
void data_input_close(struct data_input *in);
