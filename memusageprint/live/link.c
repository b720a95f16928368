/* link.c -- The live view's side of its socket.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/live/link.h"

#include <errno.h>
#include <sys/socket.h>

bool link_ask(int socket, const struct live_question *question)
{
	return send(socket, question, sizeof(*question), MSG_NOSIGNAL) == sizeof(*question);
}

bool link_receive(int socket, struct live_answer *answer)
{
	ssize_t length;

	do
		length = recv(socket, answer, sizeof(*answer), 0);
	while (length < 0 && errno == EINTR);
	if (length != sizeof(*answer))
		return false;
	answer->text[sizeof(answer->text) - 1] = '\0';
	return true;
}
