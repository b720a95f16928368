/* orphans.h -- The recording of a process whose collector is gone, in memory that only it has.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <sys/types.h>

#include "memusage/remote/contact.h"
#include "memusage/remote/mapped_recordings.h"

/* orphans_open -- Opens the arenas that process PID has mapped, as C->orphan.
 *
 * maps  of the process. Those that cannot be opened are left out; contact_close() closes the rest.
 */
void orphans_open(struct contact *c, pid_t pid, const struct mapped_recordings *maps);

/* orphans_map -- Maps the one of them that has the image of process PID, and locks it.
 *
 * Returns OK, BUSY: another client has locked one; NO_IMAGE: none has it; ORPHANED: there is none.
 */
enum contact_status orphans_map(struct contact *c, pid_t pid);
