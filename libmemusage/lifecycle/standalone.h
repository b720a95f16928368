/* standalone.h -- recording without a collector: LD_PRELOAD and glibc's environment names only.
 *
 * The arena is a file. At a normal exit the library starts `memusage --finish FILE`, which
 * prints the summary and writes the data file; after any other death the user does.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_LIFECYCLE_STANDALONE_H
#define LIBMEMUSAGE_LIFECYCLE_STANDALONE_H

#include <stdbool.h>

#include "libmemusage/image/slot.h"

/* standalone_begin -- make a file arena for this image.
 *
 * env     looks up a variable of the environment.
 * slot    set on success.
 * Returns false if this program is filtered out (MEMUSAGE_PROG_NAME) or no file could be
 *         made in MEMUSAGE_DIR, XDG_RUNTIME_DIR or a private directory under /tmp.
 */
bool standalone_begin(const char *(*env)(const char *), struct slot *slot);

/* standalone_refuse -- tell the user, in a line on descriptor 2, why nothing is recorded.
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
 * The program meets no SIGCHLD and no child of its own.
 */
void standalone_end(void);

#endif
