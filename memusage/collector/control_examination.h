/* control_examination.h -- Examinations for clients that may not trace the process.
 *
 * Yama lets a process be traced by its ancestors, and by the children of whoever it has named: the
 * recorder names the collector. So a child of ours does it, and leaves the result in a file that
 * the client has, too. Nothing waits for it here.
 *
 * Source Linux, Documentation/admin-guide/LSM/Yama.rst; prctl(2), PR_SET_PTRACER.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "memusage/collector/tree_state.h"
#include "memusage/common/control_wire.h"

/* control_examination_start -- Starts the child that examines a process.
 *
 * p           has a slot.
 * q           from a client: nothing in it is believed.
 * connection  the client's: the child ends with it.
 * fd          receives the file for the result, which the caller closes, or -1.
 * Returns OK; BUSY: this process, or too many others, are being examined; or DENIED: the process
 * may not be examined, no child can be made, or Q asks for something unknown. The child keeps the
 * connections that are open now: the client's ends with it.
 */
enum control_status control_examination_start(const struct tree *t, const struct process *p,
					      const struct control_examination *q,
					      int connection, int *fd);

/* control_examination_ended -- Tells whether FD is the pidfd of such a child, and reaps it. */
bool control_examination_ended(int fd);

/* control_examination_free -- Ends all children. */
void control_examination_free(void);
