/* debuginfod.h -- debug files from the servers that the user has named.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/symbols/elf_file.h"

/* debuginfod_fetch -- the debug file with a build-id, by elfutils' libdebuginfod if it is
 * installed.
 *
 * Asks the servers of $DEBUGINFOD_URLS, keeps what they send in the user's cache.
 * Returns a descriptor for the caller, or -1.
 * Source debuginfod_find_debuginfo(3)
 */
int debuginfod_fetch(const struct build_id *id);
