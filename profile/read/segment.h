/* segment.h -- open a recording of any kind and reach its images.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/base/error.h"
#include "profile/read/image.h"
#include "recording/recording.h"

/* Slots a reader believes in. */
enum { SEGMENT_SLOTS_MAX = 1 << 16 };

/* head is a copy whose geometry has been checked against size; the counters in it that
 * change (wake, processes_without_slot) are as they were at the opening. */
struct segment {
	const uint8_t *base;
	uint64_t size;
	struct mu_segment head;
	uint64_t missing;	/* bytes of a kept recording behind the end of its file */
	bool is_mapped;		/* by segment_open(): segment_close() unmaps it */
	/* One per slot, with segment_watch(); NULL: everything is read, holes too. */
	struct backed *backed;
};

/* segment_open -- map a private copy of the recording FILE, which is not written to.
 *
 * Symbolic links are followed; anything but a regular file is refused.
 * Returns 0, or -1 with ERR; S is then closed.
 */
int segment_open(struct segment *s, const char *file, struct mu_error *err);

/* segment_open_fd -- the same of an open file, which may have no name; FD stays the caller's. */
int segment_open_fd(struct segment *s, int fd, struct mu_error *err);

/* segment_is_being_written -- Tells whether a kept recording says that images will be added, by
 * process s->head.writer. */
bool segment_is_being_written(const struct segment *s);

/* segment_file_is_complete -- Tells whether the kept recording FD has all its images by now. */
bool segment_file_is_complete(int fd);

/* segment_view -- take SIZE bytes at BASE as a recording; they stay the caller's.
 *
 * Returns 0, or -1 if this is no recording or its geometry is impossible.
 */
int segment_view(struct segment *s, const void *base, uint64_t size, struct mu_error *err);

/* segment_close -- give the mapping back. Fine after a failed opening, and twice. */
void segment_close(struct segment *s);

/* segment_watch -- read from now on only what of the shared memory FD is backed.
 *
 * s   of all that FD has, which is mapped at s->base. Copies of it share what is known.
 * fd  may be closed afterwards.
 * Returns 0, or -1 with ERR; segment_unwatch() one of the copies in the end.
 */
int segment_watch(struct segment *s, int fd, struct mu_error *err);

/* segment_unwatch -- release that. Fine if it is not watched. */
void segment_unwatch(struct segment *s);

/* segment_forget -- slot K holds nothing any more: nothing is known of what will be there. */
void segment_forget(const struct segment *s, uint32_t k);

/* segment_slot -- copy entry K of the slot table; false if there is none. */
bool segment_slot(const struct segment *s, uint32_t k, struct mu_slot *slot);

/* segment_is_same -- whether two entries of slot tables, kept or not, are of one image. */
bool segment_is_same(const struct mu_slot *a, const struct mu_slot *b);

/* segment_image -- the image in slot K.
 *
 * Returns 0, or -1 with ERR when the slot holds none that can be read.
 */
int segment_image(const struct segment *s, uint32_t k, struct image *im, struct mu_error *err);

/* Big enough for the text of segment_damage(). */
enum { SEGMENT_DAMAGE_LENGTH = 160 };

/* segment_damage -- Says how much of a kept recording is missing, and what can still be read.
 *
 * text  gets the message, to follow "FILE: ".
 * Returns how many images can be read whole; text is empty if nothing is missing.
 */
uint32_t segment_damage(const struct segment *s, char text[SEGMENT_DAMAGE_LENGTH]);

/* segment_start_ns -- when the process of an image began, by CLOCK_REALTIME. */
uint64_t segment_start_ns(const struct segment *s, const struct image *im);
