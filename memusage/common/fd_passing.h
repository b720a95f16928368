/* fd_passing.h -- messages between processes that may carry a descriptor.
 *
 * Source  unix(7), SCM_RIGHTS.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COMMON_FD_PASSING_H
#define MEMUSAGE_COMMON_FD_PASSING_H

#include <stddef.h>
#include <sys/types.h>

/* fd_passing_send -- send one message.
 *
 * fd     descriptor that goes with it, or -1. It stays open here.
 * flags  of sendmsg(), beside MSG_NOSIGNAL.
 * Returns 0, or -1 with errno.
 */
int fd_passing_send(int connection, const void *data, size_t size, int fd, int flags);

/* fd_passing_receive -- receive one message, without waiting.
 *
 * Of several descriptors that come with it all but the first are closed.
 * fd  set to the descriptor that came with it, closed on exec, to be closed by the caller; or -1.
 * Returns the bytes received, 0 at the end of the connection, -1 with errno.
 */
ssize_t fd_passing_receive(int connection, void *data, size_t size, int *fd);

#endif
