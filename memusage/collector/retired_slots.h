/* retired_slots.h -- Frees the slots of processes that have ended.
 *
 * A process that shares its memory with another one without being its thread (clone(2) with
 * CLONE_VM, or the child of vfork(2) whose parent was killed) records into the image of that
 * process, also when that has ended or has executed another program. It would die if the image were
 * cleared. So a slot is retired first, and freed when no process uses it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/collector/tree_state.h"

/* retired_slots_free -- Frees the retired slots that no process uses, now and then.
 *
 * at_once  whether not to wait: there is no other free slot.
 * Cost     a list of /proc for all slots together, and the mappings of each process that is not
 *          known: 30 us each, once a second at most. It is paid once in 100 ms or 32 slots.
 */
void retired_slots_free(struct tree *t, bool at_once);
