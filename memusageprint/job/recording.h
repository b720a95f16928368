/* recording.h -- An open recording, and the images in it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "memusageprint/job/input.h"
#include "memusageprint/job/settings.h"
#include "profile/read/pick.h"
#include "profile/read/segment.h"

struct merge;

struct recording {
	struct segment segment;
	const char *name;	/* for messages */
	bool is_nameless;	/* memusage keeps what it makes for its own reports only so */
	struct merge *merge;	/* of --merge: what it was made of; NULL: nothing else */
};

/* No slot of a recording has this number. */
#define RECORDING_NONE PICK_NONE

/* recording_open -- Maps the file; the contents of a compressed file or a pipe are copied first.
 *
 * in    nothing of its text has been read; borrowed.
 * file  its name as an operand of the command line.
 * Returns 0, or -1 after a warning. It also warns of a file that is cut short, of which some
 * processes can be read; r->segment.missing is then not 0.
 */
int recording_open(struct recording *r, struct input *in, const char *file);

/* recording_file_is_nameless -- Tells whether the operand FILE is a nameless file of memusage. */
bool recording_file_is_nameless(const char *file);

/* recording_close -- Releases it. */
void recording_close(struct recording *r);

/* recording_main -- Returns the slot of the last image of the process of --pid; without it, of the
 * one that memusage started, or of the first recorded one.
 *
 * Returns RECORDING_NONE if that image cannot be read.
 */
uint32_t recording_main(const struct recording *r, const struct settings *settings);
