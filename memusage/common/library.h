/* library.h -- Find the recorder, which is installed next to this program.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

struct library {
	char path[4096];	/* of its file: no blanks, no colons, no $ */
	char preload[4096];	/* what LD_PRELOAD is to name */
	bool is_for_all;	/* ... also for a program of another C library or of 32 bits */
	char dir[108];		/* private directory of a symbolic link, or "" */
};

/* library_directory -- Returns DIRECTORY_OF_THIS_PROGRAM/../lib/memusage, to be freed. */
char *library_directory(void);

/* library_find -- Finds a recorder in that directory.
 *
 * name  of its file: "libmemusage.so".
 * Makes a link in a private directory if LD_PRELOAD cannot hold the path. Dies with a message if
 * there is no recorder.
 * Source  ld.so(8): $PLATFORM in LD_PRELOAD; musl 1.2.3: a missing file there is no error.
 */
void library_find(struct library *library, const char *name);

/* library_remove -- Removes the link and its directory. */
void library_remove(const struct library *library);
