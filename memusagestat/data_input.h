/* data_input.h -- the run to be drawn, whatever kind of file it is in.
 *
 * Opening reads the whole input once, so that everything about it is known before the first
 * pixel; then its events can be walked. Only input.c knows the kinds of files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGESTAT_DATA_INPUT_H
#define MEMUSAGESTAT_DATA_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/progress.h"
#include "formats/dat.h"

struct data_input {
	const char *name;	/* for messages; borrowed */
	uint64_t events;
	uint64_t heap_peak, stack_peak, total_peak;	/* bytes; no event exceeds them */
	uint64_t start, end;	/* times; end is not before start, events may lie outside */
	bool is_ns;		/* times are nanoseconds, else of unknown length */
	const char *command;	/* command line of the run, NULL if unknown */
	/* private */
	struct dat_reader dat;
	struct progress progress;
	int fd;
};

/* data_input_open -- open, recognise, read once.
 *
 * in    not to be moved until data_input_close().
 * name  "-" is standard input. Pipes are copied to a nameless temporary file first. The input
 *       is only read: it may be read-only, and is never repaired in place.
 * Warns of what is repaired in memory; dies, with the offset of the byte, if it is no input.
 * A terminal shows progress when it takes more than a second.
 */
void data_input_open(struct data_input *in, const char *name);

/* data_input_read -- the next events, in file order.
 *
 * Returns how many of MAX were stored, 0 at the end. Dies if the file cannot be read any more.
 */
size_t data_input_read(struct data_input *in, struct dat_record *batch, size_t max);

/* data_input_is_file -- whether NAME is the very file that is being read. */
bool data_input_is_file(const struct data_input *in, const char *name);

/* data_input_close -- release it. */
void data_input_close(struct data_input *in);

#endif
