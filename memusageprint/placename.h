/* placename.h -- how a text names a line of code.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_PLACENAME_H
#define MEMUSAGEPRINT_PLACENAME_H

#include "memusageprint/subject.h"
#include "profile/tree.h"

enum { PLACENAME_LENGTH = 512 };

/* placename -- "read_line (input.c:34)", "qsort_r (libc.so.6)", "0x401136 (prog)".
 *
 * node  of a tree made with TREE_BY_LINE; neither the root nor a merged one.
 * Control characters of names are shown as '?'. Returns BUFFER.
 */
const char *placename(char buffer[PLACENAME_LENGTH], const struct subject *s,
		      const struct tree_node *node);

#endif
