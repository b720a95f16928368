/* target_heap.h -- The heap of a process that is attached to, read while it is stopped.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/allocator/glibc_heap.h"
#include "memusage/attach/target.h"

/* target_heap_check -- Finds out whether the heap can be read, while the process runs on.
 *
 * Needs the mappings. *release receives the release of glibc, for target_heap_walk().
 * Returns 0, or -1 with ERR: the reason.
 */
int target_heap_check(const struct target *t, unsigned int *release, struct mu_error *err);

/* target_heap_walk -- Reads the heap of a stopped process, whose mappings are those of now.
 *
 * As glibc_heap_walk().
 */
enum heap_result target_heap_walk(const struct target *t, struct glibc_heap *h,
				  const struct heap_walk *walk);
