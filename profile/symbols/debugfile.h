/* debugfile.h -- find the separate file that has the debug information of a module.
 *
 * Source GDB manual, "Separate Debug Files"; debuginfod(8).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PROFILE_SYMBOLS_DEBUGFILE_H
#define PROFILE_SYMBOLS_DEBUGFILE_H

#include <stdbool.h>

#include "profile/symbols/elf_file.h"

/* debugfile_find -- look by build-id and by .gnu_debuglink in the usual places.
 *
 * debug       opened on success.
 * module      the file that was stripped.
 * root, path  as given to elf_file_open() for it. The real root is looked at too, for a debug
 *             file of the same build-id.
 * debuginfod  ask the servers of $DEBUGINFOD_URLS if nothing is found: may take long and write
 *             to the user's cache.
 * Returns whether a file was found. A file of another build is never taken: build-ids must be
 * equal or, of files without them, the CRC-32 of the link right.
 */
bool debugfile_find(struct elf_file *debug, const struct elf_file *module, const char *root,
		    const char *path, bool debuginfod);

#endif
