/* save_image.h -- Writes one image of a kept recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "profile/base/error.h"
#include "profile/read/image.h"

/* save_image -- Writes a compact copy of an image at START of a file.
 *
 * length    set to its bytes.
 * features  set to the sections it has.
 * Returns 0, or -1 with ERR.
 */
int save_image(int fd, uint64_t start, const struct image *im, uint64_t *length,
	       uint64_t *features, struct mu_error *err);

/* save_image_check -- Checks that the entries of an image and their data fit into it.
 *
 * All entries of a hostile image may lead to the same bytes: its copy would be as large as their
 * product. Returns 0, or -1 with ERR.
 */
int save_image_check(const struct image *im, struct mu_error *err);
