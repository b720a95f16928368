/* recordfile.h -- the recording that --record keeps.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_RECORD_RECORDFILE_H
#define MEMUSAGE_RECORD_RECORDFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "memusage/options/settings.h"
#include "profile/save/save.h"

struct recordfile {
	const char *pattern;	/* NULL: nothing is to be kept for the user */
	char *name;		/* once it is open; NULL: a nameless file, for reports */
	int fd;			/* -1: not open */
	struct save keep;
	unsigned int images;	/* that it holds */
	uint64_t lost;		/* images that could not be kept */
	struct mu_error error;	/* why */
};

/* recordfile_check -- make sure, before the program runs, that a recording can be kept.
 *
 * A name without %p is opened now, and a nameless file if only reports need one. Dies with a
 * message if that fails.
 */
void recordfile_check(struct recordfile *r, const struct settings *settings);

/* recordfile_add -- keep an image of a process that has ended.
 *
 * pid   of the started program, for the name of the file.
 * from  head of the recording the image is in.
 */
void recordfile_add(struct recordfile *r, pid_t pid, const struct mu_segment *from,
		    const struct image *im, const struct mu_slot *slot);

/* recordfile_resume -- go on with what a collector that was killed has kept, if it is of this run.
 *
 * since  head of the first recording of this run. recordfile_add() does it, too.
 */
void recordfile_resume(struct recordfile *r, pid_t pid, const struct mu_segment *since);

/* recordfile_close -- nothing more will come. */
void recordfile_close(struct recordfile *r);

#endif
