/* remote_request.h -- Requests that a process serves itself: stop, start, mark.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "memusage/record/live.h"

/* remote_request_is_waiting -- Tells whether the process has not served the last request yet. */
bool remote_request_is_waiting(const struct live *l);

/* remote_request_send -- Sends a request to the process, as its only client.
 *
 * text      the name of a mark; NULL for other requests.
 * is_later  set to whether the process is idle, so that it serves the request before its next call.
 * Returns 0, or -1 with ERR: it has ended, does not respond, or has not served the last one yet.
 */
int remote_request_send(struct live *l, enum mu_request request, const char *text, bool *is_later,
			struct mu_error *err);
