/* maps.h -- the mappings of this process, from /proc/self/maps.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_BASE_MAPS_H
#define LIBMEMUSAGE_BASE_MAPS_H

#include <stdbool.h>
#include <stdint.h>

/* maps_for_each -- call visit(start, end, is_stack, data) for each mapping of user space.
 *
 * visit     gets them in ascending order.
 * is_stack  it is the main thread's stack, which the kernel lets grow.
 * Returns false if the file cannot be read, or a sandbox may forbid it. Async-signal-safe if visit
 * is. Cost some 20 us, and 1 us for each mapping.
 * Source  proc(5).
 */
bool maps_for_each(void (*visit)(uint64_t start, uint64_t end, bool is_stack, void *data),
		   void *data);

#endif
