/* recordfile.h -- The recording that --record keeps.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "memusage/options/settings.h"
#include "profile/save/save.h"

struct recordfile {
	const char *pattern;	/* NULL: the user wants no recording */
	char *name;		/* of the open file; NULL: nameless, for reports only */
	int fd;			/* -1: not open */
	struct save keep;
	unsigned int images;   /* images in the file */
	uint64_t lost;	       /* images that could not be saved */
	struct mu_error error; /* why images were lost */
};

/* recordfile_pattern -- Returns the file name pattern of --record; NULL if the user wants no
 * recording. */
const char *recordfile_pattern(const struct settings *settings);

/* recordfile_check -- Checks, before the program runs, that a recording can be saved.
 *
 * Opens a name without %p at once, or a nameless file if only reports need one. Dies with a message
 * on failure.
 */
void recordfile_check(struct recordfile *r, const struct settings *settings);

/* recordfile_begin -- Notes in the file, which has no image yet, that this process will add some.
 *
 * A reader can then ask this process for those that still run. Continues the file of a collector
 * that was killed. A failure has no effect: the first image tries again.
 * pid   of the started program, for the name of the file.
 * from  head of the first recording of this run.
 */
void recordfile_begin(struct recordfile *r, pid_t pid, const struct mu_segment *from,
		      bool was_killed);

/* recordfile_add -- Saves an image of a process that has ended.
 *
 * pid   of the started program, for the name of the file.
 * from  head of the recording of the image.
 */
void recordfile_add(struct recordfile *r, pid_t pid, const struct mu_segment *from,
		    const struct image *im, const struct mu_slot *slot);

/* recordfile_resume -- Continues the file of a collector that was killed, if it is of this run.
 *
 * since  head of the first recording of this run.
 */
void recordfile_resume(struct recordfile *r, pid_t pid, const struct mu_segment *since);

/* recordfile_complete -- Notes in the file that no process will be added: readers need not ask. */
void recordfile_complete(struct recordfile *r);

/* recordfile_close -- Completes and closes the file. */
void recordfile_close(struct recordfile *r);
