/* save.h -- write a kept recording: images of a run, compacted and with checksums.
 *
 * Each image is appended when its process has ended; after each the file is a whole
 * recording, whatever happens later. See docs/format.md, section 10.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PROFILE_SAVE_SAVE_H
#define PROFILE_SAVE_SAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/base/error.h"
#include "profile/read/image.h"
#include "profile/read/segment.h"

/* Private. */
struct keep {
	int fd;
	struct mu_segment head;
	struct mu_slot *slot;
	uint32_t room;		/* entries that the table in the file has */
	uint64_t end;		/* of the file */
};

/* keep_begin -- start a kept recording in an empty file.
 *
 * fd     for writing, seekable; borrowed until keep_end().
 * from   head of the recording the images come from: start times and configuration.
 * Returns 0, or -1 with ERR.
 */
int keep_begin(struct keep *k, int fd, const struct mu_segment *from, struct mu_error *err);

/* keep_resume -- go on with a kept recording that another process began.
 *
 * fd     for reading and writing; borrowed until keep_end().
 * since  head of a recording: one that began before it is not meant.
 * Returns false, with nothing changed, if the file is no such recording.
 */
bool keep_resume(struct keep *k, int fd, const struct mu_segment *since);

/* keep_add -- append an image.
 *
 * im    of a dead process, else what is kept is of no one moment.
 * slot  its entry in its own recording: process IDs and times are taken from it.
 * The event log is not kept: it has gone to the data file. Returns 0 or -1; after -1 what was
 * kept before is still good.
 */
int keep_add(struct keep *k, const struct image *im, const struct mu_slot *slot,
	     struct mu_error *err);

/* keep_ends_with -- whether the image that was kept last is that of a slot. */
bool keep_ends_with(const struct keep *k, const struct mu_slot *slot);

/* keep_end -- release memory. The file stays open. */
void keep_end(struct keep *k);

/* keep_verify -- check one image of a recording, before anything is made of it.
 *
 * What its entries refer to must have room in it (keep_image_check()), and the checksums of a kept
 * recording be right; other kinds have none. Returns 0, or -1 with ERR naming the first section
 * that is damaged.
 */
int keep_verify(const struct segment *s, const struct image *im, struct mu_error *err);

#endif
