/* fd_passing.h -- Send and receive messages that may carry a descriptor.
 *
 * Source  unix(7), SCM_RIGHTS.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* fd_passing_send -- Sends one message.
 *
 * fd     descriptor to attach, or -1; it stays open here.
 * flags  of sendmsg(), besides MSG_NOSIGNAL.
 * Returns 0, or -1 with errno.
 */
int fd_passing_send(int connection, const void *data, size_t size, int fd, int flags);

/* fd_passing_receive -- Receives one message without waiting.
 *
 * fd  receives the first attached descriptor (close-on-exec, owned by the caller), or -1; further
 *     descriptors are closed.
 * Returns the number of bytes received, 0 at the end of the connection, or -1 with errno.
 */
ssize_t fd_passing_receive(int connection, void *data, size_t size, int *fd);
