/* private_dir.h -- Directories for sockets and links that other users cannot change.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* private_dir_shared -- Returns $XDG_RUNTIME_DIR/memusage in DIR, and creates it if necessary.
 *
 * Returns false if there is no such directory that belongs to us with mode 0700.
 */
bool private_dir_shared(char *dir, size_t size);

/* private_dir_base -- Returns $TMPDIR, or /tmp if that is no path, or another user could replace a
 * directory of ours there. */
const char *private_dir_base(void);

/* private_dir_new -- Creates a directory of mode 0700 in $TMPDIR or /tmp, which the caller removes.
 *
 * Its name has neither blanks nor colons. Returns false if it cannot be created.
 */
bool private_dir_new(char *dir, size_t size);
