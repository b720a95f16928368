/* file.h -- Opens a file as a profiled process saw it; writes all that there is to write.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* file_open_below -- Opens a regular file for reading.
 *
 * root  directory that PATH's leading '/' means, and that symbolic links cannot leave (where
 *       the kernel can do that, Linux 5.6); NULL or "" for the real one.
 * Returns a descriptor (close-on-exec), or -1 with errno. Anything but a regular file is
 * EINVAL, and opening it neither blocks nor has an effect.
 */
int file_open_below(const char *root, const char *path);

/* file_read_text -- Reads a small file, of /proc for example, by one read().
 *
 * text  SIZE bytes; the beginning of the file, or nothing, and a final zero.
 * Returns the bytes without that zero; 0 if the file cannot be read.
 */
size_t file_read_text(const char *path, char *text, size_t size);

/* file_write -- Writes all SIZE bytes, also across signals.
 *
 * Returns false with errno if it cannot; ENOSPC if the file takes nothing more.
 */
bool file_write(int fd, const void *data, size_t size);

/* file_write_at -- The same at an offset. */
bool file_write_at(int fd, const void *data, size_t size, uint64_t offset);

/* file_copy -- Copies the content of a file to another one, both from their beginnings.
 *
 * Returns false with errno if not all of it could be read and written.
 */
bool file_copy(int to, int from);

/* file_is_younger -- Tells whether an open file was written, renamed or given other attributes
 * after a moment of CLOCK_REALTIME. */
bool file_is_younger(int fd, uint64_t than_ns);
