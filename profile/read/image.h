/* image.h -- checked access to one image of a recording.
 *
 * The memory behind an image may be written by a hostile process while it is read, so
 * everything is copied out first and judged afterwards, and every offset and count is
 * bounded by the image. A field that makes no sense reads as "nothing there".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/base/error.h"
#include "profile/read/backed.h"
#include "recording/recording.h"

/* Bounds on what a reader believes, whatever the recording says. */
enum {
	IMAGE_THREADS_MAX = 1 << 17,
	IMAGE_STRING_MAX = 1 << 16,
	IMAGE_OUTSIDE_CHECKS = 3
};

/* Offsets that name bytes of image.outside. No image is that large. */
#define IMAGE_OUTSIDE (UINT64_C(1) << 62)

/* A table in our own memory. */
struct image_table {
	const void *entries;	/* borrowed; NULL: the image's own table counts */
	uint64_t count;
	size_t size;		/* of an entry */
};

struct image {
	const uint8_t *base;	/* of the image in memory */
	uint64_t size;		/* bytes that may be read */
	struct mu_image head;	/* copied by image_load() or image_refresh() */
	/* Tables that stand for those of the image; image_replace(). */
	struct image_table replaced[MU_SEC_COUNT];
	uint64_t rss_peak;	/* known to the collector; unless head.rss_peak is larger */
	/* Values of snapshots that were taken from outside, at offsets from IMAGE_OUTSIDE on.
	 * Borrowed. */
	const uint8_t *outside;
	uint64_t outside_size;
	/* Leak checks made from outside, in the order of time; borrowed, NULL none. */
	const struct mu_leak_check *outside_check[IMAGE_OUTSIDE_CHECKS];
	const struct mu_pages *pages; /* found from outside; borrowed. NULL: those of the image */
	const struct mu_holders *const *holders; /* likewise; besides those of the image */
	uint32_t holder_count;
	struct mu_batch batch;	/* copied with the header; batch.h */
	uint64_t batch_cell[MU_BATCH]; /* the cell in which each free of it counts */
	bool is_file;		/* of a file that segment_open() mapped: see image_forget() */
	struct backed *backed;	/* of shared memory: nothing else of it is read; NULL: all is */
};

/* image_load -- take hold of the image at BASE.
 *
 * base    8-byte aligned memory of SIZE bytes that outlives the image.
 * backed  of shared memory, of which only what it has is read; borrowed, and kept up as the image
 *         grows. NULL: all may be read.
 * Returns 0, or -1 when no image has been published there or its version is unknown.
 * Cost  copies the header (14 KiB).
 */
int image_load(struct image *im, const void *base, uint64_t size, struct backed *backed,
	       struct mu_error *err);

/* image_refresh -- copy the header again; a live image moves on. With batch_take(). */
void image_refresh(struct image *im);

/* image_replace -- Lets COUNT entries of SIZE bytes stand for a table of the image.
 *
 * The collector holds the timeline of an image that is being recorded; snapshots may be taken from
 * outside; and the tables that change all the time are copied at one moment.
 *
 * entries  borrowed as long as the image is used, even if there are none. NULL changes nothing.
 */
void image_replace(struct image *im, enum mu_section section, const void *entries, uint64_t count,
		   size_t size);

/* image_at -- where LENGTH bytes at OFFSET can be read, or NULL if they are not all inside.
 *
 * The bytes may change while they are looked at, and a compiler may read them twice where the
 * source does once. For atomic loads, and for bytes of which nothing depends on the values;
 * image_copy() is for everything else. tests/lint/image.t has the list of callers.
 */
const void *image_at(const struct image *im, uint64_t offset, uint64_t length);

/* image_copy_bytes -- copy LENGTH bytes from memory that others may write meanwhile.
 *
 * to  private memory: what it holds afterwards does not change, whatever they do.
 */
void image_copy_bytes(void *to, const void *from, size_t length);

/* image_copy -- copy LENGTH bytes at OFFSET out, as image_copy_bytes().
 *
 * Returns false, and leaves TO alone, if they are not all inside.
 */
bool image_copy(const struct image *im, uint64_t offset, void *to, size_t length);

/* image_bytes -- Returns the bytes of the image that are used and backed.
 *
 * Entries and what they name can be larger together only if they share bytes, as no honest ones do.
 * The collector's part of an image that is being recorded counts too.
 */
uint64_t image_bytes(const struct image *im);

/* image_is_merge -- Tells whether the image is the sum of several processes, each of which ended at
 * its own time: no other has the process ID 0. */
static inline bool image_is_merge(const struct image *im)
{
	return im->head.process.pid == 0;
}

/* image_is_above_peak -- Tells whether the heap is above the last peak that was noted, and so at
 * its peak. That of a merge never is: it is the sum of what processes had at their ends, each at
 * its own time, and so may be more than they ever had together. */
static inline bool image_is_above_peak(const struct image *im)
{
	return im->head.heap.now > im->head.heap.peak && !image_is_merge(im);
}

/* image_count -- entries of a table that can really be there: 0 for an absent section.
 *
 * Cost: some ten comparisons. A loop asks once.
 */
uint64_t image_count(const struct image *im, enum mu_section section);

/* image_entry -- Returns a pointer to entry INDEX of a table, or NULL.
 *
 * size  bytes the caller means to read; an entry that is smaller reads as NULL.
 * As image_at(): for atomic loads and stores.
 */
const void *image_entry(const struct image *im, enum mu_section section, uint64_t index,
			size_t size);

/* image_copy_entry -- copy the first SIZE bytes of entry INDEX of a table out, as image_copy().
 *
 * Returns false, and leaves TO alone, if there is none or it is smaller.
 */
bool image_copy_entry(const struct image *im, enum mu_section section, uint64_t index, void *to,
		      size_t size);

/* Bytes of a struct mu_thread without its histogram, for image_copy_entry(). */
#define IMAGE_THREAD_FIGURES (offsetof(struct mu_thread, counters) + \
			      offsetof(struct mu_counters, hist_low))

/* image_snapshot -- Copies snapshot INDEX out.
 *
 * Returns false, and leaves *SHOT alone, if there is none. Its values are not copied, only their
 * offset.
 */
bool image_snapshot(const struct image *im, uint64_t index, struct mu_snapshot *shot);

/* image_forget -- let go of the memory that reading took: the next look reads the file again.
 *
 * For large files whose parts are copied out one after the other. Nothing happens to an image that
 * is no file. Not while its log is merged: what was read of it is marked in this memory.
 */
void image_forget(const struct image *im);

/* image_string -- copy a string out.
 *
 * buffer  gets at most SIZE - 1 bytes and a final zero. SIZE must not be 0.
 * Returns the length copied; bytes may be anything, zero bytes included.
 */
size_t image_string(const struct image *im, const struct mu_string *string, char *buffer,
		    size_t size);

/* image_text -- the same as a text of its own, up to its first zero byte.
 *
 * Returns a text to be freed, NULL without memory.
 */
char *image_text(const struct image *im, const struct mu_string *string);

/* image_command -- the command line of the process, its arguments parted by spaces.
 *
 * Returns a text to be freed, NULL without memory. It may hold anything else.
 */
char *image_command(const struct image *im);
