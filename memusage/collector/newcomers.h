/* newcomers.h -- Processes that are about to register.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "memusage/collector/tree.h"

/* newcomers_exist -- Tells whether a process of /proc may still register at this collector.
 *
 * It has the collector's address in its environment, and its program is dynamic and not setuid.
 * Only time tells a process whose program cannot register even so from one that has not done it
 * yet: the caller has to stop waiting.
 *
 * Call it if no process of T has a slot. Returns false at once if only programs of some name are
 * recorded, or no children. Cost 3 us per process of this user, and up to 50 ms while an exec is
 * under way: after that it counts as ours.
 */
bool newcomers_exist(const struct tree *t);
