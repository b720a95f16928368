/* keep.h -- Keep the copy of a process as a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* keep_recording -- Copies FILE to memusage.PID.N.mur in the working directory.
 *
 * N is the first number, from 1 on, of which there is no file.
 *
 * text  SIZE bytes, receives the name, or why it could not be written.
 * Returns 0 or -1.
 */
int keep_recording(const char *file, uint32_t pid, char *text, size_t size);
