/* library.h -- the recorder, which lies beside this program.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COMMON_LIBRARY_H
#define MEMUSAGE_COMMON_LIBRARY_H

#include <stddef.h>

struct library {
	char path[4096];	/* as LD_PRELOAD takes it: no blanks, no colons */
	char dir[108];		/* private directory of a symbolic link, "" if none was needed */
};

/* library_directory -- DIR_OF_THIS_PROGRAM/../lib/memusage; to be freed. */
char *library_directory(void);

/* library_find -- a recorder in that directory.
 *
 * name  of its file: "libmemusage.so".
 * A path that LD_PRELOAD cannot hold is reached through a link in a private directory.
 * Dies with a message if there is no recorder.
 */
void library_find(struct library *library, const char *name);

/* library_remove -- take the link and its directory away. */
void library_remove(const struct library *library);

/* library_sibling -- the path of a program that was installed beside this one.
 *
 * name  "memusagestat". A suffix of this program's own name ("-1" of memusage-1) is added.
 * Returns a path to be freed, or NULL when this program's place is not known.
 */
char *library_sibling(const char *name);

#endif
