/* cache_dir.h -- The directory of the user in which the programs keep what they can make again.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* cache_dir_open -- Opens $XDG_CACHE_HOME/memusage or ~/.cache/memusage, and creates it if
 * necessary.
 *
 * Both directories belong to our effective user, and only that user can use the second one. So root
 * leaves nothing in the home of a user who has called sudo.
 * Returns a descriptor for openat() (close-on-exec), or -1 if there is no such directory.
 * Source XDG Base Directory Specification 0.8: relative paths are ignored.
 */
int cache_dir_open(void);
