/* slot_owner.h -- Which process took a slot, by the ID that it wrote there.
 *
 * The slot of a process that has ended is freed, and its memory is cleared. So an ID that is
 * another process's, or none's here, must not be believed: it may be of another PID namespace.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <sys/types.h>

#include "memusage/collector/tree_state.h"

/* Nobody is found, and nothing tells that the process has ended. */
#define SLOT_OWNER_UNKNOWN ((pid_t)-1)

/* slot_owner_forked -- Finds the process that took a slot after its fork.
 *
 * parent  the process from whose slot it was copied, NULL if that is not known (any more).
 * Returns its ID here, which may be of a zombie; 0 if it has ended; or SLOT_OWNER_UNKNOWN.
 * Cost    some files of /proc, or all processes of the machine if it is in another PID namespace.
 */
pid_t slot_owner_forked(const struct tree *t, const struct arena *a, const struct mu_slot *slot,
			const struct process *parent);

/* slot_owner_inherited -- The same of a slot that a collector assigned which was killed. */
pid_t slot_owner_inherited(const struct tree *t, const struct arena *a,
			   const struct mu_slot *slot);
