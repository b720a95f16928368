/* recorded_process.h -- Loads a process of a recording, with names.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGESTAT_RECORDED_PROCESS_H
#define MEMUSAGESTAT_RECORDED_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

#include "formats/export.h"
#include "profile/read/result.h"
#include "profile/read/segment.h"

struct recorded_process {
	struct segment segment;
	struct image image;
	struct profile profile;
	struct filter filter;
	struct result result;
	struct export export;	/* refers to the fields above */
	uint32_t images;	/* in the recording */
	char *command;
};

/* recorded_process_open -- Loads an image of the recording FILE and names its addresses.
 *
 * r    not to be moved until recorded_process_close().
 * pid  the process; 0: the one that was started.
 * Dies with a message if there is nothing to show.
 */
void recorded_process_open(struct recorded_process *r, const char *file, pid_t pid);

/* recorded_process_close -- Releases everything. */
void recorded_process_close(struct recorded_process *r);

#endif
