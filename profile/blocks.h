/* blocks.h -- the live blocks of an image.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PROFILE_BLOCKS_H
#define PROFILE_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/image.h"

/* Receives one block; returns false to end the walk. */
typedef bool (*blocks_fn)(const struct mu_block *block, void *data);

/* blocks_walk -- call VISIT for every live block, by address.
 *
 * im     its blocks may be in the live form or, of a kept recording, in a table. If the process
 *        runs, blocks that come and go meanwhile may be missed or seen after their end.
 * Returns the blocks visited.
 * Cost   O(blocks + 4 KiB pages of heap). A hostile recording can make it no longer than its own
 *        size allows.
 */
uint64_t blocks_walk(const struct image *im, blocks_fn visit, void *data);

#endif
