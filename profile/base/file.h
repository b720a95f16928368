/* file.h -- Opens a file as a profiled process saw it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* file_open_below -- Opens a regular file for reading.
 *
 * root  directory that PATH's leading '/' means, and that symbolic links cannot leave (where
 *       the kernel can do that, Linux 5.6); NULL or "" for the real one.
 * Returns a descriptor (close-on-exec), or -1 with errno. Anything but a regular file is
 * EINVAL, and opening it neither blocks nor has an effect.
 */
int file_open_below(const char *root, const char *path);

/* file_is_younger -- Tells whether an open file was written, renamed or given other attributes
 * after a moment of CLOCK_REALTIME. */
bool file_is_younger(int fd, uint64_t than_ns);
