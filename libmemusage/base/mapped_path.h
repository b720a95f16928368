/* mapped_path.h -- the file that is mapped at an address.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* mapped_path -- write the path of the file, as the kernel knows it.
 *
 * as_it_is  accept also a name that no file has: "/memfd:x (deleted)".
 * path      gets the path and a final zero; size bytes.
 * Returns the length; 0 if there is no file, it was deleted, or /proc may not be read (sandbox).
 * Async-signal-safe. Cost 0.1 ms per 100 mappings.
 * Source proc(5), /proc/PID/maps.
 */
uint64_t mapped_path(uint64_t address, bool as_it_is, char *path, uint64_t size);
