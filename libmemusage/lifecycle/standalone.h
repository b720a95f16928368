/* standalone.h -- recording without a collector: LD_PRELOAD and glibc's environment names only.
 *
 * The arena is a file. At a normal exit the library starts `memusage --finish FILE`, which prints
 * the summary and writes the data file; after any other end the user starts it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "libmemusage/image/slot.h"

/* standalone_begin -- make a file arena for this image.
 *
 * slot    set on success.
 * Returns false if this program is filtered out (MEMUSAGE_PROG_NAME) or no file could be
 *         made in MEMUSAGE_DIR, XDG_RUNTIME_DIR or a private directory under /tmp.
 */
bool standalone_begin(struct slot *slot);

/* standalone_refuse -- write a line to descriptor 2 that says why nothing is recorded.
 *
 * why  of constant text. Async-signal-safe.
 */
void standalone_refuse(const char *why);

/* standalone_fork -- make an arena for a child about to be forked, in a file that has no name.
 *
 * As standalone_begin().
 */
bool standalone_fork(struct slot *slot);

/* standalone_announce -- in the child, at its first event: move its image to a file of its own.
 *
 * Returns false if there can be none. Async-signal-safe.
 */
bool standalone_announce(void);

/* standalone_end -- hand the file to `memusage --finish` and wait for it.
 *
 * The program gets no SIGCHLD and sees no additional child.
 */
void standalone_end(void);
