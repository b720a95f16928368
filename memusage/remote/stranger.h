/* stranger.h -- what can be said of a process that does not run under memusage.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_REMOTE_STRANGER_H
#define MEMUSAGE_REMOTE_STRANGER_H

#include <sys/types.h>

/* not_recorded_explain -- that it does not, what its memory is used for and how that grows, as far
 * as the kernel knows, and how to start it again under memusage.
 *
 * Takes three seconds. Always returns -1: what was asked for cannot be done.
 */
int not_recorded_explain(pid_t pid);

#endif
