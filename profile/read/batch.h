/* batch.h -- frees that a process has not booked yet, for readers from outside.
 *
 * A process with one thread books frees in a row in batches (struct mu_batch). What is read of its
 * image is made as if they had been booked: the copied header when it is copied, cells when
 * they are read by batch_cell(), lifetimes by batch_lives().
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PROFILE_READ_BATCH_H
#define PROFILE_READ_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/read/image.h"
#include "recording/recording.h"

/* batch_take -- copy the image's header and what waits beside it, of one moment.
 *
 * Tries again if the process books meanwhile; if it goes on doing so, nothing waits. Cost that of
 * copying the header, and one look at all cells if something waits.
 */
void batch_take(struct image *im);

/* batch_cell -- copy entry INDEX of MU_SEC_CELLS out. Returns false if there is none. */
bool batch_cell(const struct image *im, uint64_t index, struct mu_cell *cell);

/* batch_lives -- add the blocks that wait. */
void batch_lives(const struct image *im, struct mu_lifetimes *lives);

#endif
