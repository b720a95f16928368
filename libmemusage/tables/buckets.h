/* buckets.h -- memory for the buckets of the block table.
 *
 * Nobody but the process itself reads them, so they need not lie in its image. That is shared
 * memory, of which 2 MiB cost the kernel 2.5 ms from the first touch to the end; of private memory
 * 1.4.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_TABLES_BUCKETS_H
#define LIBMEMUSAGE_TABLES_BUCKETS_H

#include <stdbool.h>
#include <stdint.h>

/* buckets_take -- zeroed memory, aligned to 64 bytes, never given back.
 *
 * size     bytes, at most 64 KiB.
 * Returns  its address, 0 if there is none. Where a limit or a sandbox allows no private memory it
 *          is the image's.
 * Thread-safe, async-signal-safe. Maps some now and then, twice as much each time.
 */
uint64_t buckets_take(uint64_t size);

/* buckets_begin -- a new image: nothing was taken from it. */
void buckets_begin(void);

/* buckets_are_shared -- whether some memory came from the image, which is elsewhere in a forked
 * child. Private memory has the same addresses there. */
bool buckets_are_shared(void);

#endif
