/* files.h -- open the files that memusage writes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_FILES_H
#define MEMUSAGE_FILES_H

#include <stdbool.h>

/* files_open -- open NAME for writing, making it if need be; nothing is truncated.
 *
 * fresh  set to whether it was made now; NULL allowed.
 * A symbolic link is followed only if it belongs to the user or to root: in a directory that
 * others can write to, a link of theirs could choose what we overwrite.
 * Returns a descriptor, or -1 with errno (ELOOP for somebody else's link).
 */
int files_open(const char *name, bool *fresh);

/* files_temporary -- a nameless file in $TMPDIR or /tmp; gone when it is closed.
 *
 * Returns a descriptor for reading and writing, or -1 with errno.
 */
int files_temporary(void);

#endif
