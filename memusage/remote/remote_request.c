/* remote_request.c -- Requests that a process serves itself.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/remote_request.h"

#include <string.h>

/* A process that is idle has not served a request yet, and can hold only one. */
static int check_pending(const struct live *l, enum mu_request request, struct mu_error *err)
{
	uint32_t pending = __atomic_load_n(&l->shared->request, __ATOMIC_RELAXED);
	bool is_held = mu_request_is_mark(pending) ||
		       (request == MU_REQUEST_MARK &&
			(pending == MU_REQUEST_STOP || pending == MU_REQUEST_START));

	if (!is_held)
		return 0;
	return mu_error_set(err, MU_ERROR_SYSTEM, 0,
			    "it is idle: it will serve the last %s before its next call; try again "
			    "after that",
			    mu_request_is_mark(pending) ? "mark" :
			    pending == MU_REQUEST_STOP ? "stop" : "start");
}

static int pass_text(struct live *l, const char *text, struct mu_error *err)
{
	const size_t room = sizeof(l->shared->request_text), length = strlen(text);

	if (length >= room)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0,
				    "the name of a mark has at most %zu bytes", room - 1);
	memcpy(l->shared->request_text, text, length + 1);
	return 0;
}

bool remote_request_is_waiting(const struct live *l)
{
	return __atomic_load_n(&l->shared->request, __ATOMIC_RELAXED) != MU_REQUEST_NONE;
}

int remote_request_send(struct live *l, enum mu_request request, const char *text, bool *is_later,
			struct mu_error *err)
{
	enum live_result result;

	if (check_pending(l, request, err) < 0 || (text && pass_text(l, text, err) < 0))
		return -1;
	result = live_request(l, request);
	*is_later = result == LIVE_IDLE;
	if (!live_is_current(l))
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "it has ended");
	if (result != LIVE_STUCK)
		return 0;
	live_withdraw(l, request);
	return mu_error_set(err, MU_ERROR_SYSTEM, 0,
			    "it does not respond: one of its threads is stopped inside the "
			    "recorder");
}
