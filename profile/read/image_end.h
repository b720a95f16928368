/* image_end.h -- How the process of an image ended, in words.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/read/image.h"
#include "recording/recording.h"

enum { IMAGE_END_TEXT = 64 };

struct image_end {
	enum mu_end how;
	uint32_t status; /* exit status, or signal; MU_END_STATUS_UNKNOWN */
	uint32_t is_attached; /* 1: no exit handler of ours tells MU_END_STATUS from MU_END_EXIT */
};

/* image_end_of -- Returns how the image with the header HEAD ended.
 *
 * Recordings of earlier versions only know whether exit handlers ran.
 */
struct image_end image_end_of(const struct mu_image *head);

/* image_end_is_success -- Tells whether the process ended by exit with status 0, or with one that
 * is not known. */
bool image_end_is_success(struct image_end end);

/* image_end_text -- Writes a phrase such as "exit status 3" or "killed by SIGSEGV" to TEXT.
 *
 * Returns TEXT.
 */
const char *image_end_text(struct image_end end, char text[IMAGE_END_TEXT]);

/* image_end_word -- Returns the word for programs: "exit", "_exit", "status", "signal", "exec",
 * "running" or "unknown". */
const char *image_end_word(struct image_end end);

/* image_duration_ns -- Returns the time from the start of the image to its last known moment.
 *
 * That is its end; of a process that still runs, or whose end is not known, the last snapshot.
 * Cost  copies all snapshots.
 */
uint64_t image_duration_ns(const struct image *im);

/* image_end_has_status -- Tells whether the status is known. */
bool image_end_has_status(struct image_end end);
