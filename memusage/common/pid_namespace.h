/* pid_namespace.h -- Find processes that have another ID in their own PID namespace.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

typedef bool pid_accept_fn(pid_t pid, const void *data);

/* pid_namespace_is_ours -- Tells whether the children of a process have our process IDs, so far as
 * its first thread decides that (unshare(2), setns(2)); true if that cannot be read.
 *
 * Cost two files of /proc. Source namespaces(7), pid_for_children.
 */
bool pid_namespace_is_ours(pid_t parent);

/* pid_namespace_find -- Finds a process by the ID that it has in its own, nested PID namespace.
 *
 * inner     the ID that the process sees.
 * parent    process ID of its parent, whose child it is if there is one of that ID; 0 if unknown.
 * accept    tells of any other process whether it may be meant; called with DATA.
 * at_once   /proc is scanned in any case; else a scan that is younger than 20 ms is not repeated:
 *           call again before giving up.
 * Returns its process ID here, or 0 if there is none.
 * Source proc(5), NSpid.
 */
pid_t pid_namespace_find(pid_t inner, pid_t parent, bool at_once,
			 pid_accept_fn *accept, const void *data);
