/* batch.h -- Accounts for deferred frees when another process's image is read.
 *
 * A process with one thread accounts for consecutive frees in batches (struct mu_batch). Reads of
 * its image give the figures after these frees: the copied header when it is copied, cells when
 * they are read by batch_cell(), lifetimes by batch_add_lifetimes().
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/read/image.h"
#include "recording/recording.h"

/* batch_take -- Copies the image's header and its deferred frees, both of one moment.
 *
 * Tries again if the process applies them meanwhile; if it does so each time, none are deferred.
 * Cost: copying the header, and one pass over all cells if there are deferred frees.
 */
void batch_take(struct image *im);

/* batch_cell -- copy entry INDEX of MU_SEC_CELLS out. Returns false if there is none. */
bool batch_cell(const struct image *im, uint64_t index, struct mu_cell *cell);

/* batch_add_lifetimes -- add the blocks that wait. */
void batch_add_lifetimes(const struct image *im, struct mu_lifetimes *lives);
