/* recorded_process.h -- Loads a process of a recording, with names.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "formats/export.h"
#include "memusagestat/settings.h"
#include "profile/model/runtime_frames.h"
#include "profile/read/process_list.h"
#include "profile/read/result.h"
#include "profile/read/segment.h"

struct recorded_process {
	struct segment segment;
	struct image image;
	struct profile profile;
	struct filter filter;
	struct program_stacks program;	/* after recorded_process_hide_runtime() */
	struct result result;
	struct export export;	/* refers to the fields above */
	uint32_t slot;		/* of the image */
	struct process_list processes; /* of the recording */
	char *command;
};

/* recorded_process_open -- Loads an image of the recording FILE and names its addresses.
 *
 * r  not to be moved until recorded_process_close().
 * s  its alloc_fn, no_names_cache and pid count; pid 0: the process that held most at its peak.
 * Dies with a message if there is nothing to show.
 */
void recorded_process_open(struct recorded_process *r, const char *file,
			   const struct settings *s);

/* recorded_process_hide_runtime -- Leaves frames of run-times out of r->export.
 *
 * s  as given to recorded_process_open().
 * Dies without memory.
 */
void recorded_process_hide_runtime(struct recorded_process *r, const struct settings *s);

/* recorded_process_close -- Releases everything. */
void recorded_process_close(struct recorded_process *r);
