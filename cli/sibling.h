/* sibling.h -- Find the programs that are installed next to this one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <limits.h>

/* sibling_own_file -- Finds the file of this program.
 *
 * dir  receives its directory.
 * Returns its name, which is in DIR, too; NULL if it is unknown.
 */
const char *sibling_own_file(char dir[PATH_MAX]);

/* sibling_path -- Returns the path of a program that is installed next to this one.
 *
 * own   "memusage", the name of this program. If the name of its file is longer, "memusage-1",
 *       the rest of it is appended to NAME, too.
 * name  "memusagestat".
 * Returns a path to be freed, or NULL if the directory of this program is unknown.
 */
char *sibling_path(const char *own, const char *name);
