/* debug_file.h -- The separate debug file of a module, in the usual places.
 *
 * Source GDB manual, "Separate Debug Files".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "profile/symbols/elf_file.h"

/* debug_file_open -- Looks by build-id and by .gnu_debuglink, also below the real root.
 *
 * debug  closed; opened if the file is found.
 * module, root, path  the module's file, and how it was opened (elf_file_open()).
 * A file of another build is never taken: build-ids must be equal or, of files without them, the
 * CRC-32 of the link right. Returns whether there is one.
 */
bool debug_file_open(struct elf_file *debug, const struct elf_file *module, const char *root,
		     const char *path);

/* debug_file_is_of -- Tells whether DEBUG, which is open, is the debug file of MODULE. */
bool debug_file_is_of(const struct elf_file *debug, const struct elf_file *module);
