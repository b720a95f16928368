/* save.h -- Writes a kept recording: images of a run, compacted and with checksums.
 *
 * Each image is appended when its process has ended; after each the file is a whole
 * recording, whatever happens later. See docs/format.md, section 10.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/base/error.h"
#include "profile/read/image.h"
#include "profile/read/segment.h"

/* Private. */
struct save {
	int fd;
	struct mu_segment head;
	struct mu_slot *slot;
	uint32_t room;		/* entries that the table in the file has */
	uint64_t end;		/* of the file */
};

/* save_begin -- Starts a kept recording in an empty file.
 *
 * fd     for writing, seekable; borrowed until save_end().
 * from   head of the recording the images come from: start times and configuration.
 * Returns 0, or -1 with ERR.
 */
int save_begin(struct save *k, int fd, const struct mu_segment *from, struct mu_error *err);

/* save_resume -- Continues a kept recording that another process began.
 *
 * fd     for reading and writing; borrowed until save_end().
 * since  head of a recording: a file that began before it is refused.
 * Returns false, with nothing changed, if the file is no such recording.
 */
bool save_resume(struct save *k, int fd, const struct mu_segment *since);

/* save_add -- Appends an image.
 *
 * im    of a dead process, else the copy mixes several moments.
 * slot  its entry in its own recording: process IDs and times are taken from it.
 * The event log is not kept: it has gone to the data file. Returns 0 or -1; after -1 the images
 * kept before are still good.
 */
int save_add(struct save *k, const struct image *im, const struct mu_slot *slot,
	     struct mu_error *err);

/* save_set_writer -- Notes in the file that process PID will add more images; 0: that it is
 * complete, as it is after save_begin(). Returns 0 or -1. */
int save_set_writer(struct save *k, pid_t pid, struct mu_error *err);

/* save_ends_with -- Tells whether the image that was kept last is that of a slot. */
bool save_ends_with(const struct save *k, const struct mu_slot *slot);

/* save_end -- Releases memory. The file stays open. */
void save_end(struct save *k);

/* save_verify -- Checks one image of a recording before it is used.
 *
 * All data that its entries refer to must fit into it (save_image_check()), and the checksums of a
 * kept recording must be right; other kinds have none. Returns 0, or -1 with ERR naming the first
 * section that is damaged.
 */
int save_verify(const struct segment *s, const struct image *im, struct mu_error *err);
