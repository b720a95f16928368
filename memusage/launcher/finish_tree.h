/* finish_tree.h -- Complete the recording of a run that was killed together with memusage.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/options/settings.h"

/* finish_tree_name -- Returns the arena of a run with --durable, to be freed; NULL if there is
 * none.
 *
 * file  the arena or the recording next to it.
 */
char *finish_tree_name(const char *file);

/* finish_tree -- Adds what the arena NAME holds to its recording, makes the reports of SETTINGS,
 * and removes the arena.
 *
 * record  name of the recording; NULL: the one next to the arena.
 * Returns 0, or -1 after a warning; the arena is kept then. Refuses a run that is not over.
 */
int finish_tree(const struct settings *settings, const char *name, const char *record);
