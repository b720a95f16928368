/* recording.h -- An open recording, and the images in it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_JOB_RECORDING_H
#define MEMUSAGEPRINT_JOB_RECORDING_H

#include <stdint.h>
#include <sys/types.h>

#include "memusageprint/job/input.h"
#include "profile/read/pick.h"
#include "profile/read/segment.h"

struct recording {
	struct segment segment;
	const char *name;	/* for messages */
};

/* No slot of a recording has this number. */
#define RECORDING_NONE PICK_NONE

/* recording_open -- Maps the file. Returns 0, or -1 after a warning. */
int recording_open(struct recording *r, const struct input *in, const char *file);

/* recording_close -- Releases it. */
void recording_close(struct recording *r);

/* recording_main -- Returns the slot of the last image of the first recorded process, which is the
 * one that memusage started, or RECORDING_NONE if no image can be read. */
uint32_t recording_main(const struct recording *r);

/* recording_find -- Returns the slot of the last image of a process, or RECORDING_NONE. */
uint32_t recording_find(const struct recording *r, pid_t pid);

#endif
