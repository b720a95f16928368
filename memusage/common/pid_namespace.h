/* pid_namespace.h -- processes in PID namespaces of their own, where they have another ID.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COMMON_PID_NAMESPACE_H
#define MEMUSAGE_COMMON_PID_NAMESPACE_H

#include <stdint.h>
#include <sys/types.h>

/* pid_namespace_find -- a process by the ID it has in its own, nested PID namespace.
 *
 * inner     as the process sees itself.
 * parent    its real parent when it was made, preferred if several would do; 0 unknown.
 * since_ns  when it was there already (CLOCK_BOOTTIME): what was seen of /proc after that is not
 *           looked at again, nor what was seen within the last 20 ms: ask again before giving up.
 * Returns its real process ID, 0 if there is none. Source: proc(5), NSpid.
 */
pid_t pid_namespace_find(pid_t inner, pid_t parent, uint64_t since_ns);

#endif
