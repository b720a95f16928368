/* temporary.h -- Nameless files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* temporary_open -- Creates a nameless file in $TMPDIR or /tmp, which disappears when it is closed.
 *
 * Returns a descriptor for reading and writing, or -1 with errno.
 */
int temporary_open(void);

/* temporary_open_or_die -- Does the same, but dies with a message on failure. */
int temporary_open_or_die(void);
