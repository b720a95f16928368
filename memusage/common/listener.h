/* listener.h -- The socket at which a recorded program is served by HTTP.
 *
 * memusage opens it before it starts the program, so that it reports a wrong address at once, and
 * memusageserve takes it over.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { LISTENER_TEXT = 300 };

/* A listening socket and its address. */
struct listener {
	int fd;			/* -1: closed */
	char *path;		/* absolute path of a Unix socket; NULL: TCP */
	char *host;		/* of TCP, as the user named it; NULL: a Unix socket */
	bool is_loopback;	/* only this machine can connect to it */
	char text[LISTENER_TEXT];	/* "unix:/run/x.http" or "127.0.0.1:8080", with the port
					 * that the kernel chose */
};

/* The initial value for listener_open() and listener_adopt(). */
#define LISTENER_CLOSED ((struct listener){ .fd = -1 })

/* listener_open -- Creates the socket and listens.
 *
 * address  "unix:PATH"; "HOST:PORT", "[HOST]:PORT" or "PORT", of which an absent host means
 *          127.0.0.1 and port 0 any free one; "": a Unix socket in a directory of this user.
 * pid      is part of the name of that socket.
 * why      receives the reason of a failure, and what to do about it: "ADDRESS: REASON".
 * A Unix socket is for its owner only (mode 0600). One that a dead process has left is replaced.
 * Returns 0, or -1; L is closed then. Not thread-safe: it changes the umask for a moment.
 */
int listener_open(struct listener *l, const char *address, pid_t pid, char why[LISTENER_TEXT]);

/* listener_adopt -- Takes over a socket that another process opened with listener_open().
 *
 * text  of its struct listener.
 * Returns 0, or -1 if FD is no listening socket of that address.
 */
int listener_adopt(struct listener *l, int fd, const char *text);

/* listener_forget -- Closes it in this process, for another one that has it. */
void listener_forget(struct listener *l);

/* listener_close -- Closes it, and removes a Unix socket. L may be closed already. */
void listener_close(struct listener *l);
