/* private_dir.h -- a place for sockets and links that nobody else can tamper with.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COMMON_PRIVATE_DIR_H
#define MEMUSAGE_COMMON_PRIVATE_DIR_H

#include <stdbool.h>
#include <stddef.h>

/* private_dir_shared -- $XDG_RUNTIME_DIR/memusage, made if need be.
 *
 * Only if it belongs to us alone (0700). Returns false if there is none.
 */
bool private_dir_shared(char *dir, size_t size);

/* private_dir_new -- a new directory of mode 0700 under $TMPDIR or /tmp, ours to remove.
 *
 * The name holds neither blanks nor colons. Returns false if it cannot be made.
 */
bool private_dir_new(char *dir, size_t size);

#endif
